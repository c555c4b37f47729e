import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createProcessorStore } from '../../infra/postgresql/leases/processor-store.ts';
import { openCivic } from '../../src/app/composition.ts';
import { CLOCK_MARGIN_MS, LEASE_MS, LeaseLost, MAX_LEASE_MS } from '../../plumbing/while-leased.ts';
import { type JobDependencies, runIfDue } from '../../src/processors/runtime/jobs.ts';
import { scheduledJobs } from '../../src/app/serving/serve.ts';
import { readSettings } from '../../src/app/settings.ts';
import { SOURCES } from '../../src/sources/sources.ts';
import { does, ROLES, type Work, WORK } from '../../src/app/roles.ts';
import { openTestCivic, type TestCivic, TestClock, untilTrue } from '../support/civic.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

const MINUTE_MS = 60_000;
const ABANDONED = { name: 'abandoned', everyMs: MINUTE_MS };

let database: TestDatabase;
let civics: TestCivic[];
/** Their common clock; only the test moves it. */
const clock = new TestClock();
const going = new AbortController();

beforeAll(async () => {
  database = await startTestDatabase();
  civics = [await openTestCivic(database.url), await openTestCivic(database.url), await openTestCivic(database.url)];
});
afterAll(async () => {
  for (const civic of civics) await civic.close();
  await database.close();
});

/** Three processes from the view of the database. */
const processes = (): readonly JobDependencies[] =>
  civics.map((civic, nth) => ({
    store: createProcessorStore(civic.database.transactor),
    leaseClock: clock,
    owner: `process ${nth}`,
    leaseMs: LEASE_MS,
  }));

test('of three concurrent processes one does the work, once for each time that it is due', async () => {
  const completed: string[] = [];
  let atOnce = 0;
  const come = () =>
    Promise.all(
      Array.from({ length: 4 }, () =>
        processes().map((parts) =>
          runIfDue(
            parts,
            {
              name: 'counted',
              everyMs: MINUTE_MS,
              run: async () => {
                expect((atOnce += 1)).toBe(1);
                await clock.sleep(20);
                atOnce -= 1;
                completed.push(parts.owner);
              },
            },
            going.signal,
          ),
        ),
      ).flat(),
    );
  for (let round = 1; round <= 6; round += 1) {
    await come();
    expect(completed).toHaveLength(round);
    clock.advance(MINUTE_MS - 1);
    await come();
    expect(completed).toHaveLength(round);
    clock.advance(1);
  }
});

test('a turn of a dead process is taken over after its lease, and that process ends nothing later', async () => {
  const [first, second] = processes() as [JobDependencies, JobDependencies];
  const abandoned = await first.store.acquireJob(ABANDONED, first.owner, clock.now(), LEASE_MS);
  const take = () => second.store.acquireJob(ABANDONED, second.owner, clock.now(), LEASE_MS);
  clock.advance(LEASE_MS);
  expect(await take()).toBeNull();
  clock.advance(1);
  const lease = await take();
  expect(lease?.token).toBe(abandoned!.token + 1);
  expect(await first.store.renew(abandoned!, clock.now() + LEASE_MS)).toBe(false);
  await first.store.endJob(abandoned!, clock.now());
  expect(await second.store.renew(lease!, clock.now() + LEASE_MS)).toBe(true);
  await second.store.endJob(lease!, clock.now() + MINUTE_MS);
  expect(await take()).toBeNull();
});

test('a lease and a due time from before the clock was set back hold up neither a job nor a reactor', async () => {
  const store = createProcessorStore(civics[0]!.database.transactor);
  const job = { name: 'before the set back', everyMs: MINUTE_MS };
  /** Runs as a process whose clock is that of the database, or off by this many milliseconds. */
  const take = (off = 0) => store.acquireJob(job, 'heir', Date.now() + off, LEASE_MS);
  const reactor = (off = 0) => store.acquireReactor('reactor before the set back', 'heir', Date.now() + off, LEASE_MS);
  const change = (column: 'lease_until' | 'due_at', ahead: number) =>
    civics[0]!.rows(`update civic.processors set ${column} = $2 where name = $1 returning 1`, [
      job.name,
      Date.now() + ahead,
    ]);
  await take(2 * MINUTE_MS);
  await reactor(2 * MINUTE_MS);
  expect(await reactor()).toMatchObject({ token: 2 });
  const lease = await take();
  expect(lease).toMatchObject({ token: 2 });
  // A lease of a living owner is not too long for a process whose clock is late.
  for (const off of [0, -MINUTE_MS]) expect([await reactor(off), await take(off)]).toEqual([null, null]);
  await change('lease_until', MAX_LEASE_MS - 1_000);
  expect(await take()).toBeNull();
  await store.endJob(lease!, Date.now() + MINUTE_MS);
  for (const off of [0, -MINUTE_MS]) expect(await take(off)).toBeNull();
  // Taken by a process whose clock is ahead by less than the margin.
  await change('due_at', MINUTE_MS + CLOCK_MARGIN_MS - 1_000);
  expect(await take()).toBeNull();
  await change('due_at', 2 * MINUTE_MS);
  expect(await take()).toMatchObject({ token: 3 });
});

test('one statement lists the jobs that are due and that nobody runs, the most overdue first', async () => {
  const { transactor } = civics[2]!.database;
  let transactions = 0;
  const store = createProcessorStore({
    transaction: (work) => {
      transactions += 1;
      return transactor.transaction(work);
    },
  });
  const acquire = (name: string) => store.acquireJob({ name, everyMs: MINUTE_MS }, 'lister', Date.now(), LEASE_MS);
  for (const [name, dueIn] of [
    ['due', -1],
    ['overdue', -MINUTE_MS],
    ['due later', MINUTE_MS],
    ['due implausibly late', 3 * MINUTE_MS],
  ] as const)
    await store.endJob((await acquire(name))!, Date.now() + dueIn);
  await acquire('running for the first time');
  const several = Array.from({ length: 200 }, (_, n) => `new ${String(n).padStart(3, '0')}`);
  transactions = 0;
  const jobs = await store.listDueJobs(
    ['due later', 'due', 'due implausibly late', 'overdue', 'running for the first time', ...several],
    MINUTE_MS,
    Date.now(),
  );
  expect(transactions).toBe(1);
  expect(jobs).toEqual([
    ...several.map((name) => ({ name, isFirst: true })),
    ...['overdue', 'due', 'due implausibly late'].map((name) => ({ name, isFirst: false })),
  ]);
});

test('work that loses its turn is stopped, and stopped or failed work leaves the turn to others', async () => {
  const [first, second] = processes().map((parts) => ({ ...parts, leaseMs: 60 })) as [JobDependencies, JobDependencies];
  const begun = Promise.withResolvers<void>();
  const losing = runIfDue(
    first,
    {
      name: 'lost',
      everyMs: MINUTE_MS,
      run: async (signal) => {
        begun.resolve();
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
        );
      },
    },
    going.signal,
  );
  await begun.promise;
  clock.advance(61);
  // The clock of the first is stopped, so its renewals do not extend the lease beyond the check of the other.
  await untilTrue('the other has the turn', async () => {
    clock.advance(61);
    return (
      (await second.store.acquireJob({ name: 'lost', everyMs: MINUTE_MS }, second.owner, clock.now(), LEASE_MS)) !==
      null
    );
  });
  await expect(losing).rejects.toBeInstanceOf(LeaseLost);

  const stopping = new AbortController();
  const run = async () => {
    stopping.abort(new Error('stopped'));
    throw new Error('in the middle');
  };
  await expect(runIfDue(first, { name: 'stopped', everyMs: MINUTE_MS, run }, stopping.signal)).rejects.toThrow(
    'in the middle',
  );
  expect(
    await second.store.acquireJob({ name: 'stopped', everyMs: MINUTE_MS }, second.owner, clock.now(), LEASE_MS),
  ).not.toBeNull();
});

test('each role does its own jobs, and workers poll', async () => {
  const { settings } = readSettings({
    DATABASE_URL: database.url,
    CIVIC_POLL: 'cityofdallas,fortworthgov',
    CIVIC_LOG_LEVEL: 'silent',
  });
  const civic = await openCivic(settings, 'command', []);
  onTestFinished(() => civic.close());
  const regular = (role: (typeof ROLES)[number]) =>
    scheduledJobs(civic, role, going.signal)
      .map(({ what }) => what)
      .toSorted();
  const worker = [
    'polling added sources',
    'polling cityofdallas',
    'polling fortworthgov',
    'reconciling payments',
    'working on reports',
  ];
  expect(regular('api')).toEqual(['counting public requests together']);
  expect(regular('projector')).toEqual(['forgetting dead keys', 'pruning']);
  expect(regular('worker')).toEqual(worker);
  expect(regular('all')).toEqual(
    [...worker, 'counting public requests together', 'forgetting dead keys', 'pruning'].toSorted(),
  );
});

test('a client is polled under one lease, with or without a source name; an unknown source is refused', async () => {
  const opened = (poll: string) =>
    openCivic(
      readSettings({ DATABASE_URL: database.url, CIVIC_POLL: poll, CIVIC_LOG_LEVEL: 'silent' }).settings,
      'command',
      [],
    );
  const civic = await opened('cityofdallas,legistar:fortworthgov');
  onTestFinished(() => civic.close());
  expect(civic.jobs.flatMap((job) => ('lease' in job && job.what.startsWith('polling') ? [job.lease] : []))).toEqual([
    'poll cityofdallas',
    'poll fortworthgov',
  ]);
  await expect(opened('nowhere:cityofdallas')).rejects.toThrow(
    `CIVIC_POLL names the source nowhere; allowed is ${Object.keys(SOURCES).join(', ')}`,
  );
});

test('the page on deployment lists every job with its role and how several processes share it', () => {
  const page = readFileSync(new URL('../../docs/operators/deployment.md', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('## Which role does what'), page.indexOf('## How many'));
  const listed = [...table.matchAll(/^\| (?!work|-)(.+?) \| (.*?)\| (\w+) \|$/gm)].map(
    ([, description, roles, among]) => ({
      description,
      roles: roles!.trim(),
      among,
    }),
  );
  expect(listed).toEqual(Object.values(WORK).map((work) => ({ ...work, roles: work.roles.join(', ') })));
  for (const work of Object.keys(WORK) as Work[]) expect(does('all', work)).toBe(true);
});
