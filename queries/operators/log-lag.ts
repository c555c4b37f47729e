import type { Clock } from '../../domain/ports/clock.ts';
import type { EventLog, Position } from '../../domain/ports/event-log.ts';

export interface LogLag {
  /** Events between the checkpoint and the log's head; null where the log cannot count. */
  readonly lagEvents: number | null;
  /** Age of the oldest event after the checkpoint, in seconds; 0 where there is none. */
  readonly lagSeconds: number;
  /** Time of that event, null when there is none. */
  readonly oldestPendingAt: number | null;
}

export const NO_LAG: LogLag = { lagEvents: 0, lagSeconds: 0, oldestPendingAt: null };

/** The lag of a follower of these event types; events of other types do not count. */
export async function lagBehind(
  { log, clock }: { readonly log: EventLog; readonly clock: Clock },
  checkpoint: Position,
  head: Position,
  types: readonly string[],
): Promise<LogLag> {
  const pending = checkpoint < head ? (await log.readAll({ after: checkpoint, limit: 1, types })).events[0] : undefined;
  if (pending === undefined) return NO_LAG;
  return {
    lagEvents: log.distance(checkpoint, head),
    lagSeconds: Math.max(0, (clock.now() - pending.time) / 1000),
    oldestPendingAt: pending.time,
  };
}
