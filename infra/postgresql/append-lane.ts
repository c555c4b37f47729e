import { DatabaseUnavailable, DeadlineExceeded } from '../../domain/ports/database.ts';
import { type AppendOutcome, LogUnavailable, OutcomeUnknown, type StreamAppend } from '../../domain/ports/event-log.ts';
import { appendOutcomes, appendStatement } from './append-statements.ts';
import { isConnectionLoss } from './errors.ts';
import { PipelinedConnection } from './pipelined-connection.ts';
import type { Session } from './sessions.ts';

export interface AppendLane {
  /** Appends one group in one transaction. Throws `LogUnavailable` when nothing is stored, `OutcomeUnknown` when that is unknown. */
  send(appends: readonly StreamAppend[]): Promise<readonly AppendOutcome[]>;
  close(): Promise<void>;
}

/** A refusal that the server sent before the commit leaves nothing stored; a broken or silent connection proves nothing. */
function classify(error: unknown): unknown {
  if (!(error instanceof DatabaseUnavailable || error instanceof DeadlineExceeded)) return error;
  if (error.cause === undefined || isConnectionLoss(error.cause)) {
    return new OutcomeUnknown('the connection to the log was lost while an append was under way', { cause: error });
  }
  return new LogUnavailable(error.message, { cause: error });
}

/** One connection for appends. While one lane waits for its flush, the statement of the other is parsed and waits for the lock. */
export function openAppendLane(session: Session): AppendLane {
  const connection = new PipelinedConnection(session);
  return {
    async send(appends) {
      try {
        await connection.connect();
      } catch (error) {
        throw new LogUnavailable('the log could not be reached; nothing was sent', { cause: error });
      }
      try {
        const { rows } = await connection.run(appendStatement(appends));
        return appendOutcomes(appends, rows[0]!);
      } catch (error) {
        throw classify(error);
      }
    },
    close: async () => await connection.close(),
  };
}
