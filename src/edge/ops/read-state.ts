import type { Clock } from '../../../domain/ports/clock.ts';
import { source } from '../../../domain/records/schemas.ts';
import type { Operations } from '../../../queries/operators/read-operations.ts';
import type { Figures, Watched } from './operations-watch.ts';
import type { LastHour } from './last-hour.ts';
import type { ProcessState } from './process-state.ts';

interface Problem {
  readonly severity: 'failing' | 'attention';
  readonly text: string;
}

type Shared = ReturnType<typeof sharedState>;
type Database = ReturnType<typeof databaseState>;

/** The state that the operations page shows. Times are ISO 8601; rates are per second and null until measured. */
export type OpsState = Awaited<ReturnType<ReturnType<typeof createReadOpsState>>>;

const formatTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

interface OpsStateParts {
  readonly watch: () => Promise<Watched>;
  readonly ofProcess: Pick<ProcessState, 'read'>;
  readonly lastHour: Pick<LastHour, 'read'>;
  /** Replay retention, in milliseconds. */
  readonly retentionMs: number;
  readonly serviceClock: Pick<Clock, 'now'>;
  readonly machineClock: Pick<Clock, 'now'>;
  /** The service's time during a trial, when it differs from the machine's. */
  readonly trialTime: (() => number) | null;
  /** Free bytes of the disk with the embedded database; null for another server. */
  readonly freeDiskBytes: () => Promise<number | null>;
}

/**
 * Creates the reader of the state. It never fails or waits long, even if the database does. Viewers within a second
 * share an answer.
 */
export function createReadOpsState(parts: OpsStateParts) {
  const { watch, ofProcess, lastHour, machineClock } = parts;
  let pending: ReturnType<typeof readState> | undefined;
  async function readState() {
    const watched = await watch();
    const { newest } = watched;
    const database = databaseState(watched);
    /** The last successful reading; null before the first. */
    const shared = newest === null ? null : sharedState(newest.operations, newest.rates, newest.at);
    const trialTime = parts.trialTime === null ? null : formatTime(parts.trialTime());
    const freeDiskBytes = await parts.freeDiskBytes().catch(() => null);
    const readers = newest === null ? [] : listReaders(newest.operations.readers, parts);
    const problems = findProblems({ database, shared, trialTime, freeDiskBytes, readers });
    const at = formatTime(machineClock.now());
    return {
      at,
      problems,
      database,
      shared,
      trialTime,
      freeDiskBytes,
      readers,
      lastHour: lastHour.read(),
      process: ofProcess.read(),
    };
  }
  return () => (pending ??= readState().finally(() => (pending = undefined)));
}

const databaseState = ({ reachable, since }: Watched) => ({
  state: reachable,
  since: since === null ? null : formatTime(since),
});
interface StateInputs {
  readonly database: Database;
  readonly shared: Shared | null;
  readonly trialTime: string | null;
  readonly freeDiskBytes: number | null;
  readonly readers: ReturnType<typeof listReaders>;
}

const TWO_DAYS_MS = 2 * 86_400_000;
/** Share of a short retention, so that a customer at the head is not reported. */
const SHARE = 1 / 10;

/**
 * Lists readers of the feed, starting with the one whose cursor expires first: when its next change leaves the
 * retention.
 */
const listReaders = (readers: Operations['readers'], { retentionMs, serviceClock }: OpsStateParts) =>
  readers.map(({ keyId, accountId, readAt, unreadSince }) => {
    const leftMs = (unreadSince ?? readAt) + retentionMs - serviceClock.now();
    const isLittle = leftMs < Math.min(TWO_DAYS_MS, retentionMs * SHARE);
    return { keyId, accountId, lastReadAt: formatTime(readAt), secondsLeft: leftMs / 1000, isLittle };
  });

const LITTLE_DISK = 512 * 1_048_576;
const SLOW_SECONDS = 60;
const OLD_BACKUP_SECONDS = 2 * 86_400;
const NAMED = 3;
const failing = (text: string): Problem => ({ severity: 'failing', text });
const attention = (text: string): Problem => ({ severity: 'attention', text });

/** Lists problems, worst first: unreachable stores, then stopped work, then lag. */
function findProblems({ database, shared, trialTime, freeDiskBytes, readers }: StateInputs): readonly Problem[] {
  const isFull = freeDiskBytes !== null && freeDiskBytes < LITTLE_DISK;
  const problems = [
    DATABASE_PROBLEMS[database.state] ?? [],
    isFull
      ? failing(`Only ${Math.round(freeDiskBytes / 1_048_576)} MiB of disk are free: a full disk stops every write`)
      : [],
    shared === null ? [] : ofShared(shared),
    ...readers
      .filter(({ secondsLeft, isLittle }) => secondsLeft > 0 && isLittle)
      .map(({ accountId, keyId, secondsLeft }) =>
        attention(
          `The cursor of key ${keyId} of account ${accountId} expires in ${Math.floor(secondsLeft / 3600)} h: it then needs a new snapshot`,
        ),
      ),
    trialTime === null
      ? []
      : attention(
          `TRIAL CLOCK: the time of the service is ${trialTime}, by a CIVIC_CLOCK_START that this database keeps`,
        ),
  ].flat();
  return [
    ...problems.filter(({ severity }) => severity === 'failing'),
    ...problems.filter(({ severity }) => severity === 'attention'),
  ];
}

const DATABASE_PROBLEMS: Readonly<Record<Database['state'], Problem | null>> = {
  answers: null,
  slow: attention('The database or the log is slow to answer; the figures may be old'),
  hangs: failing('The database or the log hangs: it accepts requests but does not answer; the figures are outdated'),
  unreachable: failing('The database cannot be read; the figures are old'),
  'log-unreachable': failing('The log cannot be reached: nothing can be written; the figures are old'),
};

const ofShared = (shared: Shared): readonly Problem[] => [
  ...shared.setBacks.map(({ held, head, noticedAt }) =>
    failing(
      `The log was set back from ${held} to ${head}, noticed ${noticedAt}; run civic feed acknowledge once you have seen this`,
    ),
  ),
  ...shared.projections.flatMap(({ name, state, reason, lagSeconds }) => {
    if (state === 'paused') return [failing(`Projection ${name} is paused: ${reason ?? 'no reason is known'}`)];
    if (state === 'stopped') return [failing(`Projection ${name} is stopped: no process folds it`)];
    return lagSeconds > SLOW_SECONDS ? [attention(`Projection ${name} is ${Math.round(lagSeconds)} s behind`)] : [];
  }),
  ...shared.reactors.flatMap(({ name, state, reason }) => {
    if (state === 'paused') return [failing(`Reactor ${name} is paused: ${reason ?? 'no reason is known'}`)];
    return state === 'stopped' ? [attention(`Reactor ${name} is stopped: no process runs it`)] : [];
  }),
  ...shared.rebuilds.flatMap(({ name, state, reason }) => {
    if (state === 'refused')
      return [attention(`The rebuild of ${name} was refused: ${reason ?? 'no reason is known'}`)];
    return state === 'paused' ? [attention(`The rebuild of ${name} is paused: ${reason ?? 'no reason is known'}`)] : [];
  }),
  ...(shared.backupSeconds !== null && shared.backupSeconds > OLD_BACKUP_SECONDS
    ? [attention(`The newest verified backup is ${Math.floor(shared.backupSeconds / 86_400)} days old`)]
    : []),
  ...(shared.unclassified === 0
    ? []
    : [
        attention(
          `${shared.unclassified} agenda ${shared.unclassified === 1 ? 'item has' : 'items have'} no hits because the classifier failed: civic reactors unclassified`,
        ),
      ]),
  ...ofSources(shared.sources),
  ...shared.payments
    .filter(({ state, count }) => state === 'RECONCILE' && count > 0)
    .map(({ count }) => attention(`${count} ${count === 1 ? 'payment' : 'payments'} of unknown outcome to reconcile`)),
];

function ofSources({ listed: sources, badCount: all }: Shared['sources']): readonly Problem[] {
  if (all === 0) return [];
  const names = sources
    .slice(0, Math.min(NAMED, all))
    .map(({ place, status, failure }) => `${place} (${status}${failure === undefined ? '' : `: ${failure}`})`);
  const others = all - names.length;
  const listed = `${names.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  return [attention(`${all} ${all === 1 ? 'source is' : 'sources are'} not well: ${listed}`)];
}

const LISTED_SOURCES = 50;
type Source = Operations['sources'][number];
const formatPlace = ({ jurisdictionSlug, bodySlug }: Pick<Source, 'jurisdictionSlug' | 'bodySlug'>): string =>
  bodySlug === undefined ? jurisdictionSlug : `${jurisdictionSlug}/${bodySlug}`;

const BAD = ['failing', 'stale'];

/** Returns the state that all processes share. `at` is in milliseconds. */
function sharedState(operations: Operations, rates: Figures, at: number) {
  const { log, projections, reactors, exports, reports, payments } = operations;
  return {
    at: formatTime(at),
    log: { position: log.events ?? log.head, perSecond: rates.log },
    feed: { position: operations.feedPosition, perSecond: rates.feed },
    /** Rates are shown only for running processors: a stopped one would show its last rate for a long time. */
    projections: projections
      .filter(({ serves }) => serves)
      .map(({ eventsRead, ...each }) => ({
        ...follower(each, rates.projections),
        state: workingState(each.state),
        eventsRead,
      })),
    rebuilds: projections
      .filter(({ serves, state }) => !serves && state !== 'kept')
      .map((each) => rebuild(each, operations)),
    reactors: reactors.map(({ handled, ...each }) => ({
      ...follower(each, rates.reactors),
      state: each.state,
      handled,
    })),
    ...exports,
    databaseBytes: operations.databaseBytes,
    backupSeconds: operations.backupSeconds,
    unclassified: operations.unclassified,
    openReports: [...reports.open.values()].reduce((sum, count) => sum + count, 0),
    sources: describeSources([...operations.sources, ...operations.sourceChecks.flatMap(failedFirst)]),
    sourceReasons: listSourceReasons(operations.sourceChecks),
    payments: [...payments]
      .map(([state, count]) => ({ state, count }))
      .toSorted((a, b) => a.state.localeCompare(b.state)),
    /** Losses of history that no operator has acknowledged. */
    setBacks: operations.setBacks.map(({ held, head, noticedAt }) => ({
      held,
      head,
      noticedAt: formatTime(noticedAt),
    })),
  };
}

type Projection = Operations['projections'][number];
type Follower = Pick<Projection, 'name' | 'lagEvents' | 'lagSeconds' | 'owner' | 'reason' | 'poisonEvent'>;

function follower(
  { name, lagEvents, lagSeconds, owner, reason, poisonEvent }: Follower,
  rates: ReadonlyMap<string, number>,
) {
  return { name, lagEvents, lagSeconds, rate: rates.get(name) ?? null, owner, reason, poisonEvent };
}

const workingState = (state: Projection['state']) => (state === 'paused' || state === 'stopped' ? state : 'live');

/** Returns the progress of a rebuild, measured by the log, or by the live generation if the log cannot count. */
function rebuild(
  { name, generation, state, eventsRead, folded, rate, leftSeconds, owner, reason }: Projection,
  all: Operations,
) {
  const live = all.projections.find((each) => each.serves && each.name === name);
  const done = eventsRead ?? folded;
  return {
    name,
    generation,
    state: state === 'live' || state === 'stopped' || state === 'kept' ? 'building' : state,
    done,
    of: Math.max(done, (eventsRead === null ? live?.folded : all.log.events) ?? done),
    rate,
    secondsLeft: leftSeconds,
    owner,
    reason,
  };
}

const LISTED_REASONS = 50;

/** Returns why the last syncs left out rows or published meetings incompletely, the most frequent reasons first. */
function listSourceReasons(checks: Operations['sourceChecks']) {
  const all = checks.flatMap(({ sourceKey, reasons }) => reasons.map((reason) => ({ source: sourceKey, ...reason })));
  const listed = all.toSorted((a, b) => b.count - a.count).slice(0, LISTED_REASONS);
  return { listed, more: all.length - listed.length };
}

/** Returns a source whose first sync failed: it has no record. */
function failedFirst(check: Operations['sourceChecks'][number]): readonly DescribedSource[] {
  const { sourceKey, sourceIds, checkedAt, failure, failures } = check;
  if (failure === null || sourceIds.length > 0) return [];
  return [
    {
      sourceId: sourceKey,
      jurisdictionSlug: sourceKey,
      sourceType: 'other',
      status: 'failing',
      consecutiveFailures: failures,
      lastCheckedAt: new Date(checkedAt).toISOString(),
      lastCheckFailure: failure,
    },
  ];
}

type DescribedSource = Pick<
  Source,
  | 'sourceId'
  | 'jurisdictionSlug'
  | 'bodySlug'
  | 'sourceType'
  | 'status'
  | 'consecutiveFailures'
  | 'lastCheckedAt'
  | 'lastSuccessfulCheckAt'
  | 'lastCheckFailure'
>;

function describeSources(sources: readonly DescribedSource[]) {
  const isBad = ({ status }: { readonly status: string }): boolean => BAD.includes(status);
  const worstFirst = sources.toSorted(
    (a, b) =>
      Number(isBad(b)) - Number(isBad(a)) ||
      a.status.localeCompare(b.status) ||
      b.consecutiveFailures - a.consecutiveFailures ||
      formatPlace(a).localeCompare(formatPlace(b)),
  );
  return {
    byStatus: source.shape.status.options.flatMap((status) => {
      const count = sources.filter((each) => each.status === status).length;
      return count === 0 ? [] : [{ status, count }];
    }),
    badCount: sources.filter(isBad).length,
    /** Worst first. */
    listed: worstFirst
      .slice(0, LISTED_SOURCES)
      .map(({ sourceId, sourceType, status, consecutiveFailures, ...each }) => ({
        sourceId,
        place: formatPlace(each),
        sourceType,
        status,
        consecutiveFailures,
        lastCheckAt: each.lastCheckedAt ?? null,
        lastSuccessAt: each.lastSuccessfulCheckAt ?? null,
        ...(each.lastCheckFailure !== undefined && { failure: each.lastCheckFailure }),
      })),
    more: Math.max(0, sources.length - LISTED_SOURCES),
  };
}
