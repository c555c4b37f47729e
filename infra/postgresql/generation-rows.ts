import { logHas } from './log-position.ts';
import type { TextRow } from '../../src/domain/ports/database.ts';
import type { EventMark } from '../../src/domain/event-mark.ts';
import type { Position } from '../../src/domain/ports/event-log.ts';
import type { Comparison, Generation, GenerationState } from '../../src/domain/ports/generations.ts';

/** Work of one owner over which a rate is taken. */
const STRETCH_MS = 2_000;

export const COLUMNS = `generation, projection, version, state, log_id, checkpoint, folded, owner, token, lease_until, paused_reason,
  paused_event, created_at, changed_at, held, accept_differences, operator_paused_at, comparison, kept_until, owned_since, place, stretch_at,
  stretch_folded, stretch_place, fold_rate, pace, last_event`;

const number = (text: string | null | undefined): number | null => (text == null ? null : Number(text));

export const toGeneration = (row: TextRow): Generation => ({
  generation: Number(row[0]),
  projection: row[1]!,
  version: Number(row[2]),
  state: row[3] as GenerationState,
  logId: row[4] ?? null,
  checkpoint: row[5] as Position,
  folded: Number(row[6]),
  owner: row[7] ?? null,
  token: Number(row[8]),
  leaseUntil: Number(row[9]),
  pausedReason: row[10] ?? null,
  pausedEvent: row[11] ?? null,
  createdAt: Number(row[12]),
  changedAt: Number(row[13]),
  held: row[14] === 't',
  acceptDifferences: row[15] === 't',
  operatorPausedAt: number(row[16]),
  comparison: row[17] == null ? null : (JSON.parse(row[17]) as Comparison),
  keptUntil: number(row[18]),
  speed: {
    ownedSince: number(row[19]),
    place: number(row[20]),
    stretchAt: number(row[21]),
    stretchFolded: Number(row[22] ?? 0),
    stretchPlace: number(row[23]),
    foldRate: number(row[24]),
    pace: number(row[25]),
  },
  lastEvent: row[26] == null ? null : (JSON.parse(row[26]) as EventMark),
});

/** A new owner begins a new stretch: what lay between it and the last one is no time of work. */
export const ACQUIRE = `update civic.generations set owner = $2, token = token + 1, lease_until = $3::bigint + $4::bigint,
    owned_since = $3::bigint, stretch_at = $3::bigint, stretch_folded = folded, stretch_place = place
  where generation = $1 and (owner is null or lease_until < $3::bigint) and paused_reason is null and operator_paused_at is null
    and state in ('live', 'building', 'scratch')
  returning ${COLUMNS}`;

export const RENEW = `update civic.generations set lease_until = $4
  where generation = $1 and owner = $2 and token = $3 and state in ('live', 'building', 'scratch')`;

export const RELEASE = 'update civic.generations set owner = null, lease_until = 0 where generation = $1 and owner = $2 and token = $3';

const passed = '$9::bigint - stretch_at';
const atItsEnd = (then: string, otherwise: string) => `case when ${passed} >= ${STRETCH_MS} then ${then} else ${otherwise} end`;
const begunAnew = (then: string, otherwise: string) =>
  `case when stretch_at is null or ${passed} < 0 or ${passed} >= ${STRETCH_MS} then ${then} else ${otherwise} end`;

export const ADVANCE = `update civic.generations set checkpoint = $5, folded = folded + $6, lease_until = $7, log_id = coalesce(log_id, $8::uuid),
    place = $10::bigint, last_event = coalesce($13::jsonb, last_event),
    fold_rate = ${atItsEnd(`(folded + $6 - stretch_folded) * 1000.0 / (${passed})`, 'fold_rate')},
    pace = ${atItsEnd(`($10::bigint - stretch_place) * 1000.0 / (${passed})`, 'pace')},
    stretch_folded = ${begunAnew('folded + $6', 'stretch_folded')},
    stretch_place = ${begunAnew('$10::bigint', 'stretch_place')},
    stretch_at = ${begunAnew('$9::bigint', 'stretch_at')}
  where generation = $1 and owner = $2 and token = $3 and checkpoint = $4 and (log_id is null or $8::uuid is null or log_id = $8::uuid)
    and state in ('live', 'building', 'scratch')
    and ${logHas('$11', '$12')}`;

export const PAUSE = `update civic.generations set paused_reason = $4, paused_event = $5::uuid, owner = null, lease_until = 0
  where generation = $1 and owner = $2 and token = $3`;

export const REFUSE = `update civic.generations set state = 'refused', held = false, paused_reason = $4, owner = null, lease_until = 0, changed_at = $5
  where generation = $1 and owner = $2 and token = $3 and state = 'building'`;

export const NOTE_COMPARISON = `update civic.generations set comparison = $4
  where generation = $1 and owner = $2 and token = $3 and state = 'building'`;
