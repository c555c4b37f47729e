import { CONTENT_ERASED } from '../../../domain/events/erasure-events.ts';
import type { EventLog, Position } from '../../../domain/ports/event-log.ts';

/**
 * True where an erasure stands after a place in the log. Of two builds at that place one may have folded an event before it was erased and the
 * other after: what differs says nothing until both have passed the erasure.
 */
export const isErasureAhead = async (log: Pick<EventLog, 'readAll'>, after: Position): Promise<boolean> =>
  (await log.readAll({ after, limit: 1, types: [CONTENT_ERASED] })).events.length > 0;
