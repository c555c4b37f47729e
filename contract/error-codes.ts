import { z } from 'zod';
import type { RejectionCode } from '../domain/rejections.ts';

export const REPORT_CODES = [
  'invalid_input',
  'unauthorized',
  'forbidden',
  'access_denied',
  'billing_channel_unset',
  'billing_entitlement_required',
  'report_not_found',
  'replay_conflict',
  'rate_limited',
  'submit_rate_limited',
  'status_rate_limited',
  'report_limit_reached',
  'queue_unavailable',
  'budget_exhausted',
  'intake_paused',
  'worker_paused',
  'lease_conflict',
  'state_conflict',
  'invalid_transition',
  'resolution_incomplete',
  'service_unavailable',
  'authentication_unavailable',
  'internal_error',
] as const satisfies readonly RejectionCode[];

const enumOf = <const Codes extends readonly RejectionCode[]>(codes: Codes) => z.enum(codes);

/** The codes of each part's error envelope, which its clients can meet. */
export const ERROR_CODES = {
  public: enumOf(['invalid_parameter', 'not_found', 'unauthorized', 'forbidden', 'rate_limited', 'internal_error']),
  feed: enumOf([
    'invalid_parameter',
    'unauthorized',
    'forbidden',
    'billing_channel_unset',
    'billing_entitlement_required',
    'feed_subscription_plan_required',
    'not_found',
    'feed_subscription_conflict',
    'feed_subscription_limit_reached',
    'cursor_expired',
    'request_too_large',
    'response_too_large',
    'rate_limited',
    'internal_error',
    'authentication_unavailable',
    'feed_unavailable',
    'timeout',
  ]),
  report: enumOf(REPORT_CODES),
  /** Before the tool protocol begins. */
  tools: enumOf([
    'invalid_parameter',
    'unauthorized',
    'forbidden',
    'request_too_large',
    'rate_limited',
    'internal_error',
    'authentication_unavailable',
  ]),
  closed: enumOf(['mcp_prelaunch']),
} as const;
