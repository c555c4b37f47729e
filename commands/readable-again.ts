import { z } from 'zod';
import type { NewEvent, Position } from '../src/domain/ports/event-log.ts';
import { Rejection } from '../src/domain/rejections.ts';
import type { Fold } from './decider.ts';

/** U+0000, or half a character, as JSON writes them: an odd number of backslashes before the code. */
const NOT_KEPT = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/**
 * Why events must not be stored, or null: what cannot be read again would stop every read model and every decision that meets it, and no
 * event is ever taken back. Text that PostgreSQL does not keep is as bad.
 */
export const refuseUnreadable = <State, Event>(
  { read }: Pick<Fold<State, Event>, 'read'>,
  stream: string,
  events: readonly NewEvent[],
): Rejection | null => {
  for (const event of events) {
    if (NOT_KEPT.test(event.data)) return new Rejection('invalid_parameter', 'a text holds U+0000 or half a character');
    try {
      read({ ...event, stream, revision: 0, position: '' as Position, metadata: JSON.stringify(event.metadata) });
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
      const [issue] = error.issues;
      return new Rejection('invalid_parameter', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not usable'}`);
    }
  }
  return null;
};
