import type { Statement, Transaction, Transactor } from '../../domain/ports/database.ts';
import type { PaymentBudget, PaymentLease, PaymentRow, Reservation, Reserved } from '../../domain/ports/payments.ts';
import { columns, flag, number, numberOrNull, text, textAs, textOrNull } from '../../domain/columns.ts';
import type { PaymentKey, PaymentState } from '../../domain/payments/payment.ts';
import { sql, statementsIn } from './statements.ts';

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

/** For operators: without payload and result. */
export const LISTED = columns(SHOWN);

/** For the payment flow only. */
export const PAYMENT = columns({
  ...SHOWN,
  leaseOwner: ['lease_owner', textOrNull],
  payload: ['payload', textOrNull],
  result: ['result', textOrNull],
  receipt: ['receipt', textOrNull],
});

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

/** Inserts the row and charges both budgets, or does neither. Locks rows, then accounts, then the total, in this order everywhere. */
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
      const wallet = await transaction.execute(sql`select from civic.payment_wallets
        where network = ${network} and payer = ${payer} and (barred or (account_id is not null and account_id <> ${accountId}::uuid))`);
      if (wallet.count > 0) throw new NotReserved({ kind: 'wallet_refused' });
      for (const [spender, limit] of [
        [accountId, perAccount],
        [SERVICE, ofAll],
      ] as const) {
        const taken = await transaction.execute(sql`insert into civic.payment_budgets as b (day, spender, reserved)
          select ${day}, ${spender}, ${amount}::numeric where ${amount}::numeric <= ${limit}::numeric
          on conflict (day, spender) do update set reserved = b.reserved + excluded.reserved
          where b.reserved + excluded.reserved <= ${limit}::numeric`);
        if (taken.count === 0) throw new NotReserved({ kind: 'budget_exceeded' });
      }
      return { kind: 'reserved', row };
    });
  } catch (error) {
    if (error instanceof NotReserved) return error.reserved;
    throw error;
  }
}

export const findPayment = ({ network, asset, payer, nonce }: PaymentKey): Statement =>
  sql`select ${PAYMENT} from civic.payments where network = ${network} and asset = ${asset} and payer = ${payer} and nonce = ${nonce}`;

const TRIES = 5;
/** The conflicting row may be deleted before it is read; the insert is then repeated. */
async function insertOrFind(transaction: Transaction, r: Reservation, lease: PaymentLease, day: string): Promise<PaymentRow> {
  const { first } = statementsIn(transaction);
  // No conflict target: with one, a row that a concurrent call inserts violates the other unique index, the primary key.
  const insert = sql`insert into civic.payments (payment_id, network, asset, payer, nonce, account_id, key_id, tool, request_hash, terms_hash,
      price_version, amount, pay_to, valid_before, payload, created_at, facts_after, budget_day, state, lease_owner, lease_until, updated_at)
    values (${r.paymentId}, ${r.network}, ${r.asset}, ${r.payer}, ${r.nonce}, ${r.accountId}, ${r.keyId}, ${r.tool}, ${r.requestHash},
      ${r.termsHash}, ${r.priceVersion}, ${r.amount}, ${r.payTo}, ${r.validBefore}, ${r.payload}, ${r.createdAt}, ${r.factsAfter}, ${day},
      'RESERVED', ${lease.owner}, ${lease.until}, ${lease.now})
    on conflict do nothing returning ${PAYMENT}`;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = (await first(PAYMENT, insert)) ?? (await first(PAYMENT, findPayment(r)));
    if (found !== null) return found;
  }
  throw new Error('the place of a payment was taken and freed again and again');
}

/** Returns the amount of a row to both budgets; the row will not be billed. */
export async function giveBack(transaction: Transaction, row: Pick<PaymentRow, 'createdAt' | 'accountId' | 'amount'>): Promise<void> {
  for (const spender of [row.accountId, SERVICE]) {
    await transaction.execute(sql`update civic.payment_budgets set reserved = reserved - ${row.amount}::numeric
      where day = ${dayOf(row.createdAt)} and spender = ${spender}`);
  }
}
