import { DeadlineExceeded } from '../../domain/ports/database.ts';
import { LogUnavailable } from '../../domain/ports/event-log.ts';

const GRPC = {
  cancelled: 1,
  deadlineExceeded: 4,
  permissionDenied: 7,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
};

/** There was no connection, so nothing was sent. The client reconnects because of `code`. */
export class NotReached extends LogUnavailable {
  readonly code = GRPC.unavailable;
  readonly details = 'no connection stands';
}

/**
 * The connection was lost or the server did not answer after an append was sent. It is unknown if the append is stored.
 */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost';
}

interface WireError {
  readonly code?: unknown;
  readonly details?: unknown;
  readonly metadata?: { getMap?(): Record<string, unknown> };
}

/** Returns the server's name for the failure. */
const exceptionOf = (error: unknown): unknown => (error as WireError | null)?.metadata?.getMap?.()['exception'];
const codeOf = (error: unknown): unknown => (error as WireError | null)?.code;

/** True if the node is not the leader. The client sends its next call to the leader. */
export const isNotLeader = (error: unknown): boolean => exceptionOf(error) === 'not-leader';

/**
 * True if no record begins at the position of a read, because the log has lost the event that was there. Servers before
 * 24.2 do not report it.
 */
export const isNoPlace = (error: unknown): boolean =>
  /invalid ?position/i.test(String((error as WireError | null)?.details));

/** True if the connection is unusable. Calls in flight then have an unknown outcome. */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof NotReached) return false;
  const code = codeOf(error);
  return (
    code === GRPC.unavailable ||
    code === GRPC.cancelled ||
    /discover|write after end|GOAWAY|RST_STREAM|ECONN/i.test((error as Error).message)
  );
}

export const isUnknownCall = (error: unknown): boolean => codeOf(error) === GRPC.unimplemented;

/** Maps errors of the transport to those of the port. Returns any other error unchanged. */
export function mapError(error: unknown): unknown {
  if (error instanceof LogUnavailable || error instanceof DeadlineExceeded) return error;
  const code = codeOf(error);
  if (code === GRPC.unauthenticated || code === GRPC.permissionDenied || exceptionOf(error) === 'access-denied') {
    return new Error(
      'the log refuses these credentials: see EVENTSTORE_URL; reading $all needs a user of the group $admins',
      {
        cause: error,
      },
    );
  }
  if (isUnknownCall(error))
    return new Error('the server of the log does not support a call: use version 22.10 or newer', { cause: error });
  if (code === GRPC.deadlineExceeded)
    return new DeadlineExceeded('the log did not answer by the deadline', { cause: error });
  if (isNotLeader(error) || isConnectionLoss(error)) {
    return new LogUnavailable('the log could not be reached, or went away', { cause: error });
  }
  return error;
}
