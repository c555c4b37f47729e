import { columns, flag, number, numberOrNull, text, textAs, textOrNull } from '../../domain/columns.ts';
import type { PaymentState } from '../../domain/payments/payment-states.ts';

const SHOWN = {
  paymentId: ['payment_id', text],
  network: ['network', text],
  asset: ['asset', text],
  payer: ['payer', text],
  nonce: ['nonce', text],
  accountId: ['account_id', text],
  keyId: ['key_id', text],
  tool: ['tool', text],
  requestHash: ['request_hash', text],
  termsHash: ['terms_hash', text],
  priceVersion: ['price_version', text],
  amount: ['amount', text],
  payTo: ['pay_to', text],
  validBefore: ['valid_before', number],
  state: ['state', textAs<PaymentState>()],
  leaseUntil: ['lease_until', numberOrNull],
  resultHash: ['result_hash', textOrNull],
  cause: ['cause', textOrNull],
  transaction: ['tx_hash', textOrNull],
  settleAttempts: ['settle_attempts', number],
  createdAt: ['created_at', number],
  updatedAt: ['updated_at', number],
  settledAt: ['settled_at', numberOrNull],
  factsAfter: ['facts_after', number],
  verifiedPublished: ['verified_told', flag],
  outcomePublished: ['outcome_told', flag],
} as const;

/** A payment for operators, without payload and result. */
export const LISTED = columns(SHOWN);

/** A payment with payload and result, for the payment flow only. */
export const PAYMENT = columns({
  ...SHOWN,
  leaseOwner: ['lease_owner', textOrNull],
  payload: ['payload', textOrNull],
  result: ['result', textOrNull],
  receipt: ['receipt', textOrNull],
});
