import type { PaymentRow } from '../../../../domain/ports/payment-ledger.ts';
import { paymentReceipt } from '../../../../domain/payments/payment.ts';
import { inProgress, type PaymentAnswer, PaymentRefused, unknownYet } from './payment-answer.ts';
import { sha256 } from './payment-payload.ts';

/** The request that a payment is presented for. */
export type Claim = Pick<PaymentRow, 'accountId' | 'tool' | 'requestHash' | 'termsHash'>;

/**
 * Answers a payment that is in the ledger; null where its work is to be continued. Throws the refusal that answers it. Price and expiry are
 * not looked at.
 */
export function replay(row: PaymentRow, { accountId, tool, requestHash, termsHash }: Claim, now: number): PaymentAnswer | null {
  const same = row.accountId === accountId && row.tool === tool && row.requestHash === requestHash && row.termsHash === termsHash;
  if (!same) throw new PaymentRefused('payment_replay_mismatch');
  const leftMs = (row.leaseUntil ?? 0) - now;
  switch (row.state) {
    case 'RESERVED':
    case 'VERIFIED':
    case 'RESULT_SAVED':
      if (leftMs > 0) throw inProgress(leftMs);
      return null;
    case 'SETTLING':
      throw leftMs > 0 ? inProgress(leftMs) : unknownYet();
    case 'RECONCILE':
      throw unknownYet();
    case 'SETTLED':
      return paidAnswer(row);
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

/** The data of a settled row as saved before settlement; throws where it is missing or damaged. */
export function paidAnswer({ result, resultHash, receipt }: PaymentRow): PaymentAnswer {
  if (result === null || receipt === null || sha256(result) !== resultHash) throw new PaymentRefused('payment_receipt_unavailable');
  return { kind: 'paid', data: JSON.parse(result), text: result, receipt: paymentReceipt.parse(JSON.parse(receipt)) };
}
