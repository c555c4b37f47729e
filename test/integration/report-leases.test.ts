import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nightlyTest } from '../support/nightly-test.ts';
import {
  leaseReport,
  moveReport,
  noteReport,
  type ReportWork,
  type WorkedReport,
} from '../../commands/reports/work-on-report.ts';
import type { ReportMove } from '../../commands/reports/report-decider.ts';
import { createReportLeases } from '../../infra/postgresql/leases/report-stores.ts';
import { readReportEvent } from '../../domain/events/report-events.ts';
import { Rejection } from '../../domain/rejections.ts';
import { reportStream } from '../../domain/streams.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { DAY_MS, untilTrue } from '../support/civic.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { openReports, type TestReports } from '../support/reports.ts';

const MAIN = fileURLToPath(new URL('../support/report-worker-main.ts', import.meta.url));
const LEASE_MS = 60_000;

let database: TestDatabase;
let reports: TestReports;
const children: ChildProcess[] = [];

beforeEach(async () => {
  database = await startTestDatabase();
  reports = await openReports(database.url);
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await reports.close();
  await database.close();
});

function start(...args: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: childEnvironment(),
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, next: async () => String((await lines.next()).value) };
}

const input = (number: number) => ({ sourceUrl: `https://example.org/${number}`, expectedRecord: `Record ${number}` });
async function submitted(count: number) {
  const ids: string[] = [];
  for (let number = 0; number < count; number++) ids.push(await reports.submit(`account ${number % 3}`, input(number)));
  return ids;
}
async function lease(
  reportId: string,
  holder: string,
  more: { leaseMs?: number; dailyBudget?: number; work?: ReportWork } = {},
) {
  const { accountId } = await reports.report(reportId);
  const { work = reports.work, leaseMs = LEASE_MS, dailyBudget = 1000 } = more;
  return leaseReport(work, { reportId, accountId, holder, leaseMs, dailyBudget, whilePaused: false });
}
async function leased(...args: Parameters<typeof lease>) {
  const outcome = await lease(...args);
  if (outcome instanceof Rejection) throw outcome;
  return outcome;
}
const EMPTY = { reasonCode: null, finding: null, nextAction: null, verifiedRecords: [], nextCheckAt: null };
async function move(report: WorkedReport, to: ReportMove['to'], work = reports.work, seen = 1000) {
  const handled = await moveReport(work, report, seen, { moves: [{ ...EMPTY, to, finding: 'It is so.' }], note: null });
  return handled.kind === 'rejected' ? handled.rejection.code : handled.kind;
}
const eventsOf = async (reportId: string) =>
  (await reports.log.readStream(reportStream(reportId), -1, 1000)).map(readReportEvent);

/** Holds for every report: each move belongs to its newest lease and starts at the status of the move before. */
async function expectSound(reportId: string) {
  let [status, holder, token] = ['received', '', 0];
  for (const { type, data } of await eventsOf(reportId)) {
    if (type === 'DataReportLeased') {
      expect(data.fencingToken).toBeGreaterThan(token);
      [holder, token] = [data.holder, data.fencingToken];
    } else {
      expect([data.holder, data.fencingToken]).toEqual([holder, token]);
    }
    if (type !== 'DataReportMoved') continue;
    expect(data.from).toBe(status);
    status = data.to;
  }
  expect((await reports.report(reportId)).status).toBe(status);
}

test('of four processes that want the same thirty reports each report is moved by one, under its lease', async () => {
  const ids = await submitted(30);
  const racers = [1, 2, 3, 4].map((seed) => start('race', database.url, String(seed), '1000', ...ids));
  for (const { next } of racers) expect(await next()).toBe('ready');
  for (const { child } of racers) child.stdin.write('go\n');
  const outcomes = await Promise.all(
    racers.map(async ({ next }) => JSON.parse(await next()) as Record<string, string>),
  );
  for (const id of ids) {
    expect(outcomes.filter((each) => each[id] === 'appended')).toHaveLength(1);
    for (const each of outcomes)
      expect(['appended', 'lease_conflict', 'state_conflict', 'invalid_transition']).toContain(each[id]);
    await expectSound(id);
  }
});

nightlyTest('four processes together begin no more investigations in a day than the budget allows', async () => {
  const ids = await submitted(24);
  const racers = [1, 2, 3, 4].map((seed) => start('race', database.url, String(seed), '10', ...ids));
  for (const { next } of racers) expect(await next()).toBe('ready');
  for (const { child } of racers) child.stdin.write('go\n');
  const outcomes = await Promise.all(
    racers.map(async ({ next }) => JSON.parse(await next()) as Record<string, string>),
  );
  expect(await reports.leases.countBegun(reports.clock.now())).toBe(10);
  const events = (await Promise.all(ids.map(eventsOf))).flat();
  expect(events.filter(({ type }) => type === 'DataReportLeased')).toHaveLength(10);
  expect(outcomes.flatMap((each) => Object.values(each))).toContain('budget_exhausted');
  reports.clock.advance(DAY_MS);
  expect(await lease(ids[0]!, 'tomorrow', { dailyBudget: 1 })).not.toBeInstanceOf(Rejection);
});

test('a worker that is killed between lease and move changes nothing, and another finishes the report', async () => {
  const [reportId] = await submitted(1);
  const { child, next } = start('stall', database.url, '1', '1000');
  expect(await next()).toBe('appending');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await reports.report(reportId!)).toMatchObject({ status: 'received' });
  expect(await reports.turn()).toMatchObject({ moved: [], skipped: [{ reportId, code: 'lease_conflict' }] });
  reports.clock.advance(LEASE_MS + 1);
  expect(await reports.turn()).toMatchObject({ moved: [{ reportId }], skipped: [] });
  await expectSound(reportId!);
});

/** A log that waits before it stores a move, until it is released. */
function stalling() {
  const waits = Promise.withResolvers<void>();
  let stalled = false;
  const log: ReportWork['log'] = {
    ...reports.log,
    append: async (append) => {
      if (append.events.some(({ type }) => type === 'DataReportMoved')) {
        stalled = true;
        await waits.promise;
      }
      return reports.log.append(append);
    },
  };
  return { work: { ...reports.work, log }, isStalled: () => stalled, goOn: waits.resolve };
}

test('a holder that was delayed between its check and its append moves nothing after a takeover', async () => {
  const [reportId] = await submitted(1);
  const first = await leased(reportId!, 'ann', { leaseMs: 1000 });
  const slow = stalling();
  const moving = move(first.lease, 'declined', slow.work);
  await untilTrue('it has decided', slow.isStalled);
  reports.clock.advance(1001);
  const second = await leased(reportId!, 'bob');
  expect(second.lease.token).toBeGreaterThan(first.lease.token);
  slow.goOn();
  expect(await moving).toBe('lease_conflict');
  expect(await move(second.lease, 'investigating')).toBe('appended');
  await expectSound(reportId!);
});

test('a takeover that was delayed before it was recorded gives no lease older than a later one', async () => {
  const [reportId] = await submitted(1);
  const waits = Promise.withResolvers<void>();
  let stalled = false;
  const log: ReportWork['log'] = {
    ...reports.log,
    append: async (append) => {
      stalled = true;
      await waits.promise;
      return reports.log.append(append);
    },
  };
  const taking = lease(reportId!, 'ann', { leaseMs: 1000, work: { ...reports.work, log } });
  await untilTrue('it is about to be recorded', () => stalled);
  reports.clock.advance(1001);
  const second = await leased(reportId!, 'bob');
  waits.resolve();
  expect(await taking).toMatchObject({ code: 'lease_conflict' });
  expect(await move(second.lease, 'investigating')).toBe('appended');
  await expectSound(reportId!);
});

test('a lease is acquired once, renewed for its holder, refused to others, and free after its end', async () => {
  const [reportId] = await submitted(1);
  const first = await leased(reportId!, 'ann');
  expect(await lease(reportId!, 'bob')).toMatchObject({
    code: 'lease_conflict',
    message: expect.stringContaining('ann') as string,
  });
  reports.clock.advance(LEASE_MS / 2);
  const again = await leased(reportId!, 'ann');
  expect(again.lease).toMatchObject({ token: first.lease.token, leaseUntil: reports.clock.now() + LEASE_MS });
  expect(await reports.leases.countBegun(reports.clock.now())).toBe(1);
  expect(await reports.leases.renew(again.lease, reports.clock.now(), 2 * LEASE_MS)).toBe(true);
  reports.clock.advance(LEASE_MS + 1);
  expect(await lease(reportId!, 'bob')).toBeInstanceOf(Rejection);
  await reports.leases.release(again.lease);
  expect(await move(again.lease, 'investigating')).toBe('lease_conflict');
  const bob = await leased(reportId!, 'bob');
  expect(bob.lease.token).toBe(first.lease.token + 1);
  await reports.leases.release(first.lease);
  expect(await reports.leases.current(reportId!, reports.clock.now())).toMatchObject({ holder: 'bob' });
  reports.clock.advance(LEASE_MS);
  expect(await reports.leases.current(reportId!, reports.clock.now())).toBeNull();
  expect([
    await move(bob.lease, 'investigating'),
    await reports.leases.renew(bob.lease, reports.clock.now(), 1),
  ]).toEqual(['lease_conflict', false]);
});

test('a lease longer than 30 days, or with an invalid duration, is refused', async () => {
  const [reportId] = await submitted(1);
  for (const leaseMs of [10_000 * 365.25 * 86_400_000, 30 * 86_400_000 + 1, 0, -1, 0.5, Number.NaN]) {
    expect(await lease(reportId!, 'ann', { leaseMs })).toMatchObject({ code: 'invalid_input' });
  }
  expect(await reports.leases.current(reportId!, reports.clock.now())).toBeNull();
  expect((await leased(reportId!, 'bob', { leaseMs: 30 * 86_400_000 })).lease.token).toBe(1);
});

test('the second of two takeovers at once waits for the first and finds the report leased', async () => {
  const [reportId] = await submitted(1);
  const { lease: before } = await leased(reportId!, 'ann');
  await reports.leases.release(before);
  const requestOf = (holder: string) => ({
    reportId: reportId!,
    holder,
    now: reports.clock.now(),
    leaseMs: LEASE_MS,
    above: before.token,
    budget: 9,
  });
  const first = Promise.withResolvers<void>();
  const taking = Promise.withResolvers<void>();
  const one = reports.database.transactor.transaction(async (transaction) => {
    const inside = createReportLeases({ transaction: (work) => work(transaction) });
    expect(await inside.take(requestOf('bob'))).toMatchObject({ kind: 'taken' });
    taking.resolve();
    await first.promise;
  });
  await taking.promise;
  const other = reports.leases.take(requestOf('eve'));
  await untilTrue('the other waits for the row', async () => {
    const waiting = await reports.rows(
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    );
    return waiting.length > 0;
  });
  first.resolve();
  await one;
  expect(await other).toMatchObject({ kind: 'held', lease: { holder: 'bob' } });
  expect(await reports.leases.countBegun(reports.clock.now())).toBe(2);
});

test('without its lease a report is neither moved nor noted', async () => {
  const [reportId] = await submitted(1);
  const none = { reportId: reportId!, holder: 'ann', token: 1 };
  expect(await move(none, 'investigating')).toBe('lease_conflict');
  const { lease } = await leased(reportId!, 'ann');
  expect(await move({ ...lease, holder: 'bob' }, 'investigating')).toBe('lease_conflict');
  expect(await move({ ...lease, token: lease.token + 1 }, 'investigating')).toBe('lease_conflict');
  const noted = await noteReport(reports.work, { ...lease, holder: 'bob' }, { note: 'n', nextCheckAt: null });
  expect(noted).toMatchObject({ kind: 'rejected', rejection: { code: 'lease_conflict' } });
  expect(await move(lease, 'investigating')).toBe('appended');
  await expectSound(reportId!);
});

test('tokens keep growing after the table of leases was lost, and older holders are refused', async () => {
  const [reportId] = await submitted(1);
  const before = await leased(reportId!, 'ann');
  await reports.rows('delete from civic.report_leases');
  const after = await leased(reportId!, 'bob');
  expect(after.lease.token).toBeGreaterThan(before.lease.token);
  expect([await move(before.lease, 'investigating'), await move(after.lease, 'investigating')]).toEqual([
    'lease_conflict',
    'appended',
  ]);
});

test('a closed report cannot be leased, and its lease ends with the closing', async () => {
  const [reportId] = await submitted(1);
  const { lease: currentLease } = await leased(reportId!, 'ann');
  expect(await move(currentLease, 'declined')).toBe('appended');
  expect(await reports.rows('select from civic.report_leases')).toHaveLength(0);
  expect(await lease(reportId!, 'bob')).toMatchObject({ code: 'invalid_transition' });
  expect(await reports.leases.countBegun(reports.clock.now())).toBe(1);
});

test('a move that was decided on an older state of the report is refused', async () => {
  const [reportId] = await submitted(1);
  const { lease, state } = await leased(reportId!, 'ann');
  expect(await move(lease, 'investigating', reports.work, state.revision)).toBe('appended');
  expect(await move(lease, 'gap_confirmed', reports.work, state.revision)).toBe('state_conflict');
  expect(await move(lease, 'gap_confirmed', reports.work, state.revision + 1)).toBe('appended');
});

test('text that no event may contain is refused before a write', async () => {
  const [reportId] = await submitted(1);
  const { lease } = await leased(reportId!, 'ann');
  const too = await moveReport(reports.work, lease, 9, {
    moves: [{ ...EMPTY, to: 'investigating', finding: 'x'.repeat(1001) }],
    note: null,
  });
  expect(too).toMatchObject({
    kind: 'rejected',
    rejection: { code: 'invalid_input', message: expect.stringContaining('finding') as string },
  });
  const long = await noteReport(reports.work, lease, { note: 'x'.repeat(4001), nextCheckAt: null });
  expect(long).toMatchObject({ kind: 'rejected', rejection: { code: 'invalid_input' } });
  expect((await eventsOf(reportId!)).map(({ type }) => type)).toEqual(['DataReportLeased']);
});
