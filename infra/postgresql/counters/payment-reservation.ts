import type { Statement, Transaction, Transactor } from '../../../domain/ports/database.ts';
import type { PaymentBudget, PaymentLease, PaymentRow, Reservation, Reserved } from '../../../domain/ports/payments.ts';
import type { PaymentKey } from '../../../domain/payments/payment.ts';
import { columnList, sql, statementsIn } from '../connection/statements.ts';

const SHOWN = {
  paymentId: 'payment_id',
  network: 'network',
  asset: 'asset',
  payer: 'payer',
  nonce: 'nonce',
  accountId: 'account_id',
  keyId: 'key_id',
  tool: 'tool',
  requestHash: 'request_hash',
  termsHash: 'terms_hash',
  priceVersion: 'price_version',
  amount: 'amount',
  payTo: 'pay_to',
  validBefore: 'valid_before',
  state: 'state',
  leaseUntil: 'lease_until',
  resultHash: 'result_hash',
  cause: 'cause',
  transaction: 'tx_hash',
  settleAttempts: 'settle_attempts',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  settledAt: 'settled_at',
  factsAfter: 'facts_after',
  verifiedPublished: 'verified_told',
  outcomePublished: 'outcome_told',
};

/** Columns that operators see, without payload and result. */
export const LISTED = columnList(SHOWN);

const ALL = { ...SHOWN, leaseOwner: 'lease_owner', payload: 'payload', result: 'result', receipt: 'receipt' };

/** All columns, for the payment flow only. */
export const PAYMENT = columnList(ALL);

/** All columns with the alias `p`, for statements with several tables. */
export const PAYMENT_OF_P = columnList(
  Object.fromEntries(Object.entries(ALL).map(([name, column]) => [name, `p.${column}`])),
);

const SERVICE = 'service';
const DAY_LENGTH = 10;
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, DAY_LENGTH);

class NotReserved extends Error {
  readonly reserved: Exclude<Reserved, { kind: 'reserved' }>;
  constructor(reserved: Exclude<Reserved, { kind: 'reserved' }>) {
    super('rolled back');
    this.reserved = reserved;
  }
}

/**
 * Inserts the row and charges both budgets, or does neither. Every transaction locks in the same order: payments,
 * accounts, total.
 */
export async function reserve(
  transactor: Transactor,
  reservation: Reservation,
  lease: PaymentLease,
  { perAccount, ofAll }: PaymentBudget,
): Promise<Reserved> {
  const { network, payer, accountId, amount } = reservation;
  const day = dayOf(reservation.createdAt);
  try {
    return await transactor.transaction(async (transaction): Promise<Reserved> => {
      const row = await insertOrFind(transaction, reservation, lease, day);
      if (row.leaseOwner !== lease.owner) return { kind: 'found', row };
      const wallet = await transaction.query(sql`select from civic.payment_wallets
        where network = ${network} and payer = ${payer}
          and (barred or (account_id is not null and account_id <> ${accountId}::uuid))`);
      if (wallet.count > 0) throw new NotReserved({ kind: 'wallet_refused' });
      for (const [spender, limit] of [
        [accountId, perAccount],
        [SERVICE, ofAll],
      ] as const) {
        const charged = await transaction.query(sql`insert into civic.payment_budgets as b (day, spender, reserved)
          select ${day}, ${spender}, ${amount}::numeric where ${amount}::numeric <= ${limit}::numeric
          on conflict (day, spender) do update set reserved = b.reserved + excluded.reserved
          where b.reserved + excluded.reserved <= ${limit}::numeric`);
        if (charged.count === 0) throw new NotReserved({ kind: 'budget_exceeded' });
      }
      return { kind: 'reserved', row };
    });
  } catch (error) {
    if (error instanceof NotReserved) return error.reserved;
    throw error;
  }
}

export const findPayment = ({ network, asset, payer, nonce }: PaymentKey): Statement =>
  sql`select ${PAYMENT} from civic.payments
    where network = ${network} and asset = ${asset} and payer = ${payer} and nonce = ${nonce}`;

const TRIES = 5;
/** Inserts the row or returns the conflicting one. Retries if the conflicting row is deleted before it is read. */
async function insertOrFind(
  transaction: Transaction,
  r: Reservation,
  lease: PaymentLease,
  day: string,
): Promise<PaymentRow> {
  const { first } = statementsIn(transaction);
  // `on conflict` without a target covers both unique indexes: a concurrent call can violate either of them.
  const insert = sql`insert into civic.payments (payment_id, network, asset, payer, nonce, account_id, key_id, tool,
      request_hash, terms_hash, price_version, amount, pay_to, valid_before, payload, created_at, facts_after,
      budget_day, state, lease_owner, lease_until, updated_at)
    values (${r.paymentId}, ${r.network}, ${r.asset}, ${r.payer}, ${r.nonce}, ${r.accountId}, ${r.keyId}, ${r.tool},
      ${r.requestHash}, ${r.termsHash}, ${r.priceVersion}, ${r.amount}, ${r.payTo}, ${r.validBefore}, ${r.payload},
      ${r.createdAt}, ${r.factsAfter}, ${day}, 'RESERVED', ${lease.owner}, ${lease.until}, ${lease.now})
    on conflict do nothing returning ${PAYMENT}`;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const row = (await first<PaymentRow>(insert)) ?? (await first<PaymentRow>(findPayment(r)));
    if (row !== null) return row;
  }
  throw new Error('payment reservation kept changing hands; giving up');
}

/** Returns the amount of a payment to both budgets. The payment will not be billed. */
export async function giveBack(
  transaction: Transaction,
  row: Pick<PaymentRow, 'createdAt' | 'accountId' | 'amount'>,
): Promise<void> {
  for (const spender of [row.accountId, SERVICE]) {
    await transaction.query(sql`update civic.payment_budgets set reserved = reserved - ${row.amount}::numeric
      where day = ${dayOf(row.createdAt)} and spender = ${spender}`);
  }
}
