import { columns, flag, jsonOrNull, number, numberOrNull, text, textAs, textOrNull } from '../../domain/columns.ts';
import { logHas } from './log-position.ts';
import type { TextRow } from '../../domain/ports/database.ts';
import type { EventMark } from '../../domain/event-mark.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import type { Comparison, Decision, Generation, GenerationState } from '../../domain/ports/generations.ts';

/** Milliseconds over which a rate is measured. */
const WINDOW_MS = 2_000;

const GENERATION = columns({
  generation: ['generation', number],
  projection: ['projection', text],
  version: ['version', number],
  state: ['state', textAs<GenerationState>()],
  logId: ['log_id', textOrNull],
  checkpoint: ['checkpoint', textAs<Position>()],
  folded: ['folded', number],
  owner: ['owner', textOrNull],
  token: ['token', number],
  leaseUntil: ['lease_until', number],
  pausedReason: ['paused_reason', textOrNull],
  pausedEvent: ['paused_event', textOrNull],
  createdAt: ['created_at', number],
  changedAt: ['changed_at', number],
  held: ['held', flag],
  acceptDifferences: ['accept_differences', flag],
  operatorPausedAt: ['operator_paused_at', numberOrNull],
  comparison: ['comparison', jsonOrNull<Comparison>()],
  keptUntil: ['kept_until', numberOrNull],
  lastEvent: ['last_event', jsonOrNull<EventMark>()],
  ownedSince: ['owned_since', numberOrNull],
  eventsRead: ['events_read', numberOrNull],
  windowSince: ['window_since', numberOrNull],
  windowFolded: ['window_folded', number],
  windowEventsRead: ['window_events_read', numberOrNull],
  foldRate: ['fold_rate', numberOrNull],
  readRate: ['read_rate', numberOrNull],
});

export const COLUMNS = GENERATION.sql;

export function toGeneration(row: TextRow): Generation {
  const { ownedSince, eventsRead, windowSince, windowFolded, windowEventsRead, foldRate, readRate, ...generation } = GENERATION.read(row);
  return { ...generation, speed: { ownedSince, eventsRead, windowSince, windowFolded, windowEventsRead, foldRate, readRate } };
}

/** A new owner begins a new measurement: the time without an owner does not count. */
export const ACQUIRE = `update civic.generations set owner = $2, token = token + 1, lease_until = $3::bigint + $4::bigint,
    owned_since = $3::bigint, window_since = $3::bigint, window_folded = folded, window_events_read = events_read
  where generation = $1 and (owner is null or lease_until < $3::bigint) and paused_reason is null and operator_paused_at is null
    and state in ('live', 'building', 'scratch')
  returning ${COLUMNS}`;

export const RENEW = `update civic.generations set lease_until = $4
  where generation = $1 and owner = $2 and token = $3 and state in ('live', 'building', 'scratch')`;

export const RELEASE = 'update civic.generations set owner = null, lease_until = 0 where generation = $1 and owner = $2 and token = $3';

const passed = '$9::bigint - window_since';
const atItsEnd = (then: string, otherwise: string) => `case when ${passed} >= ${WINDOW_MS} then ${then} else ${otherwise} end`;
const begunAnew = (then: string, otherwise: string) =>
  `case when window_since is null or ${passed} < 0 or ${passed} >= ${WINDOW_MS} then ${then} else ${otherwise} end`;

export const ADVANCE = `update civic.generations set checkpoint = $5, folded = folded + $6, lease_until = $7, log_id = coalesce(log_id, $8::uuid),
    events_read = $10::bigint, last_event = coalesce($13::jsonb, last_event),
    fold_rate = ${atItsEnd(`(folded + $6 - window_folded) * 1000.0 / (${passed})`, 'fold_rate')},
    read_rate = ${atItsEnd(`($10::bigint - window_events_read) * 1000.0 / (${passed})`, 'read_rate')},
    window_folded = ${begunAnew('folded + $6', 'window_folded')},
    window_events_read = ${begunAnew('$10::bigint', 'window_events_read')},
    window_since = ${begunAnew('$9::bigint', 'window_since')}
  where generation = $1 and owner = $2 and token = $3 and checkpoint = $4 and (log_id is null or $8::uuid is null or log_id = $8::uuid)
    and state in ('live', 'building', 'scratch')
    and ${logHas('$11', '$12')}`;

export const PAUSE = `update civic.generations set paused_reason = $4, paused_event = $5::uuid, owner = null, lease_until = 0
  where generation = $1 and owner = $2 and token = $3`;

export const REFUSE = `update civic.generations set state = 'refused', held = false, paused_reason = $4, owner = null, lease_until = 0, changed_at = $5
  where generation = $1 and owner = $2 and token = $3 and state = 'building'`;

export const NOTE_COMPARISON = `update civic.generations set comparison = $4
  where generation = $1 and owner = $2 and token = $3 and state = 'building'`;

/** Takes the lease from its owner, whose later folds are not committed. */
const FREED = 'owner = null, lease_until = 0';

const noOtherIsBuilt = `not exists (
  select from civic.generations o where o.projection = g.projection and o.state = 'building' and o.generation <> g.generation)`;

const decision = (set: string, where: string): string =>
  `update civic.generations g set ${set} where generation = $1 and $2::bigint is not null and ${where}`;

/** The change that each decision makes, and its condition; `$1` is the generation, `$2` the time. */
export const DECISIONS: Readonly<Record<Decision, string>> = {
  pause: decision(`operator_paused_at = $2, ${FREED}`, `state = 'building' and operator_paused_at is null`),
  resume: decision('operator_paused_at = null', `state = 'building' and operator_paused_at is not null`),
  cancel: decision(
    `state = 'retired', held = false, accept_differences = false, operator_paused_at = null, paused_reason = null, paused_event = null,
      changed_at = $2, ${FREED}`,
    `state = 'building'`,
  ),
  compare: decision(`comparison = null, ${FREED}`, `state = 'building' and held and operator_paused_at is null`),
  switch: decision(`held = false, ${FREED}`, `state = 'building' and held and operator_paused_at is null`),
  'switch-accepting': decision(
    `state = 'building', held = false, accept_differences = true, paused_reason = null, paused_event = null, changed_at = $2, ${FREED}`,
    `(state = 'refused' or (state = 'building' and paused_reason is null)) and ${noOtherIsBuilt}`,
  ),
  'switch-back': decision(
    `state = 'building', held = false, comparison = null, changed_at = $2, ${FREED}`,
    `state = 'retired' and kept_until >= $2 and ${noOtherIsBuilt}`,
  ),
  drop: decision(`state = 'retired', kept_until = null, changed_at = $2, ${FREED}`, `state in ('retired', 'refused')`),
};
