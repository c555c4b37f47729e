import type { Operations } from '../../../queries/operators/read-operations.ts';
import { source } from '../../../domain/records/schemas.ts';
import type { Rates } from './operations-watch.ts';
import type { Shared } from './ops-state.ts';

const LISTED_SOURCES = 20;
const BAD = ['failing', 'stale'];

/** A reading as it is shown; `at` in milliseconds. */
export function sharedState(operations: Operations, rates: Rates, at: number): Shared {
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
