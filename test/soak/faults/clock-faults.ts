import { setTimeout as after } from 'node:timers/promises';
import type { Member } from '../member.ts';
import { linkOf, type MakeFault, processOf } from './fault.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;

/** Some seconds to two hours, with equal probability of small and large steps. */
const step = (random: Parameters<MakeFault>[0]['random']): number =>
  Math.round(SECOND * 5 * ((2 * HOUR) / (5 * SECOND)) ** random.next());

/** Sets a clock wrong and right again; sometimes kills its process with the wrong time. */
const stepped =
  (sign: 1 | -1): MakeFault =>
  async ({ random, world, victim, hold }) => {
    const member: Member = random.chance(0.6)
      ? await victim('projector')
      : world.members[random.below(world.members.length)]!;
    const offset = sign * step(random);
    const dies = member.name !== 'api-1' && random.chance(0.5);
    const milliseconds = hold(1_500, 6_000);
    return {
      description: `the clock of ${member.name} ${offset / SECOND} s off for ${milliseconds} ms${dies ? ', then kill -9' : ''}`,
      touched: dies ? [...processOf(member), ...linkOf(member)] : linkOf(member),
      async run() {
        member.stepClock(offset);
        await after(milliseconds);
        if (dies) await member.end('SIGKILL');
        member.stepClock(0);
        if (dies) await member.start();
      },
    };
  };

export const CLOCK_FAULTS: Readonly<Record<string, MakeFault>> = {
  'clock ahead': stepped(1),
  'clock behind': stepped(-1),
};
