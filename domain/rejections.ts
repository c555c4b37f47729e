/** Every expected refusal: its code and what it means. `contract/error-codes.ts` maps codes to HTTP statuses. */
export const REJECTIONS = {
  invalid_parameter: 'a parameter, header or body is bad, unknown or repeated',
  invalid_input: 'a report input is invalid',
  unauthorized: 'the credential is missing, malformed, unknown, revoked, expired, or its account is not active',
  forbidden: 'the key lacks the scope that this operation needs',
  not_found: 'there is no such record, snapshot, feed or route',
  cursor_expired: 'the cursor is older than what is retained, beyond the head, or belongs to another feed',
  request_too_large: 'the request body is over its limit',
  response_too_large: 'the result is over the response limit; it is refused, never truncated',
  rate_limited: 'an allowance is exhausted, or too many requests of the account run at once',
  internal_error: 'a defect; the answer discloses nothing private',
  authentication_unavailable: 'identity could not be looked up; the request was refused',
  feed_unavailable: 'the state of the feed could not be read or written; the request was refused',
  timeout: 'a read or statement deadline was exceeded',
  mcp_prelaunch: 'this legacy route is closed',
  billing_channel_unset: 'the account has no billing channel',
  billing_entitlement_required: 'the account is not paid through',
  feed_subscription_plan_required: 'polling subscriptions need a current Pro or Ultra period',
  feed_subscription_conflict: 'a live feed of this name has another resource filter',
  feed_subscription_limit_reached: 'the account has as many live feeds as its plan allows',
  report_not_found: 'there is no such report of this account',
  replay_conflict: 'the idempotency key was used before with another input',
  submit_rate_limited: 'more than five report submissions of the account in this minute',
  status_rate_limited: 'more than thirty report status reads of the account in this minute',
  report_limit_reached:
    'the daily limit of new reports is reached, too many reports are open, or the key was presented in too many ways',
  access_denied: 'the key or its account may not use this tool',
  queue_unavailable: 'the queue of open reports is full',
  budget_exhausted: 'the daily number of investigations is used up',
  intake_paused: 'report submission is paused',
  worker_paused: 'work on reports is paused',
  lease_conflict: 'another worker has leased the report',
  state_conflict: 'the report has moved since it was read',
  invalid_transition: 'a report cannot move from its current status to that one',
  resolution_incomplete: 'a report is closed only with a finding, and as resolved only with a verified record',
  service_unavailable: 'the reports cannot be read or written now',
} as const;

/** Meaning of `forbidden` on the report routes, which need no scope. */
export const REPORTS_FORBIDDEN = 'reports need current paid access';

export type RejectionCode = keyof typeof REJECTIONS;

/** A refusal with a code of a closed set. */
export class Refusal<Code extends string> extends Error {
  readonly code: Code;
  readonly details: object | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: Code,
    message: string,
    extra: { readonly details?: object | undefined; readonly retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.details = extra.details;
    this.retryAfterSeconds = extra.retryAfterSeconds;
  }
}

/** Thrown from an edge or a query and answered in the envelope. Every other error is a defect. */
export class Rejection extends Refusal<RejectionCode> {
  override readonly name = 'Rejection';
}
