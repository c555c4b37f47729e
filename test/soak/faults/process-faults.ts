import { setTimeout as after } from 'node:timers/promises';
import type { Member } from '../member.ts';
import { between, type MakeFault, processOf } from './fault.ts';

/** Longer than the lease of a read model, so that another process takes it over. */
const PAST_THE_LEASE_MS = [5_500, 8_500] as const;

const killed =
  (role: Member['role']): MakeFault =>
  async ({ random, victim, hold }) => {
    const member = await victim(role);
    const missing = random.chance(0.5) ? 0 : hold(500, 6_000);
    return {
      description: `kill -9 of ${member.name}, started again after ${missing} ms`,
      touched: processOf(member),
      async run() {
        await member.end('SIGKILL');
        await after(missing);
        await member.start();
      },
    };
  };

const frozen =
  (role: Member['role'], [from, below]: readonly [number, number]): MakeFault =>
  async ({ random, victim }) => {
    const member = await victim(role);
    const milliseconds = between(random, from, below);
    return {
      description: `SIGSTOP of ${member.name} for ${milliseconds} ms`,
      touched: processOf(member),
      async run() {
        member.freeze();
        await after(milliseconds);
        member.thaw();
      },
    };
  };

const drained: MakeFault = async ({ victim }) => {
  const member = await victim('api');
  return {
    description: `SIGTERM to ${member.name}`,
    touched: processOf(member),
    async run() {
      await member.end('SIGTERM');
      await member.start();
    },
  };
};

/** Every process that may be ended, one after the other. */
const rolled: MakeFault = async ({ world, victim }) => {
  const apis = world.api().slice(1);
  const members = [...apis, await victim('projector'), await victim('worker')];
  return {
    description: `SIGTERM to ${members.map(({ name }) => name).join(', ')} in turn`,
    touched: members.flatMap(processOf),
    async run() {
      for (const member of members) {
        await member.end('SIGTERM');
        await member.start();
      }
    },
  };
};

/** Several at once, as in a failure of a machine. */
const severalKilled: MakeFault = async ({ random, victim, hold }) => {
  const missing = hold(0, 2_000);
  const members = [
    await victim('api'),
    await victim('projector'),
    ...(random.chance(0.5) ? [await victim('worker')] : []),
  ];
  return {
    description: `kill -9 of ${members.map(({ name }) => name).join(' and ')} at once`,
    touched: members.flatMap(processOf),
    async run() {
      await Promise.all(members.map((member) => member.end('SIGKILL')));
      await after(missing);
      await Promise.all(members.map((member) => member.start()));
    },
  };
};

export const PROCESS_FAULTS: Readonly<Record<string, MakeFault>> = {
  'api killed': killed('api'),
  'projector killed': killed('projector'),
  'worker killed': killed('worker'),
  'several killed': severalKilled,
  'api frozen': frozen('api', [1_000, 6_000]),
  'projector frozen': frozen('projector', PAST_THE_LEASE_MS),
  'worker frozen': frozen('worker', PAST_THE_LEASE_MS),
  'api drained': drained,
  'rolling restart': rolled,
};
