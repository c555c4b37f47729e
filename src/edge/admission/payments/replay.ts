import type { PaymentRow } from '../../../../domain/ports/payment-ledger.ts';
import { paymentReceipt } from '../../../../domain/payments/payment.ts';
import { type PaymentAnswer, PaymentRefused } from './payment-answer.ts';
import { sha256 } from './payment-hashes.ts';

export interface Claim {
  readonly accountId: string;
  readonly tool: string;
  readonly requestHash: string;
  readonly termsHash: string;
}

/** How to handle a payment that is in the ledger: answer it, or continue its work. */
export type Replay = { readonly kind: 'answer'; readonly answer: PaymentAnswer } | { readonly kind: 'take_over' };

/** Seconds after which a caller may ask again, while the worker examines the payment. */
export const LOOK_AGAIN_SECONDS = 5;

/** Decides over a payment that was used before (throws the refusal that answers it). Price and expiry are not looked at. */
export function replay(row: PaymentRow, claim: Claim, now: number): Replay {
  const same =
    row.accountId === claim.accountId &&
    row.tool === claim.tool &&
    row.requestHash === claim.requestHash &&
    row.termsHash === claim.termsHash;
  if (!same) throw new PaymentRefused('payment_replay_mismatch');
  switch (row.state) {
    case 'RESERVED':
    case 'VERIFIED':
    case 'RESULT_SAVED':
      if (row.leaseUntil !== null && row.leaseUntil > now) throw inProgress(row.leaseUntil - now);
      return { kind: 'take_over' };
    case 'SETTLING':
      if (row.leaseUntil !== null && row.leaseUntil > now) throw inProgress(row.leaseUntil - now);
      throw new PaymentRefused('payment_reconciliation_required', { retryAfterSeconds: LOOK_AGAIN_SECONDS });
    case 'RECONCILE':
      throw new PaymentRefused('payment_reconciliation_required', { retryAfterSeconds: LOOK_AGAIN_SECONDS });
    case 'SETTLED':
      return { kind: 'answer', answer: paidAnswer(row) };
    case 'READ_FAILED':
      throw new PaymentRefused('payment_previous_read_failure', { details: { cause: row.cause } });
    case 'READ_EMPTY':
      throw new PaymentRefused('empty_result_not_chargeable');
    case 'SETTLE_FAILED':
      throw new PaymentRefused('payment_previous_settlement_failure', { details: { cause: row.cause } });
    case 'LAPSED':
      throw new PaymentRefused('payment_expired');
  }
}

export const inProgress = (leftMs: number): PaymentRefused =>
  new PaymentRefused('payment_in_progress', { retryAfterSeconds: Math.ceil(leftMs / 1000) });

/** The data of a settled row, as it was saved before it was paid for; throws when it is not to be had. */
export function paidAnswer({ result, resultHash, receipt }: PaymentRow): PaymentAnswer {
  if (result === null || receipt === null || sha256(result) !== resultHash) throw new PaymentRefused('payment_receipt_unavailable');
  return { kind: 'paid', data: JSON.parse(result), text: result, receipt: paymentReceipt.parse(JSON.parse(receipt)) };
}
