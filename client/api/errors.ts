import type { ErrorCode } from '../generated/operations.ts';

/** `no_answer`: no connection, no answer in time, or half of one. `not_json`: an answer of something else than the service. `unknown`: a refusal without a code. */
export type ClientErrorCode = ErrorCode | 'no_answer' | 'not_json' | 'unknown';

/** A refusal of the service, or an answer that did not come. Decide by `code`. */
export class CivicError extends Error {
  override readonly name = 'CivicError';
  readonly code: ClientErrorCode;
  /** The HTTP status; 0 where no answer came. A refusal of a tool has the status 200. */
  readonly status: number;
  /** What the service adds for this code, in a form that depends on it. */
  readonly details: unknown;
  /** Names the request in the logs of the service; null where no answer came. */
  readonly requestId: string | null;
  /** The wait that the service asks for; null where it asks for none. */
  readonly retryAfterSeconds: number | null;

  constructor(
    code: ClientErrorCode,
    message: string,
    extra: {
      readonly status?: number;
      readonly details?: unknown;
      readonly requestId?: string | null;
      readonly retryAfterSeconds?: number | null;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, extra.cause === undefined ? {} : { cause: extra.cause });
    this.code = code;
    this.status = extra.status ?? 0;
    this.details = extra.details;
    this.requestId = extra.requestId ?? null;
    this.retryAfterSeconds = extra.retryAfterSeconds ?? null;
  }
}
