import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leaseReport, moveReport, type ReportWork, settleReport } from '../../commands/reports/work-on-report.ts';
import { turnReportSwitch } from '../../commands/reports/turn-switch.ts';
import { createReportLeases } from '../../infra/postgresql/leases/report-stores.ts';
import { type AccountReportEvent, readReportEvent } from '../../domain/events/report-events.ts';
import { derivedId } from '../../domain/identifiers.ts';
import { type EventLog, OutcomeUnknown } from '../../domain/ports/event-log.ts';
import { Rejection } from '../../domain/rejections.ts';
import { CLOSED_REPORT_STATUSES, REPORT_STATUSES, type ReportStatus } from '../../domain/reports.ts';
import { accountReportsStream, reportStream } from '../../domain/streams.ts';
import { createReportSettler } from '../../src/processors/reactors/reports/report-reactors.ts';
import { DAY_MS, openFreshCivic, type TestCivic } from '../support/civic.ts';
import { testSeed } from '../support/test-seed.ts';
import { testRuns } from '../support/test-runs.ts';
import { submitted } from '../support/civic-reports.ts';

const REPORTS = 3;
const BUDGET = 8;
const HOLDERS = ['ann', 'bob', 'worker'] as const;

type Fault = 'none' | 'lost before' | 'lost after' | 'crash before' | 'crash after';
type Step =
  | {
      readonly kind: 'lease';
      readonly report: number;
      readonly holder: number;
      readonly seconds: number;
      readonly fault: Fault;
    }
  | {
      readonly kind: 'move';
      readonly report: number;
      readonly holder: number;
      /** A move by the holder of the lease along an arrow; most other moves are refused. */
      readonly aimed: boolean;
      /** Index among the tokens of the holder, the newest being 0. */
      readonly tokenAge: number;
      readonly to: number;
      readonly says: boolean;
      readonly names: boolean;
      readonly stale: boolean;
      readonly fault: Fault;
    }
  | { readonly kind: 'release'; readonly report: number; readonly holder: number }
  | { readonly kind: 'race'; readonly report: number }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'turn'; readonly paused: boolean }
  | { readonly kind: 'lose leases' }
  | { readonly kind: 'settle'; readonly times: number };

const report = fc.nat({ max: REPORTS - 1 });
const holder = fc.nat({ max: HOLDERS.length - 1 });
const fault = fc.constantFrom<Fault>(
  'none',
  'none',
  'none',
  'lost before',
  'lost after',
  'crash before',
  'crash after',
);
const kind = <K extends string>(name: K) => fc.constant(name);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: kind('lease'), report, holder, seconds: fc.integer({ min: 1, max: 60 }), fault }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: kind('move'),
      report,
      holder,
      aimed: fc.constantFrom(true, true, true, false),
      tokenAge: fc.constantFrom(0, 0, 0, 1),
      to: fc.nat({ max: REPORT_STATUSES.length - 1 }),
      says: fc.constantFrom(true, true, true, false),
      names: fc.constantFrom(true, true, false),
      stale: fc.constantFrom(false, false, false, true),
      fault,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('release'), report, holder }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('race'), report }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('wait'), seconds: fc.constantFrom(1, 10, 45, 86_400) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('turn'), paused: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('lose leases') }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('settle'), times: fc.integer({ min: 1, max: 2 }) }) },
);

/** The table of transitions in the model. */
const ARROWS: Readonly<Record<string, string>> = {
  received: 'investigating out_of_scope declined',
  investigating: 'awaiting_source gap_confirmed resolved already_available not_found out_of_scope declined',
  awaiting_source: 'investigating resolved already_available not_found declined',
  gap_confirmed: 'backfilling resolved awaiting_source declined',
  backfilling: 'resolved gap_confirmed',
};
const isClosed = (status: ReportStatus) => (CLOSED_REPORT_STATUSES as readonly string[]).includes(status);

interface ModelReport {
  readonly id: string;
  readonly accountId: string;
  status: ReportStatus;
  /** Revision of the last move and of the last event. */
  moved: number;
  revision: number;
  /** A lease that was taken and not recorded blocks others, and allows no move. */
  lease: { holder: string; token: number; until: number; recorded: boolean } | null;
  /** Tokens of each holder, newest last. */
  readonly given: Map<string, number[]>;
  highest: number;
}
interface Model {
  readonly reports: readonly ModelReport[];
  readonly begun: Map<number, number>;
  paused: boolean;
}

class Crashed extends Error {}
let civic: TestCivic;
beforeAll(async () => {
  civic = await openFreshCivic();
});
afterAll(() => civic?.close());

/** One append of the command has the fault; the fault determines what it stores. */
function workWith(fault: Fault): ReportWork {
  let met = fault === 'none';
  const log: EventLog = {
    ...civic.log,
    append: async (append) => {
      if (met) return civic.log.append(append);
      met = true;
      if (fault.endsWith('after')) await civic.log.append(append);
      throw fault.startsWith('lost') ? new OutcomeUnknown('the connection was lost') : new Crashed('the process died');
    },
  };
  const { clock, identifiers } = civic;
  return { log, clock, identifiers, leases: createReportLeases(civic.database.transactor), deadlineMs: 10_000 };
}

const day = () => Math.floor(civic.clock.now() / DAY_MS);
const current = ({ lease }: ModelReport) => (lease !== null && lease.until > civic.clock.now() ? lease : null);

function refusesLease(model: Model, one: ModelReport, holder: string): string | null {
  if (model.paused) return 'worker_paused';
  if (isClosed(one.status)) return 'invalid_transition';
  const lease = current(one);
  if (lease !== null) return lease.holder === holder ? null : 'lease_conflict';
  return (model.begun.get(day()) ?? 0) >= BUDGET ? 'budget_exhausted' : null;
}

async function lease(model: Model, { report: nth, holder: number, seconds, fault }: Extract<Step, { kind: 'lease' }>) {
  const one = model.reports[nth]!;
  const holder = HOLDERS[number]!;
  const refused = refusesLease(model, one, holder);
  const renews = current(one)?.holder === holder;
  const request = {
    reportId: one.id,
    accountId: one.accountId,
    holder,
    leaseMs: seconds * 1000,
    dailyBudget: BUDGET,
    whilePaused: false,
  };
  const outcome = await leaseReport(workWith(fault), request).catch((error: unknown) => {
    if (error instanceof Crashed) return error;
    throw error;
  });
  if (refused !== null) {
    expect(outcome).toMatchObject({ code: refused });
    return;
  }
  if (!renews) model.begun.set(day(), (model.begun.get(day()) ?? 0) + 1);
  const until = Math.max(renews ? one.lease!.until : 0, civic.clock.now() + seconds * 1000);
  if (outcome instanceof Crashed) {
    // A lease that was taken and not recorded: it blocks others until it ends or its holder takes it again.
    const lease = await workWith('none').leases.current(one.id, civic.clock.now());
    const recorded = fault === 'crash after' || (renews && one.lease!.recorded);
    one.lease = { holder, token: lease!.token, until, recorded };
    if (fault === 'crash after') one.revision += 1;
    if (recorded) one.highest = Math.max(one.highest, lease!.token);
    return;
  }
  if (outcome instanceof Rejection) throw new Error(`refused with ${outcome.code}`);
  const { token } = outcome.lease;
  if (renews) expect(token).toBe(one.lease!.token);
  else expect(token).toBeGreaterThan(one.highest);
  one.highest = Math.max(one.highest, token);
  one.lease = { holder, token, until, recorded: true };
  const leases = one.given.get(holder) ?? [];
  if (leases.at(-1) !== token) one.given.set(holder, [...leases, token]);
  one.revision = outcome.state.revision;
  expect(outcome.state).toMatchObject({ status: one.status, holder, fencingToken: token });
}

function refusesMove(one: ModelReport, { holder, token, to, move }: Mover): string | null {
  const lease = current(one);
  if (lease === null || lease.holder !== holder || lease.token !== token || !lease.recorded) return 'lease_conflict';
  if (move.stale && one.moved >= 0) return 'state_conflict';
  if (!(ARROWS[one.status] ?? '').split(' ').includes(to)) return 'invalid_transition';
  if (isClosed(to) && !move.says) return 'resolution_incomplete';
  return (to === 'resolved' || to === 'already_available') && !move.names ? 'resolution_incomplete' : null;
}

interface Mover {
  readonly holder: string;
  readonly token: number;
  readonly to: ReportStatus;
  readonly move: Extract<Step, { kind: 'move' }>;
}

function moverOf(one: ModelReport, move: Mover['move']): Mover {
  const arrows = (ARROWS[one.status] ?? '').split(' ').filter((to) => to !== '') as ReportStatus[];
  if (move.aimed && one.lease !== null && arrows.length > 0) {
    return {
      holder: one.lease.holder,
      token: one.lease.token - move.tokenAge,
      to: arrows[move.to % arrows.length]!,
      move,
    };
  }
  const holder = HOLDERS[move.holder]!;
  return { holder, token: one.given.get(holder)?.at(-1 - move.tokenAge) ?? 1, to: REPORT_STATUSES[move.to]!, move };
}

const RECORD = { itemId: derivedId('test', 'item'), sourceUrl: 'https://example.org/item' };
async function move(model: Model, request: Extract<Step, { kind: 'move' }>) {
  const one = model.reports[request.report]!;
  const mover = moverOf(one, request);
  const { holder, token, to } = mover;
  const refused = refusesMove(one, mover);
  const expectedRevision = request.stale ? Math.max(-1, one.moved - 1) : one.revision;
  const statement = {
    reasonCode: null,
    finding: request.says ? 'It is so.' : null,
    nextAction: null,
    nextCheckAt: null,
  };
  const moves = [{ ...statement, to, verifiedRecords: request.names ? [RECORD] : [] }] as const;
  const outcome = await moveReport(workWith(request.fault), { reportId: one.id, holder, token }, expectedRevision, {
    moves,
    note: null,
  }).catch((error: unknown) => {
    if (error instanceof Crashed) return error;
    throw error;
  });
  if (refused !== null) {
    expect(outcome).toMatchObject({ kind: 'rejected', rejection: { code: refused } });
    return;
  }
  if (outcome instanceof Crashed) {
    if (request.fault === 'crash before') return;
  } else {
    expect(outcome).toMatchObject({ kind: 'appended' });
    if (isClosed(to)) one.lease = null;
  }
  one.status = to;
  one.revision += 1;
  one.moved = one.revision;
}

/** Two holders that take the same free report at once. */
async function race(model: Model, { report: nth }: Extract<Step, { kind: 'race' }>) {
  const one = model.reports[nth]!;
  const rivals = ['racer one', 'racer two'];
  if (refusesLease(model, one, rivals[0]!) !== null || current(one) !== null) return;
  const request = {
    reportId: one.id,
    accountId: one.accountId,
    leaseMs: 5000,
    dailyBudget: BUDGET,
    whilePaused: false,
  };
  const outcomes = await Promise.all(
    rivals.map((rival) => leaseReport(workWith('none'), { ...request, holder: rival })),
  );
  const won = outcomes.flatMap((outcome) => (outcome instanceof Rejection ? [] : [outcome]));
  expect(won).toHaveLength(1);
  expect(outcomes.find((outcome) => outcome instanceof Rejection)).toMatchObject({ code: 'lease_conflict' });
  const { lease, state } = won[0]!;
  expect(lease.token).toBeGreaterThan(one.highest);
  one.lease = { holder: lease.holder, token: lease.token, until: lease.leaseUntil, recorded: true };
  one.highest = lease.token;
  one.revision = state.revision;
  model.begun.set(day(), (model.begun.get(day()) ?? 0) + 1);
}

async function settle(model: Model, times: number) {
  const batch = (
    await Promise.all(model.reports.map(({ id }) => civic.log.readStream(reportStream(id), -1, 1000)))
  ).flat();
  const moves = batch.filter(({ type }) => type === 'DataReportMoved');
  const running = { signal: new AbortController().signal, confirm: async () => undefined };
  for (let time = 0; time < times; time++) await createReportSettler(civic).begin()(moves, running);
}

async function run(model: Model, one: Step): Promise<void> {
  switch (one.kind) {
    case 'lease':
      return lease(model, one);
    case 'move':
      return move(model, one);
    case 'race':
      return race(model, one);
    case 'settle':
      return settle(model, one.times);
    case 'wait':
      return civic.clock.advance(one.seconds * 1000);
    case 'turn':
      await turnReportSwitch(
        civic,
        'worker',
        { paused: one.paused, by: 'test', reason: null },
        civic.clock.now() + 10_000,
      );
      model.paused = one.paused;
      return;
    case 'lose leases':
      await civic.rows('delete from civic.report_leases');
      for (const each of model.reports) each.lease = null;
      return;
    case 'release': {
      const { id, lease } = model.reports[one.report]!;
      const holder = HOLDERS[one.holder]!;
      if (lease === null || lease.holder !== holder) return;
      await workWith('none').leases.release({ reportId: id, holder, token: lease.token });
      model.reports[one.report]!.lease = null;
    }
  }
}

/** Invariants of the events alone. */
async function expectSound({ id, status, accountId }: ModelReport) {
  let [at, holder, token, closings] = ['received' as ReportStatus, '', 0, 0];
  for (const { type, data } of (await civic.log.readStream(reportStream(id), -1, 1000)).map(readReportEvent)) {
    if (type === 'DataReportLeased') {
      expect(data.fencingToken).toBeGreaterThan(token);
      [holder, token] = [data.holder, data.fencingToken];
      continue;
    }
    expect([data.holder, data.fencingToken]).toEqual([holder, token]);
    if (type !== 'DataReportMoved') continue;
    expect([data.from, (ARROWS[at] ?? '').split(' ')]).toEqual([at, expect.arrayContaining([data.to])]);
    at = data.to;
    closings += isClosed(at) ? 1 : 0;
  }
  expect([at, closings]).toEqual([status, isClosed(status) ? 1 : 0]);
  const events = (await civic.log.readStream(accountReportsStream(accountId), -1, 1000)).map(
    ({ type, data }) => ({ type, data: JSON.parse(data) as unknown }) as AccountReportEvent,
  );
  const settled = events.filter(({ type, data }) => type === 'DataReportSettled' && data.reportId === id);
  expect(settled).toHaveLength(isClosed(status) ? 1 : 0);
}

let runs = 0;
async function freshModel(): Promise<Model> {
  runs += 1;
  // A separate budget.
  civic.clock.advance(DAY_MS);
  await civic.rows('delete from civic.report_leases');
  await turnReportSwitch(civic, 'worker', { paused: false, by: 'test', reason: null }, civic.clock.now() + 10_000);
  const accountId = derivedId('test', 'lifecycle', runs);
  const reports = Array.from({ length: REPORTS }, (): ModelReport => {
    const id = civic.identifiers.next();
    return { id, accountId, status: 'received', moved: -1, revision: -1, lease: null, given: new Map(), highest: 0 };
  });
  const events = reports.map(({ id }, nth) => ({
    id: derivedId('test', 'submitted', id),
    schemaVersion: 1,
    ...submitted(id, nth, 0),
    metadata: { commandId: id },
    time: civic.clock.now(),
  }));
  const stored = events.map(({ data, ...event }) => ({ ...event, data: JSON.stringify(data) }));
  await civic.log.append({ stream: accountReportsStream(accountId), expectedRevision: -1, events: stored });
  return { reports, begun: new Map(), paused: false };
}

test('no random lease, move or crash puts a report in two states, loses it, or moves it without its lease', async () => {
  const seed = testSeed();
  let moved = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const model = await freshModel();
      for (const one of steps) await run(model, one);
      await settle(model, 2);
      for (const each of model.reports) await expectSound(each);
      moved += model.reports.filter(({ moved: at }) => at >= 0).length;
      for (const [date, begun] of model.begun) {
        expect(begun).toBeLessThanOrEqual(BUDGET);
        expect(await workWith('none').leases.countBegun(date * DAY_MS)).toBe(begun);
      }
    }),
    { seed, numRuns: testRuns(40), endOnFailure: false },
  );
  expect(moved).toBeGreaterThan(30);
});

test('a report that two callers close at once is closed once', async () => {
  const [one] = (await freshModel()).reports;
  const settling = {
    accountId: one!.accountId,
    reportId: one!.id,
    closedAt: '2026-01-05T00:00:00.000Z',
    causedBy: one!.id,
  };
  const tell = (command: string) =>
    settleReport(civic, { ...settling, commandId: derivedId('test', command, one!.id) }, civic.clock.now() + 10_000);
  await Promise.all([tell('one'), tell('one'), tell('two')]);
  const types = (await civic.log.readStream(accountReportsStream(one!.accountId), -1, 100)).map(({ type }) => type);
  expect(types.filter((type) => type === 'DataReportSettled')).toHaveLength(1);
});
