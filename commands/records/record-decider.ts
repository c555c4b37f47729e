import { hasOutdatedFacts, withFacts } from '../../domain/agenda/item-facts.ts';
import { canonicalJson } from '../../domain/digests.ts';
import { RECORD_PUBLISHED, RECORD_WITHDRAWN, recordWithdrawn } from '../../domain/events/record-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { NormalizedContent, RecordData } from '../../domain/records/resources.ts';
import { Rejection } from '../../domain/rejections.ts';

/**
 * The state after the newest event of a record's stream. A decision needs no other event, so its cost does not grow
 * with the stream.
 */
export type RecordState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'published'; readonly createdAt: string; readonly updatedAt: string; readonly data: string }
  | { readonly kind: 'withdrawn'; readonly createdAt: string };

/** A checked and normalized command. */
export type RecordIntent =
  | { readonly type: 'PublishRecord'; readonly id: string; readonly content: NormalizedContent }
  | { readonly type: 'RenewFacts' }
  | { readonly type: 'WithdrawRecord'; readonly reason: string | null };

/** `at` is the command's time, ISO 8601 in UTC. */
export type RecordCommand = RecordIntent & { readonly at: string };

export interface RecordEvent {
  readonly type: typeof RECORD_PUBLISHED | typeof RECORD_WITHDRAWN;
  /** Exact JSON text. */
  readonly data: string;
}

export const initialState = (): RecordState => ({ kind: 'absent' });

export function evolve(_state: RecordState, event: Pick<StoredEvent, 'type' | 'data'>): RecordState {
  const data = JSON.parse(event.data) as { readonly createdAt: string; readonly updatedAt: string };
  return event.type === RECORD_PUBLISHED
    ? { kind: 'published', createdAt: data.createdAt, updatedAt: data.updatedAt, data: event.data }
    : { kind: 'withdrawn', createdAt: data.createdAt };
}

/** Maximum size of a record's `data`, in bytes of canonical JSON. */
export const MAX_RECORD_BYTES = 1_048_576;

export function decide(command: RecordCommand, state: RecordState): readonly RecordEvent[] | Rejection {
  switch (command.type) {
    case 'PublishRecord':
      return publish(command, state);
    case 'RenewFacts': {
      if (state.kind !== 'published') return [];
      const { id, createdAt: _createdAt, updatedAt: _updatedAt, ...content } = JSON.parse(state.data) as AgendaItem;
      return hasOutdatedFacts(content) ? publish({ id, content: withFacts(content), at: command.at }, state) : [];
    }
    case 'WithdrawRecord': {
      if (state.kind !== 'published') return [];
      const withdrawn = recordWithdrawn.parse({ createdAt: state.createdAt, reason: command.reason });
      return [{ type: RECORD_WITHDRAWN, data: canonicalJson(withdrawn) }];
    }
  }
}

type AgendaItem = RecordData<'agenda_items'>;

interface Publication {
  readonly id: string;
  readonly content: NormalizedContent;
  readonly at: string;
}

function publish({ id, content, at }: Publication, state: RecordState): readonly RecordEvent[] | Rejection {
  const createdAt = state.kind === 'absent' ? at : state.createdAt;
  const dataAt = (updatedAt: string) => canonicalJson({ ...content, id, createdAt, updatedAt });
  let data: string;
  try {
    if (state.kind === 'published' && dataAt(state.updatedAt) === state.data) return [];
    data = dataAt(at);
  } catch (error) {
    return refused(`data cannot be written as JSON: ${(error as Error).message}`);
  }
  if (hasNul(data)) return refused('the character U+0000 is not allowed');
  if (Buffer.byteLength(data) > MAX_RECORD_BYTES) return refused(`the record is over ${MAX_RECORD_BYTES} bytes`);
  return [{ type: RECORD_PUBLISHED, data }];
}

const refused = (reason: string): Rejection => new Rejection('invalid_parameter', reason);

/** Returns true if JSON text contains a NUL character: an odd number of backslashes before `u0000`. */
const hasNul = (json: string): boolean => json.includes('\\u0000') && /(?<!\\)(?:\\\\)*\\u0000/.test(json);
