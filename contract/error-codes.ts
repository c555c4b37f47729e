import { z } from 'zod';
import { MEANINGS } from './fields.ts';
import { CUSTOMER_REFUSALS, PUBLIC_REFUSALS } from './operation.ts';
import { type RejectionCode, REJECTIONS } from '../domain/rejections.ts';

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

const enumOf = <const Codes extends readonly RejectionCode[]>(part: string, codes: Codes) =>
  z.enum(codes).meta({ id: `${part}ErrorCode` });

/** The codes of the error envelope, by part of the interface. */
export const ERROR_CODES = {
  public: enumOf('Public', [...PUBLIC_REFUSALS, 'not_found', 'unauthorized', 'forbidden']),
  feed: enumOf('Feed', [
    ...CUSTOMER_REFUSALS,
    'feed_subscription_plan_required',
    'not_found',
    'feed_subscription_conflict',
    'feed_subscription_limit_reached',
    'cursor_expired',
    'request_too_large',
  ]),
  report: enumOf('Report', REPORT_CODES),
  tools: enumOf('ToolEndpoint', [
    'invalid_parameter',
    'unauthorized',
    'forbidden',
    'request_too_large',
    'rate_limited',
    'internal_error',
    'authentication_unavailable',
  ]),
  closed: enumOf('ClosedRoute', ['mcp_prelaunch']),
} as const;

export const STATUSES: Readonly<Record<RejectionCode, number>> = {
  invalid_parameter: 400,
  invalid_input: 400,
  unauthorized: 401,
  forbidden: 403,
  billing_channel_unset: 403,
  billing_entitlement_required: 403,
  feed_subscription_plan_required: 403,
  access_denied: 403,
  mcp_prelaunch: 403,
  not_found: 404,
  report_not_found: 404,
  feed_subscription_conflict: 409,
  feed_subscription_limit_reached: 409,
  replay_conflict: 409,
  cursor_expired: 410,
  request_too_large: 413,
  response_too_large: 413,
  rate_limited: 429,
  submit_rate_limited: 429,
  status_rate_limited: 429,
  report_limit_reached: 429,
  internal_error: 500,
  authentication_unavailable: 503,
  feed_unavailable: 503,
  queue_unavailable: 503,
  budget_exhausted: 503,
  intake_paused: 503,
  worker_paused: 503,
  lease_conflict: 503,
  state_conflict: 503,
  invalid_transition: 503,
  resolution_incomplete: 503,
  service_unavailable: 503,
  timeout: 504,
};

/** Status of a known path with an unknown method; the code is `invalid_parameter`. */
export const WRONG_METHOD_STATUS = 405;

const rejectionCode = z.enum(Object.keys(REJECTIONS) as [RejectionCode, ...RejectionCode[]]);
export const errorEnvelope = z.strictObject({
  error: z
    .strictObject({
      code: rejectionCode.describe(MEANINGS.code),
      message: z.string().min(1).describe(MEANINGS.message),
      details: z.unknown().describe(MEANINGS.details).optional(),
    })
    .describe(MEANINGS.error),
});
export type ErrorEnvelope = z.output<typeof errorEnvelope>;
