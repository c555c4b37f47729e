import type { ErrorCode } from '../generated/operations.ts';

/**
 * Adds three codes to those of the service. `no_answer`: no connection, a timeout, or a response that was cut off. `not_json`: something other
 * than the service responded. `unknown`: an error response without a code.
 */
export type ClientErrorCode = ErrorCode | 'no_answer' | 'not_json' | 'unknown';

/** The service rejected the request, or did not respond. Branch on `code`. */
export class CivicError extends Error {
  override readonly name = 'CivicError';
  readonly code: ClientErrorCode;
  /** The HTTP status; 0 if there was no response. An error of a tool has status 200. */
  readonly status: number;
  /** Details from the service; their form depends on the code. */
  readonly details: unknown;
  /** Identifies the request in the logs of the service; null if there was no response. */
  readonly requestId: string | null;
  /** The wait that the service requests; null if it requests none. */
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
