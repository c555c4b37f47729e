import { sql } from 'slonik';
import { z } from 'zod';
import { encodeFeedCursor } from '../../domain/cursor.ts';
import type { Health } from '../../contract/read-civic-health.ts';
import { HEALTH_PARTS, type HealthPart, sourceStatusAt } from '../../domain/health.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { LiveGeneration, LiveReads } from '../../domain/ports/projection.ts';
import { source } from '../../domain/records/schemas.ts';
import { answeredWithin } from '../../domain/retry.ts';
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
  }),
});

function currentSources(live: LiveGeneration) {
  const { history, isLive } = liveTokens(RECORD_HISTORY, live);
  const newest = BigInt(NOT_SUPERSEDED);
  const current = (resource: string, id: ReturnType<typeof sql.fragment>) =>
    sql.fragment`(select body::json->>'slug' as slug from ${history} where resource = ${resource} and record_id = ${id} and superseded_at = ${newest} offset 0)`;
  const [jurisdictionId, publicBodyId] = [
    sql.fragment`(s.body::json->>'jurisdictionId')::uuid`,
    sql.fragment`(s.body::json->>'publicBodyId')::uuid`,
  ];
  // `offset 0` for the reason of `currentRow`, and `>=` for that of `isCurrentInOrder`.
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
  /** Milliseconds that each part may take. */
  readonly deadlineMs: number;
  /** Not null while the read models do not match the log. */
  readonly history: { doubt(): string | null };
}

/** Never fails: a part that fails or does not answer by the deadline is named in `unanswered`, and what needs it is null, absent or an empty list. */
export const createReadCivicHealth = (deps: ReadCivicHealthDependencies) => async (): Promise<Health> => {
  const checkedAt = new Date(deps.clock.now()).toISOString();
  const missing = new Set<HealthPart>();
  const ask = async <Answer>(part: HealthPart, read: () => Promise<Answer>): Promise<Answer | null> => {
    try {
      return await answeredWithin(deps.clock, deps.deadlineMs, read);
    } catch (error) {
      missing.add(part);
      deps.logger.warn({ part, error: (error as Error).message }, 'health: a part cannot be read');
      return null;
    }
  };
  const [head, sources, projections, reactors] = await Promise.all([
    ask('feed', () => readFeedHead(deps.reads)),
    ask('sources', () => readSources(deps.reads, deps.clock)),
    ask('projections', () => listProjections(deps)),
    ask('reactors', () => listReactors(deps)),
    ask('log', () => deps.log.head()),
  ]);
  return healthOf(checkedAt, { head, sources, projections, reactors, missing }, deps.history.doubt() !== null);
};

/** Null: the part failed or did not answer in time. */
interface HealthAnswers {
  readonly head: FeedHead | null;
  readonly sources: Health['sources'] | null;
  readonly projections: readonly ProjectionStatus[] | null;
  readonly reactors: readonly ReactorStatus[] | null;
  readonly missing: ReadonlySet<HealthPart>;
}

/** While the store is away. */
export const NO_ANSWERS: HealthAnswers = { head: null, sources: null, projections: null, reactors: null, missing: new Set(HEALTH_PARTS) };

export function healthOf(checkedAt: string, answers: HealthAnswers, inDoubt: boolean): Health {
  const { head, sources, projections, reactors, missing } = answers;
  const feed =
    head === null || head.feedId === null ? null : { feedId: head.feedId, position: head.position, fingerprint: head.fingerprint };
  const pipeline = {
    ...lagOf(projections),
    ...workOf(projections, reactors),
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

/** Every source in the form of health; `stale` is derived now. */
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
    };
  });
}

const FAILED: readonly ProjectionStatus['state'][] = ['paused', 'refused'];

/** Of the read models: what a customer reads is not older for a reactor that lags. Null: they cannot be listed. */
function lagOf(projections: readonly ProjectionStatus[] | null): Pick<Health['pipeline'], 'lagEvents' | 'lagSeconds' | 'projections'> {
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
 * Work is what projections have still to fold, reactors to handle, and generations being built; failed work is what was paused or refused.
 * Without one of the lists nothing is known of all work.
 */
function workOf(
  projections: readonly ProjectionStatus[] | null,
  reactors: readonly ReactorStatus[] | null,
): Pick<Health['pipeline'], 'pendingWork' | 'failedWork' | 'oldestPendingAt'> {
  if (projections === null || reactors === null) return { pendingWork: null, failedWork: null };
  const pending = projections.filter(({ rebuild, oldestPendingAt }) => rebuild || oldestPendingAt !== null);
  const unhandled = reactors.filter(({ oldestPendingAt }) => oldestPendingAt !== null);
  const oldest = Math.min(...[...projections, ...reactors].flatMap(({ oldestPendingAt }) => oldestPendingAt ?? []));
  return {
    pendingWork: pending.length + unhandled.length,
    failedWork: projections.filter(({ state }) => FAILED.includes(state)).length + reactors.filter(isPaused).length,
    ...(Number.isFinite(oldest) ? { oldestPendingAt: new Date(oldest).toISOString() } : {}),
  };
}

const isPaused = ({ state }: ReactorStatus): boolean => state === 'paused';

function statusOf(sources: Health['sources'], projections: readonly ProjectionStatus[], reactors: readonly ReactorStatus[]) {
  const badSource = sources.some(({ status }) => status === 'failing' || status === 'stale');
  const badProjection = projections.some(
    ({ state, lagSeconds }) => FAILED.includes(state) || state === 'stopped' || (state === 'live' && lagSeconds > SLOW_PROJECTION_SECONDS),
  );
  return badSource || badProjection || reactors.some(isPaused) ? 'degraded' : 'healthy';
}
