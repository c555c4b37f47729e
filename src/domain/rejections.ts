/** Every expected refusal: its code and what it means. `src/contract/statuses.ts` maps codes to HTTP statuses. */
export const REJECTIONS = {
  invalid_parameter: 'a parameter, header or body is bad, unknown or repeated',
  invalid_input: 'a report input is invalid',
  unauthorized: 'the credential is missing, malformed, unknown, revoked, expired, or its account is not active',
  forbidden: 'the key lacks the scope that this operation needs',
  not_found: 'there is no such record, snapshot, feed or route',
  cursor_expired: 'the cursor is older than what is retained, beyond the head, or of another feed',
  request_too_large: 'the request body is over its limit',
  response_too_large: 'the result is over the response limit; it is refused, never truncated',
  rate_limited: 'an allowance is exhausted',
  internal_error: 'a defect; nothing private is told',
  authentication_unavailable: 'identity could not be looked up; the request was refused',
  feed_unavailable: 'the state of the feed could not be read or written; the request was refused',
  timeout: 'a read or statement deadline was exceeded',
  mcp_prelaunch: 'this legacy route is closed',
} as const;

export type RejectionCode = keyof typeof REJECTIONS;

/** An expected refusal, thrown from an edge or a query and answered in the envelope. A defect is any other error. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly code: RejectionCode;
  readonly details: unknown;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: RejectionCode, message: string, extra: { readonly details?: unknown; readonly retryAfterSeconds?: number } = {}) {
    super(message);
    this.code = code;
    this.details = extra.details;
    this.retryAfterSeconds = extra.retryAfterSeconds;
  }
}
