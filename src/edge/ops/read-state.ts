import type { Clock } from '../../../domain/ports/clock.ts';
import type { Rates, Watched } from './operations-watch.ts';
import type { OpsState, Problem, Shared } from './ops-state.ts';
import type { ProcessState } from './process-state.ts';
import type { Operations } from '../../../queries/operators/read-operations.ts';
import { source } from '../../../domain/records/schemas.ts';

interface OpsStateParts {
  readonly watch: () => Promise<Watched>;
  readonly ofProcess: Pick<ProcessState, 'read'>;
  /** The machine's. */
  readonly clock: Pick<Clock, 'now'>;
}

const isoOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** Answers `GET /ops/state`; never fails and never waits long, whatever the database does. Viewers of one second share an answer. */
export function createReadOpsState({ watch, ofProcess, clock }: OpsStateParts): () => Promise<OpsState> {
  let asked: Promise<OpsState> | undefined;
  const read = async (): Promise<OpsState> => {
    const { reachable, since, newest } = await watch();
    const database = { state: reachable, since: since === null ? null : isoOf(since) };
    const shared = newest === null ? null : sharedState(newest.operations, newest.rates, newest.at);
    return { at: isoOf(clock.now()), problems: [...problemsOf({ database, shared })], database, shared, process: ofProcess.read() };
  };
  return () => {
    asked ??= read().finally(() => (asked = undefined));
    return asked;
  };
}

const SLOW_SECONDS = 60;
const NAMED = 3;

const failing = (text: string): Problem => ({ severity: 'failing', text });
const attention = (text: string): Problem => ({ severity: 'attention', text });

/** Problems, worst first: what cannot be read or written, then what stands still, then what lags. */
function problemsOf(state: Pick<OpsState, 'database' | 'shared'>): readonly Problem[] {
  const { shared } = state;
  const found = [...ofDatabase(state.database), ...(shared === null ? [] : ofShared(shared))];
  return [...found.filter(({ severity }) => severity === 'failing'), ...found.filter(({ severity }) => severity === 'attention')];
}

function ofDatabase({ state }: OpsState['database']): readonly Problem[] {
  switch (state) {
    case 'answers':
      return [];
    case 'slow':
      return [attention('The database or the log is slow to answer; the figures may be old')];
    case 'hangs':
      return [failing('The database or the log hangs: it takes questions and answers none; the figures are old')];
    case 'unreachable':
      return [failing('The database cannot be read; the figures are old')];
    case 'log-unreachable':
      return [failing('The log cannot be reached: nothing can be written; the figures are old')];
  }
}

const ofShared = (shared: Shared): readonly Problem[] => [
  ...shared.setBacks.map(({ held, head, noticedAt }) =>
    failing(`The log was set back from ${held} to ${head}, noticed ${noticedAt}; run civic feed acknowledge once you have seen this`),
  ),
  ...shared.projections.flatMap(({ name, state, reason, lagSeconds }) => {
    if (state === 'paused') return [failing(`Projection ${name} is paused: ${reason ?? 'no reason is known'}`)];
    if (state === 'stopped') return [failing(`Projection ${name} stands still: no process folds it`)];
    return lagSeconds > SLOW_SECONDS ? [attention(`Projection ${name} is ${Math.round(lagSeconds)} s behind`)] : [];
  }),
  ...shared.reactors.flatMap(({ name, state, reason }) => {
    if (state === 'paused') return [failing(`Reactor ${name} is paused: ${reason ?? 'no reason is known'}`)];
    return state === 'stopped' ? [attention(`Reactor ${name} stands still: no process runs it`)] : [];
  }),
  ...shared.rebuilds.flatMap(({ name, state, reason }) => {
    if (state === 'refused') return [attention(`The rebuild of ${name} was refused: ${reason ?? 'no reason is known'}`)];
    return state === 'paused' ? [attention(`The rebuild of ${name} is paused: ${reason ?? 'no reason is known'}`)] : [];
  }),
  ...ofSources(shared.sources),
  ...shared.payments
    .filter(({ state, count }) => state === 'RECONCILE' && count > 0)
    .map(({ count }) => attention(`${count} ${count === 1 ? 'payment' : 'payments'} of unknown outcome to reconcile`)),
];

function ofSources({ bad, more }: Shared['sources']): readonly Problem[] {
  if (bad.length === 0) return [];
  const names = bad.slice(0, NAMED).map(({ place, status }) => `${place} (${status})`);
  const others = bad.length + more - names.length;
  const all = bad.length + more;
  const listed = `${names.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  return [attention(`${all} ${all === 1 ? 'source is' : 'sources are'} not well: ${listed}`)];
}

const LISTED_SOURCES = 20;
const BAD = ['failing', 'stale'];

/** A reading as it is shown; `at` in milliseconds. */
function sharedState(operations: Operations, rates: Rates, at: number): Shared {
  const { log, reactors, exports, reports, payments } = operations;
  return {
    at: new Date(at).toISOString(),
    log: { position: log.events ?? log.head, perSecond: rates.log },
    feed: { position: operations.feedPosition, perSecond: rates.feed },
    projections: operations.projections.filter(({ serves }) => serves).map((each) => liveProjection(each, rates)),
    rebuilds: operations.projections.filter(({ serves, state }) => !serves && state !== 'kept').map((each) => rebuild(each, operations)),
    reactors: reactors.map(({ name, state, handled, ...rest }) => ({
      name,
      state,
      handled,
      ...behind(rest),
      rate: rates.reactors.get(name) ?? null,
    })),
    ...exports,
    openReports: [...reports.open.values()].reduce((sum, count) => sum + count, 0),
    sources: sourcesOf(operations.sources),
    payments: [...payments].map(([state, count]) => ({ state, count })).toSorted((a, b) => a.state.localeCompare(b.state)),
    setBacks: operations.setBacks.map(({ held, head, noticedAt }) => ({ held, head, noticedAt: new Date(noticedAt).toISOString() })),
  };
}

type Projection = Operations['projections'][number];

const behind = (of: Pick<Projection, 'lagEvents' | 'lagSeconds' | 'owner' | 'reason' | 'poisonEvent'>) => ({
  lagEvents: of.lagEvents,
  lagSeconds: of.lagSeconds,
  owner: of.owner,
  reason: of.reason,
  poisonEvent: of.poisonEvent,
});

/** Its rate is of the last seconds: that of its owner's last stretch of work would stand there long after it. */
const liveProjection = (each: Projection, rates: Rates): Shared['projections'][number] => ({
  name: each.name,
  state: each.state === 'paused' || each.state === 'stopped' ? each.state : 'live',
  eventsRead: each.eventsRead,
  ...behind(each),
  rate: rates.projections.get(each.name) ?? null,
});

/** Measured along the log; where that cannot be counted, along what the live generation has folded. */
function rebuild(each: Projection, { log, projections }: Operations): Shared['rebuilds'][number] {
  const live = projections.find(({ name, serves }) => serves && name === each.name);
  const done = each.eventsRead ?? each.folded;
  return {
    name: each.name,
    generation: each.generation,
    state: each.state === 'live' || each.state === 'stopped' || each.state === 'kept' ? 'building' : each.state,
    done,
    of: Math.max(done, (each.eventsRead === null ? live?.folded : log.events) ?? done),
    rate: each.rate,
    secondsLeft: each.leftSeconds,
    owner: each.owner,
    reason: each.reason,
  };
}

function sourcesOf(sources: Operations['sources']): Shared['sources'] {
  const bad = sources
    .filter(({ status }) => BAD.includes(status))
    .toSorted((a, b) => a.status.localeCompare(b.status) || b.consecutiveFailures - a.consecutiveFailures);
  return {
    byStatus: source.shape.status.options.flatMap((status) => {
      const count = sources.filter((each) => each.status === status).length;
      return count === 0 ? [] : [{ status, count }];
    }),
    bad: bad.slice(0, LISTED_SOURCES).map((each) => ({
      sourceId: each.sourceId,
      place: each.bodySlug === undefined ? each.jurisdictionSlug : `${each.jurisdictionSlug}/${each.bodySlug}`,
      sourceType: each.sourceType,
      status: each.status,
      consecutiveFailures: each.consecutiveFailures,
      lastSuccessAt: each.lastSuccessfulCheckAt ?? null,
    })),
    more: Math.max(0, bad.length - LISTED_SOURCES),
  };
}
