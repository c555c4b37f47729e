import type { PaymentChallenge } from '../../../../contract/tools/payment-challenge.ts';
import { PAYMENT_LEASE_MS } from '../../../../commands/payments/payment-facts.ts';
import { TOOL_ERRORS, type ToolErrorCode, ToolRefusal } from '../../../../contract/tools/tool-errors.ts';
import type { PaymentReceipt } from '../../../../domain/payments/payment.ts';

/** The result of a call of a sold tool. */
export type PaymentAnswer =
  /** Nothing is charged for this call: read and answer. */
  | { readonly kind: 'serve' }
  /** Paid: `text` is the JSON of `data`, identical bytes each time that the same payment is sent. */
  | { readonly kind: 'paid'; readonly data: unknown; readonly text: string; readonly receipt: PaymentReceipt }
  | { readonly kind: 'challenge'; readonly challenge: PaymentChallenge }
  | PaymentRefused;

/** Ends a call with a code of the tool's list. */
export class PaymentRefused extends ToolRefusal {
  readonly kind = 'error';

  constructor(code: ToolErrorCode, extra: ConstructorParameters<typeof ToolRefusal>[2] = {}, message: string = TOOL_ERRORS[code]) {
    super(code, message, extra);
  }
}

/** Seconds after which a caller may ask again, while the worker examines the payment or a store is away. */
export const AGAIN_SECONDS = 5;

export const unknownYet = (): PaymentRefused => new PaymentRefused('payment_reconciliation_required', { retryAfterSeconds: AGAIN_SECONDS });

/** Another process holds the payment for so many milliseconds at most. */
export const inProgress = (leftMs = PAYMENT_LEASE_MS): PaymentRefused =>
  new PaymentRefused('payment_in_progress', { retryAfterSeconds: leftMs / 1000 });

/** Codes after which the caller may sign a new payment for the same call; their details contain a new challenge. */
export const REPAYABLE: ReadonlySet<ToolErrorCode> = new Set<ToolErrorCode>([
  'payment_invalid',
  'payment_expired',
  'payment_mismatch',
  'payment_request_invalid',
  'payment_price_mismatch',
  'payment_authorization_invalid',
  'payment_settlement_failed',
  'payment_previous_read_failure',
  'payment_previous_settlement_failure',
  'read_timeout',
  'read_failed',
  'read_result_not_saved',
]);
