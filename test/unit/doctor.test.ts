import { describe, expect, test } from 'vitest';
import { LOG_START } from '../../domain/ports/event-log.ts';
import { examine, type Examination } from '../../src/cli/doctor/examine.ts';
import { BadSetting } from '../../src/app/settings.ts';
import type { BrokersFacts, DatabaseFacts, FolderFacts, Probes } from '../../domain/ports/probes.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const SOUND: DatabaseFacts = {
  version: '18.4',
  encoding: 'UTF8',
  readOnly: false,
  schema: 'current',
  pendingMigrations: [],
  unknownMigrations: [],
  durability: { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' },
  clockAheadMs: 3,
  trialOffsetMs: 0,
  newestEventAt: NOW - 1,
  timeline: { now: '00000001', stored: '00000001' },
  standbys: { synchronous: '', connected: 0 },
  setBacks: [],
};

interface Machine {
  readonly facts?: Partial<DatabaseFacts>;
  readonly folder?: Partial<FolderFacts>;
  readonly nodeVersion?: string;
  readonly refused?: Readonly<Record<number, string>>;
  readonly serving?: boolean;
  readonly unreachable?: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly installation?: () => Promise<void>;
  readonly eventStore?: () => Promise<void>;
  readonly brokers?: () => Promise<BrokersFacts>;
}

const on = ({
  facts,
  folder,
  nodeVersion,
  refused,
  serving,
  unreachable,
  environment,
  installation,
  eventStore,
  brokers,
}: Machine): Examination => ({
  environment: environment ?? {},
  clock: { now: () => NOW },
  probes: async (): Promise<Probes> => ({
    machine: {
      nodeVersion: nodeVersion ?? '24.21.0',
      folder: async (path) => ({ path, writable: true, freeBytes: 50_000_000_000, ...folder }),
      listens: async (_, port) => refused?.[port] ?? null,
    },
    database: async () => {
      if (unreachable !== undefined) throw new Error(unreachable);
      return { ...SOUND, ...facts };
    },
    installation: installation ?? (async () => undefined),
    eventStore: eventStore ?? null,
    brokers: brokers ?? null,
    answersAt: async () => serving ?? false,
  }),
});

async function away(): Promise<never> {
  throw new Error('nobody answers');
}

const complaints = async (machine: Machine) => (await examine(on(machine))).filter(({ state }) => state !== 'ok');

test('a correct machine has no finding', async () => {
  expect(
    await complaints({ eventStore: async () => undefined, brokers: async () => ({ brokers: 1, topics: [] }) }),
  ).toEqual([]);
});

describe('each finding names the problem and what to do', () => {
  test.each<readonly [string, Machine, string, 'warning' | 'failed', RegExp]>([
    ['an old Node', { nodeVersion: '20.20.2' }, 'node', 'failed', /package\.json/],
    ['an unknown setting', { environment: { CIVIC_COLOUR: 'red' } }, 'settings', 'warning', /unset/],
    ['a folder of another user', { folder: { writable: false } }, 'data folder', 'failed', /CIVIC_DATA_DIR/],
    ['little room', { folder: { freeBytes: 1_000_000_000 } }, 'free disk', 'warning', /free disk space/],
    ['no room', { folder: { freeBytes: 1_000_000 } }, 'free disk', 'failed', /free disk space/],
    ['a port of another program', { refused: { 8080: 'EADDRINUSE' } }, 'CIVIC_HTTP_PORT', 'failed', /CIVIC_HTTP_PORT/],
    [
      'a port for the mighty',
      { refused: { 9464: 'EACCES' }, serving: true },
      'CIVIC_OPS_PORT',
      'failed',
      /CIVIC_OPS_PORT/,
    ],
    ['no embedded database', { unreachable: 'it could not be reached' }, 'database', 'failed', /^fix this: /],
    [
      'no database of the user',
      { unreachable: 'it could not be reached', environment: { DATABASE_URL: 'postgres://u@127.0.0.1/d' } },
      'database',
      'failed',
      /^start it or correct DATABASE_URL: /,
    ],
    [
      'lost history',
      { facts: { setBacks: [{ held: LOG_START, head: LOG_START, noticedAt: NOW }] } },
      'history',
      'warning',
      /^find the cause; where customers .* without fingerprints, run `civic feed renew .*; then run `civic feed acknowledge`$/,
    ],
    ['another installation', { installation: away }, 'installation', 'failed', /no process of the service starts/],
    ['no event store', { eventStore: away }, 'event store', 'failed', /EVENTSTORE_URL/],
    ['no brokers', { brokers: away }, 'brokers', 'failed', /KAFKA_BROKERS/],
    [
      'no topic to take from',
      { brokers: async () => ({ brokers: 3, topics: [] }), environment: { CIVIC_KAFKA_INLET_TOPIC: 'changes' } },
      'brokers',
      'warning',
      /make it/,
    ],
    ['an old server', { facts: { version: '14.9' } }, 'database', 'failed', /15 or newer/],
    ['an older schema', { facts: { schema: 'older', pendingMigrations: ['0009-x'] } }, 'schema', 'warning', /migrates/],
    [
      'a newer schema',
      { facts: { schema: 'newer', unknownMigrations: ['9999-y'] } },
      'schema',
      'failed',
      /start that version/,
    ],
    ['a foreign database', { facts: { schema: 'foreign' } }, 'schema', 'failed', /empty database/],
    [
      'weak durability',
      { facts: { durability: { ...SOUND.durability, fsync: 'off' } } },
      'durability',
      'warning',
      /crash/,
    ],
    ['clocks apart', { facts: { clockAheadMs: -60_000 } }, 'clock', 'warning', /synchronize/],
    ['an event of the future', { facts: { newestEventAt: NOW + 60_000 } }, 'clock', 'warning', /was wrong/],
    ['a trial clock', { facts: { trialOffsetMs: -86_400_000 } }, 'clock', 'warning', /trials only/],
  ])('%s', async (_, machine, check, state, remedy) => {
    const complaintsOfMachine = await complaints(machine);
    expect(complaintsOfMachine).toContainEqual(
      expect.objectContaining({ check, state, remedy: expect.stringMatching(remedy) as unknown }),
    );
  });
});

test('the installation is not looked at without its tables or its log', async () => {
  for (const machine of [
    { facts: { schema: 'empty' } },
    { unreachable: 'it could not be reached' },
    { eventStore: away },
  ] as const)
    expect((await complaints({ ...machine, installation: away })).map(({ check }) => check)).not.toContain(
      'installation',
    );
});

test('an event that only a trial clock explains is not a separate finding', async () => {
  const clockComplaints = await complaints({ facts: { trialOffsetMs: 86_400_000, newestEventAt: NOW + 86_400_000 } });
  expect(clockComplaints.map(({ found: text }) => text)).toEqual([expect.stringContaining('trial clock')]);
});

test('a bad setting is the only finding, because nothing else can be checked', async () => {
  const findings = await examine(on({ environment: { CIVIC_HTTP_PORT: 'http' } }));
  expect(findings).toEqual([
    expect.objectContaining({
      check: 'settings',
      state: 'failed',
      found: expect.stringContaining('CIVIC_HTTP_PORT') as unknown,
    }),
  ]);
});

test('a setting that another one rules out is a finding, too', async () => {
  const message = 'CIVIC_KAFKA_SASL is plain, but CIVIC_KAFKA_TLS is off';
  const probes = () => Promise.reject(new BadSetting(message));
  expect(await examine({ ...on({}), probes })).toEqual([
    expect.objectContaining({ check: 'settings', state: 'failed', found: message }),
  ]);
});

test('ports in use by the running service of this program are no finding', async () => {
  expect(await complaints({ refused: { 8080: 'EADDRINUSE', 9464: 'EADDRINUSE' }, serving: true })).toEqual([]);
});

test('the data folder is not checked if the operator provides the server', async () => {
  const machine = { environment: { DATABASE_URL: 'postgres://u@127.0.0.1/d' }, folder: { writable: false } };
  expect(await complaints(machine)).toEqual([]);
});
