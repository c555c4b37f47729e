import { canonicalJson } from '../../src/domain/canonical-json.ts';
import { RECORD_PUBLISHED, RECORD_WITHDRAWN, recordWithdrawn } from '../../src/domain/events/record-events.ts';
import type { StoredEvent } from '../../src/domain/ports/event-log.ts';
import type { NormalizedContent } from '../../src/domain/records/resources.ts';

/** What the newest event of a record's stream says; deciding needs no more, so a command's cost does not grow with the stream. */
export type RecordState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'published'; readonly createdAt: string; readonly updatedAt: string; readonly data: string }
  | { readonly kind: 'withdrawn'; readonly createdAt: string };

/** `at` is the command's time, ISO 8601 in UTC. */
export type RecordCommand =
  | { readonly type: 'PublishRecord'; readonly id: string; readonly content: NormalizedContent; readonly at: string }
  | { readonly type: 'WithdrawRecord'; readonly reason: string | null; readonly at: string };

/** A record event as type and exact JSON text. */
export interface RecordEvent {
  readonly type: typeof RECORD_PUBLISHED | typeof RECORD_WITHDRAWN;
  readonly data: string;
}

export const initialState = (): RecordState => ({ kind: 'absent' });

/** State after an event; only the newest event of a stream matters. */
export const evolve = (_state: RecordState, event: Pick<StoredEvent, 'type' | 'data'>): RecordState => {
  const data = JSON.parse(event.data) as { readonly createdAt: string; readonly updatedAt: string };
  return event.type === RECORD_PUBLISHED
    ? { kind: 'published', createdAt: data.createdAt, updatedAt: data.updatedAt, data: event.data }
    : { kind: 'withdrawn', createdAt: data.createdAt };
};

/** The events of a command, none when the record already says so. */
export const decide = (command: RecordCommand, state: RecordState): readonly RecordEvent[] => {
  switch (command.type) {
    case 'PublishRecord': {
      const createdAt = state.kind === 'absent' ? command.at : state.createdAt;
      const data = (updatedAt: string) => canonicalJson({ ...command.content, id: command.id, createdAt, updatedAt });
      if (state.kind === 'published' && data(state.updatedAt) === state.data) return [];
      return [{ type: RECORD_PUBLISHED, data: data(command.at) }];
    }
    case 'WithdrawRecord': {
      if (state.kind !== 'published') return [];
      const withdrawn = recordWithdrawn.parse({ createdAt: state.createdAt, reason: command.reason });
      return [{ type: RECORD_WITHDRAWN, data: canonicalJson(withdrawn) }];
    }
  }
};
