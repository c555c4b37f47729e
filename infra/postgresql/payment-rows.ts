import type { TextRow } from '../../src/domain/ports/database.ts';
import type { ListedPayment, PaymentRow } from '../../src/domain/ports/payment-ledger.ts';
import type { PaymentState } from '../../src/domain/payments/payment-states.ts';

/** What may be shown; the columns of a row are these and then those that only the flow sees. */
const LISTED = `payment_id, network, asset, payer, nonce, account_id, key_id, tool, request_hash, terms_hash, price_version, amount, pay_to,
  valid_before, state, lease_until, result_hash, cause, tx_hash, settle_attempts, created_at, updated_at, settled_at, facts_after,
  verified_told, outcome_told`;
export const LISTED_COLUMNS = LISTED;
export const ROW_COLUMNS = `${LISTED}, lease_owner, payload, result, receipt`;

const number = (text: string | null | undefined): number | null => (text === null || text === undefined ? null : Number(text));

export const toListed = (row: TextRow): ListedPayment => ({
  paymentId: row[0]!,
  network: row[1]!,
  asset: row[2]!,
  payer: row[3]!,
  nonce: row[4]!,
  accountId: row[5]!,
  keyId: row[6]!,
  tool: row[7]!,
  requestHash: row[8]!,
  termsHash: row[9]!,
  priceVersion: row[10]!,
  amount: row[11]!,
  payTo: row[12]!,
  validBefore: Number(row[13]),
  state: row[14] as PaymentState,
  leaseUntil: number(row[15]),
  resultHash: row[16] ?? null,
  cause: row[17] ?? null,
  transaction: row[18] ?? null,
  settleAttempts: Number(row[19]),
  createdAt: Number(row[20]),
  updatedAt: Number(row[21]),
  settledAt: number(row[22]),
  factsAfter: Number(row[23]),
  verifiedTold: row[24] === 't',
  outcomeTold: row[25] === 't',
});

export const toRow = (row: TextRow): PaymentRow => ({
  ...toListed(row),
  leaseOwner: row[26] ?? null,
  payload: row[27] ?? null,
  result: row[28] ?? null,
  receipt: row[29] ?? null,
});
