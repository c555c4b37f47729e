import { type ErrorEnvelope, STATUSES } from '../contract/statuses.ts';
import { DatabaseUnavailable, DeadlineExceeded } from '../domain/ports/database.ts';
import { LogUnavailable, OutcomeUnknown } from '../domain/ports/event-log.ts';
import { Rejection } from '../domain/rejections.ts';

/** The refusal that answers whatever was thrown; `internal_error` for a defect, of which nothing is told. */
export const refusalOf = (error: unknown): Rejection => {
  if (error instanceof Rejection) return error;
  if (error instanceof DeadlineExceeded) return new Rejection('timeout', 'the answer was not ready in time');
  if (error instanceof DatabaseUnavailable || error instanceof LogUnavailable || error instanceof OutcomeUnknown) {
    return new Rejection('feed_unavailable', 'the feed cannot be read or written now; try again later');
  }
  return new Rejection('internal_error', 'the request could not be answered');
};

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The envelope as JSON text. */
  readonly body: string;
}

/** The answer on the wire. `Retry-After` is sent with 429 and with nothing else. */
export const answerTo = (rejection: Rejection, status: number = STATUSES[rejection.code]): ErrorAnswer => {
  const { code, message, details } = rejection;
  const envelope: ErrorEnvelope = { error: details === undefined ? { code, message } : { code, message, details } };
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' };
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (status === 429) headers['retry-after'] = String(Math.max(1, Math.ceil(rejection.retryAfterSeconds ?? 1)));
  return { status, headers, body: JSON.stringify(envelope) };
};
