import type { Statement } from '../../../domain/ports/database.ts';
import type { Advance, Decision, Generation, Lease } from '../../../domain/ports/generations.ts';
import { leased } from '../leases/leased.ts';
import { logHas } from '../log/log-position.ts';
import { columnList, sql, verbatim } from '../connection/statements.ts';

/** Length of the window for measuring speed, in milliseconds. */
const WINDOW = verbatim('2000');

export const GENERATION = columnList({
  generation: 'generation',
  projection: 'projection',
  version: 'version',
  state: 'state',
  logId: 'log_id',
  checkpoint: 'checkpoint',
  folded: 'folded',
  owner: 'owner',
  token: 'token',
  leaseUntil: 'lease_until',
  pausedReason: 'paused_reason',
  pausedEvent: 'paused_event',
  createdAt: 'created_at',
  changedAt: 'changed_at',
  held: 'held',
  acceptDifferences: 'accept_differences',
  operatorPausedAt: 'operator_paused_at',
  comparison: 'comparison::json',
  keptUntil: 'kept_until',
  lastEvent: 'last_event',
  ownedSince: 'owned_since',
  eventsRead: 'events_read',
  windowSince: 'window_since',
  windowFolded: 'window_folded',
  windowEventsRead: 'window_events_read',
  foldRate: 'fold_rate',
  readRate: 'read_rate',
});

/** Row with the columns `GENERATION`. */
export type GenerationRow = Omit<Generation, 'speed'> & Generation['speed'];

export function generationOf(row: GenerationRow): Generation {
  const { ownedSince, eventsRead, windowSince, windowFolded, windowEventsRead, foldRate, readRate, ...generation } =
    row;
  return {
    ...generation,
    speed: { ownedSince, eventsRead, windowSince, windowFolded, windowEventsRead, foldRate, readRate },
  };
}

export const ownedBy = ({ generation, owner, token }: Lease): Statement =>
  sql`generation = ${generation} and owner = ${owner} and token = ${token}`;

const FOLDED_STATES = verbatim(`state in ('live', 'building', 'scratch')`);

/** Acquires the lease. A new owner starts a new measurement, so that time without an owner does not count. */
export const acquire = (generation: number, owner: string, now: number, leaseMs: number): Statement =>
  sql`update civic.generations g set owner = ${owner}, token = token + 1, lease_until = ${now + leaseMs}::bigint,
      owned_since = ${now}::bigint, window_since = ${now}::bigint, window_folded = folded,
      window_events_read = events_read
    where generation = ${generation} and not ${leased('g', now)} and paused_reason is null
      and operator_paused_at is null and ${FOLDED_STATES}
    returning ${GENERATION}`;

export const renew = (lease: Lease, leaseUntil: number): Statement =>
  sql`update civic.generations set lease_until = ${leaseUntil} where ${ownedBy(lease)} and ${FOLDED_STATES}`;

export function advance(
  lease: Lease,
  { from, to, folded, now, leaseUntil, logId, eventsRead, last, proof }: Advance,
): Statement {
  const passed = sql`${now}::bigint - window_since`;
  const total = sql`folded + ${folded}`;
  const atItsEnd = (then: Statement, otherwise: string) =>
    sql`case when ${passed} >= ${WINDOW} then ${then} else ${verbatim(otherwise)} end`;
  const atItsStart = (then: Statement, otherwise: string) =>
    sql`case when window_since is null or ${passed} < 0 or ${passed} >= ${WINDOW}
      then ${then} else ${verbatim(otherwise)} end`;
  const update = sql`update civic.generations set checkpoint = ${to}, folded = ${total}, lease_until = ${leaseUntil},
      log_id = coalesce(log_id, ${logId}::uuid),
      events_read = ${eventsRead}::bigint, last_event = coalesce(${last && JSON.stringify(last)}::jsonb, last_event),
      fold_rate = ${atItsEnd(sql`(${total} - window_folded) * 1000.0 / (${passed})`, 'fold_rate')},
      read_rate = ${atItsEnd(sql`(${eventsRead}::bigint - window_events_read) * 1000.0 / (${passed})`, 'read_rate')},
      window_folded = ${atItsStart(total, 'window_folded')},
      window_events_read = ${atItsStart(sql`${eventsRead}::bigint`, 'window_events_read')},
      window_since = ${atItsStart(sql`${now}::bigint`, 'window_since')}
    where ${ownedBy(lease)} and checkpoint = ${from}
      and (log_id is null or ${logId}::uuid is null or log_id = ${logId}::uuid)
      and ${FOLDED_STATES} and ${logHas(proof)}`;
  return { name: 'advance_generation', ...update };
}

/** Ends the lease. The owner can no longer commit folds. */
export const FREED = verbatim('owner = null, lease_until = 0');

const NO_OTHER_IS_BUILT = verbatim(`not exists (
  select from civic.generations o
  where o.projection = g.projection and o.state = 'building' and o.generation <> g.generation)`);

const DECISIONS: Readonly<Record<Decision, (now: number) => readonly [change: Statement, condition: Statement]>> = {
  pause: (now) => [sql`operator_paused_at = ${now}, ${FREED}`, sql`state = 'building' and operator_paused_at is null`],
  resume: () => [sql`operator_paused_at = null`, sql`state = 'building' and operator_paused_at is not null`],
  cancel: (now) => [
    sql`state = 'retired', held = false, accept_differences = false, operator_paused_at = null,
      paused_reason = null, paused_event = null, changed_at = ${now}, ${FREED}`,
    sql`state = 'building'`,
  ],
  compare: () => [sql`comparison = null, ${FREED}`, sql`state = 'building' and held and operator_paused_at is null`],
  switch: () => [sql`held = false, ${FREED}`, sql`state = 'building' and held and operator_paused_at is null`],
  'switch-accepting': (now) => [
    sql`state = 'building', held = false, accept_differences = true, paused_reason = null, paused_event = null,
      changed_at = ${now}, ${FREED}`,
    sql`(state = 'refused' or (state = 'building' and paused_reason is null)) and ${NO_OTHER_IS_BUILT}`,
  ],
  'switch-back': (now) => [
    sql`state = 'building', held = false, comparison = null, changed_at = ${now}, ${FREED}`,
    sql`state = 'retired' and kept_until >= ${now} and ${NO_OTHER_IS_BUILT}`,
  ],
  drop: (now) => [
    sql`state = 'retired', kept_until = null, changed_at = ${now}, ${FREED}`,
    sql`state in ('retired', 'refused')`,
  ],
};

export function decide(generation: number, decision: Decision, now: number): Statement {
  const [change, condition] = DECISIONS[decision](now);
  return sql`update civic.generations g set ${change}
    where generation = ${generation} and ${condition} returning ${GENERATION}`;
}
