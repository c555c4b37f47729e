import { Refusal, type RejectionCode, REJECTIONS } from '../../domain/rejections.ts';
import { REPORT_CODES } from '../error-codes.ts';

const COMMON = {
  unauthorized: 'there is no authenticated credential',
  invalid_parameter: 'an argument does not match the schema',
  response_too_large: 'the result is over 16,384 bytes even when trimmed',
  service_unavailable: 'the answer cannot be had now',
  timeout: 'the deadline of the tool has passed',
} as const;

/** Payment codes apply to the pay-as-you-go channel. */
const PAID = {
  invalid_cursor: 'the cursor is invalid or not of this search; ask again without one',
  beta_unavailable: 'the pay-as-you-go channel is not enabled; do not retry by yourself',
  billing_channel_payment_mismatch: 'a payment came from an account of another channel',
  billing_entitlement_required: 'the account is not paid through',
  payment_required: 'a payment is needed; the result is the challenge itself',
  payment_invalid: 'the payment does not have the shape of one',
  payment_expired: 'the payment is no longer, or hardly still, valid',
  payment_mismatch: 'the payment is for other terms than the ones asked for',
  payment_request_invalid: 'the payment is bound to another request',
  payment_price_mismatch: 'the amount is not the current price; the fresh challenge is in the details',
  payment_price_unavailable: 'there is no price now',
  payment_access_denied: 'this payer may not pay for this account',
  payment_replay_mismatch: 'the payment was used before for another request',
  payment_budget_exceeded: 'the payment is beyond what may be spent',
  payment_ledger_unavailable: 'the payment could not be recorded; nothing was charged',
  payment_verification_unavailable: 'the payment could not be verified now; nothing was charged',
  payment_authorization_invalid: 'the authorization does not verify',
  payment_settlement_failed: 'the payment was not settled; nothing was billed',
  payment_in_progress: 'the same payment is being worked on; ask again later',
  payment_reconciliation_required:
    'whether the payment was settled is not known yet; the same payment finds the answer later',
  payment_previous_read_failure: 'the read for this payment failed before; sign a new payment',
  payment_previous_settlement_failure: 'this payment was refused before; sign a new payment',
  payment_receipt_unavailable:
    'the payment was settled and its receipt cannot be read now; the same payment finds it later',
  empty_result_not_chargeable: 'nothing was found; nothing was charged',
  read_timeout: 'the read took too long; nothing was charged',
  read_failed: 'the read failed; nothing was charged',
  read_result_too_large: 'the result is too large; nothing was charged',
  read_result_not_saved: 'the result could not be saved; nothing was charged',
} as const;

const SEARCH = {
  rate_limited: 'too many searches of the account run at once; ask again after retryAfterSeconds',
} as const;

/** Codes of the report routes that the tools replace by their own codes or never return. */
const REST_ONLY = [
  'unauthorized',
  'forbidden',
  'billing_channel_unset',
  'billing_entitlement_required',
  'rate_limited',
  'authentication_unavailable',
  'internal_error',
] as const satisfies readonly RejectionCode[];
type ReportCode = Exclude<(typeof REPORT_CODES)[number], (typeof REST_ONLY)[number]>;
const REPORT_TOOL_REFUSALS = REPORT_CODES.filter(
  (code): code is ReportCode => !(REST_ONLY as readonly RejectionCode[]).includes(code),
);
const REPORT = Object.fromEntries(REPORT_TOOL_REFUSALS.map((code) => [code, REJECTIONS[code]])) as Readonly<
  Record<ReportCode, string>
>;
export const TOOL_ERRORS = { ...PAID, ...SEARCH, ...REPORT, ...COMMON } as const;
export type ToolErrorCode = keyof typeof TOOL_ERRORS;

const codesOf = <Code extends ToolErrorCode>(meanings: Readonly<Record<Code, string>>): readonly Code[] =>
  Object.keys(meanings) as Code[];
export const COMMON_TOOL_CODES = codesOf(COMMON);
export const PAID_TOOL_CODES = [...COMMON_TOOL_CODES, ...codesOf(PAID)];
export const SEARCH_TOOL_CODES = [...PAID_TOOL_CODES, ...codesOf(SEARCH)];
export const REPORT_TOOL_CODES = [...new Set([...COMMON_TOOL_CODES, ...REPORT_TOOL_REFUSALS])];

/** An expected refusal of a tool, thrown and answered as an `isError` result. A `Rejection` with a code of the tool is answered in the same way. */
export class ToolRefusal extends Refusal<ToolErrorCode> {
  override readonly name = 'ToolRefusal';
}
