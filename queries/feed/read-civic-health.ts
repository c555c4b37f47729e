import { sql } from 'slonik';
import { z } from 'zod';
import { encodeFeedCursor } from '../../domain/cursor.ts';
import type { Health } from '../../contract/read-civic-health.ts';
import { HEALTH_PARTS, type HealthPart, sourceStatusAt } from '../../domain/health.ts';
import type { UnclassifiedItems } from '../../domain/ports/classifier.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { LiveGeneration, LiveReads } from '../../domain/ports/projection.ts';
import { source } from '../../domain/records/schemas.ts';
import { resolveWithin } from '../../plumbing/retry.ts';
import { NOT_SUPERSEDED, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { type FeedHead, readFeedHead } from './feed-head.ts';
import {
  listProjections,
  type ListProjectionsDependencies,
  listReactors,
  type ListReactorsDependencies,
  type ProjectionStatus,
  type ReactorStatus,
} from '../operators/processors.ts';
import { unlessNull } from '../fields.ts';
import { liveTokens } from '../live-tables.ts';

const SLOW_PROJECTION_SECONDS = 60;

const sourceRow = z.object({
  source_id: z.string(),
  jurisdiction_slug: z.string(),
  body_slug: z.string().nullable(),
  data: z.object({
    sourceType: source.shape.sourceType,
    status: source.shape.status,
    agendaTextEvidence: source.shape.agendaTextEvidence,
    lastCheckedAt: source.shape.lastCheckedAt,
    lastSuccessfulCheckAt: source.shape.lastSuccessfulCheckAt,
    consecutiveFailures: source.shape.consecutiveFailures,
    lastCheckSkipped: source.shape.lastCheckSkipped,
    lastCheckDegraded: source.shape.lastCheckDegraded,
    lastCheckFailure: source.shape.lastCheckFailure,
  }),
});

function currentSources(live: LiveGeneration) {
  const { history, isLive } = liveTokens(RECORD_HISTORY, live);
  const newest = BigInt(NOT_SUPERSEDED);
  const current = (resource: string, id: ReturnType<typeof sql.fragment>) =>
    sql.fragment`(select body::json->>'slug' as slug from ${history}
      where resource = ${resource} and record_id = ${id} and superseded_at = ${newest} offset 0)`;
  const [jurisdictionId, publicBodyId] = [
    sql.fragment`(s.body::json->>'jurisdictionId')::uuid`,
    sql.fragment`(s.body::json->>'publicBodyId')::uuid`,
  ];
  // `offset 0` has the reason of `currentRow`, and `>=` the reason of `isCurrentInOrder`.
  return sql.type(sourceRow)`
    select s.record_id::text as source_id, j.slug as jurisdiction_slug, b.slug as body_slug, s.body::json as data
    from ${history} s
    cross join lateral ${current('jurisdictions', jurisdictionId)} j
    left join lateral ${current('public_bodies', publicBodyId)} b on true
    where s.resource = 'sources' and s.superseded_at >= ${newest} and ${isLive}
    order by 2, 3, 1`;
}

interface ReadCivicHealthDependencies extends ListProjectionsDependencies, ListReactorsDependencies {
  readonly reads: LiveReads;
  readonly logger: Logger;
  readonly unclassified: Pick<UnclassifiedItems, 'count'>;
  /** Deadline of each part in milliseconds. */
  readonly deadlineMs: number;
  /** `doubt` returns a reason while the read models do not match the log. */
  readonly history: { doubt(): string | null };
}

/**
 * Reads the health of the service and never fails. A part that fails or misses the deadline is named in `unanswered`,
 * and the fields that need it are null, absent or empty.
 */
export const createReadCivicHealth = (deps: ReadCivicHealthDependencies) => async (): Promise<Health> => {
  const checkedAt = new Date(deps.clock.now()).toISOString();
  const missing = new Set<HealthPart>();
  const readPart = async <Answer>(part: HealthPart, read: () => Promise<Answer>): Promise<Answer | null> => {
    try {
      return await resolveWithin(deps.clock, deps.deadlineMs, read);
    } catch (error) {
      missing.add(part);
      deps.logger.warn({ part, error: (error as Error).message }, 'health: a part cannot be read');
      return null;
    }
  };
  const [head, sources, projections, reactors, unclassified] = await Promise.all([
    readPart('feed', () => readFeedHead(deps.reads)),
    readPart('sources', () => readSources(deps.reads, deps.clock)),
    readPart('projections', () => listProjections(deps)),
    readPart('reactors', () => listReactors(deps)),
    readPart('reactors', () => deps.unclassified.count()),
    readPart('log', () => deps.log.head()),
  ]);
  return healthOf(
    checkedAt,
    { head, sources, projections, reactors, unclassified, missing },
    deps.history.doubt() !== null,
  );
};

/** Results of the parts. Null if a part failed or did not answer in time. */
interface HealthAnswers {
  readonly head: FeedHead | null;
  readonly sources: Health['sources'] | null;
  readonly projections: readonly ProjectionStatus[] | null;
  readonly reactors: readonly ReactorStatus[] | null;
  readonly unclassified: number | null;
  readonly missing: ReadonlySet<HealthPart>;
}

/** Results while the database is unavailable. */
export const NO_ANSWERS: HealthAnswers = {
  head: null,
  sources: null,
  projections: null,
  reactors: null,
  unclassified: null,
  missing: new Set(HEALTH_PARTS),
};

export function healthOf(checkedAt: string, answers: HealthAnswers, inDoubt: boolean): Health {
  const { head, sources, projections, reactors, unclassified, missing } = answers;
  const feed =
    head === null || head.feedId === null
      ? null
      : { feedId: head.feedId, position: head.position, fingerprint: head.fingerprint };
  const pipeline = {
    ...lagOf(projections),
    ...workOf(projections, reactors, unclassified),
    head: feed === null ? null : { cursor: encodeFeedCursor({ ...feed, binding: 'nothing' }), digests: head!.digests },
    ...(missing.size === 0 ? {} : { unanswered: HEALTH_PARTS.filter((part) => missing.has(part)) }),
  };
  const status =
    feed === null || missing.has('log')
      ? 'unavailable'
      : missing.size > 0 || inDoubt
        ? 'degraded'
        : statusOf(sources ?? [], projections ?? [], reactors ?? []);
  return { status, checkedAt, sources: sources ?? [], pipeline };
}

/** Returns every source in the form of the health operation. `stale` is derived from the current time. */
export async function readSources(reads: LiveReads, clock: Clock): Promise<Health['sources']> {
  const rows = await reads.many(currentSources);
  return rows.map(({ source_id, jurisdiction_slug, body_slug, data }) => {
    const success = data.lastSuccessfulCheckAt;
    return {
      sourceId: source_id,
      jurisdictionSlug: jurisdiction_slug,
      ...(body_slug === null ? {} : { bodySlug: body_slug }),
      sourceType: data.sourceType,
      status: sourceStatusAt(data.status, success === null ? null : Date.parse(success), clock.now()),
      ...(data.agendaTextEvidence === null ? {} : { agendaTextEvidence: data.agendaTextEvidence }),
      ...(data.lastCheckedAt === null ? {} : { lastCheckedAt: data.lastCheckedAt }),
      ...(success === null ? {} : { lastSuccessfulCheckAt: success }),
      consecutiveFailures: data.consecutiveFailures,
      ...unlessNull('lastCheckSkipped', data.lastCheckSkipped),
      ...unlessNull('lastCheckDegraded', data.lastCheckDegraded),
      ...unlessNull('lastCheckFailure', data.lastCheckFailure),
    };
  });
}

const FAILED: readonly ProjectionStatus['state'][] = ['paused', 'refused'];

/**
 * Returns the lag of the read models; null if they cannot be listed. Reactors do not count: customers read no older
 * data.
 */
function lagOf(
  projections: readonly ProjectionStatus[] | null,
): Pick<Health['pipeline'], 'lagEvents' | 'lagSeconds' | 'projections'> {
  if (projections === null) return { lagEvents: null, lagSeconds: null, projections: [] };
  const live = projections.filter(({ serves }) => serves);
  const lags = live.map(({ lagEvents }) => lagEvents);
  return {
    lagEvents: lags.includes(null) ? null : Math.max(0, ...lags.map(Number)),
    lagSeconds: Math.max(0, ...live.map(({ lagSeconds }) => lagSeconds)),
    projections: live.map(({ name, lagEvents, lagSeconds, state }) => ({ name, lagEvents, lagSeconds, state })),
  };
}

/**
 * Counts pending work (projections and reactors that lag, generations being built) and failed work (what was paused or
 * refused, and items that could not be classified). Both are unknown if one of the lists is missing.
 */
function workOf(
  projections: readonly ProjectionStatus[] | null,
  reactors: readonly ReactorStatus[] | null,
  unclassified: number | null,
): Pick<Health['pipeline'], 'pendingWork' | 'failedWork' | 'oldestPendingAt'> {
  if (projections === null || reactors === null || unclassified === null)
    return { pendingWork: null, failedWork: null };
  const pending = projections.filter(({ rebuild, oldestPendingAt }) => rebuild || oldestPendingAt !== null);
  const unhandled = reactors.filter(({ oldestPendingAt }) => oldestPendingAt !== null);
  const oldest = Math.min(...[...projections, ...reactors].flatMap(({ oldestPendingAt }) => oldestPendingAt ?? []));
  return {
    pendingWork: pending.length + unhandled.length,
    failedWork:
      projections.filter(({ state }) => FAILED.includes(state)).length +
      reactors.filter(isPaused).length +
      unclassified,
    ...(Number.isFinite(oldest) ? { oldestPendingAt: new Date(oldest).toISOString() } : {}),
  };
}

const isPaused = ({ state }: ReactorStatus): boolean => state === 'paused';

function statusOf(
  sources: Health['sources'],
  projections: readonly ProjectionStatus[],
  reactors: readonly ReactorStatus[],
) {
  const badSource = sources.some(({ status }) => status === 'failing' || status === 'stale');
  const badProjection = projections.some(
    ({ state, lagSeconds }) =>
      FAILED.includes(state) || state === 'stopped' || (state === 'live' && lagSeconds > SLOW_PROJECTION_SECONDS),
  );
  return badSource || badProjection || reactors.some(isPaused) ? 'degraded' : 'healthy';
}
