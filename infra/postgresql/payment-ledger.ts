import type { StatementValue, Transaction, Transactor } from '../../domain/ports/database.ts';
import type { PaymentLease, PaymentLedger, PaymentMove, PaymentRow, SeenPayment } from '../../domain/ports/payment-ledger.ts';
import { isNotBilled, type PaymentState } from '../../domain/payments/payment.ts';
import { giveBack, LISTED, PAYMENT, reserve } from './payment-reservation.ts';
import { executeAlone } from './execute.ts';

const SEEN = 'payment_id = $1 and state = $2 and lease_owner is not distinct from $3::uuid';
const seen = ({ paymentId, state, leaseOwner }: SeenPayment): readonly StatementValue[] => [paymentId, state, leaseOwner];

/** Columns that a move writes beside state and time; parameters from $6. */
function changes(move: PaymentMove): { readonly set: string; readonly values: readonly StatementValue[] } {
  switch (move.to) {
    case 'VERIFIED':
      return { set: '', values: [] };
    case 'RESULT_SAVED':
      return { set: ', result = $6, result_hash = $7', values: [move.result, move.resultHash] };
    case 'SETTLING':
      return { set: ', settle_attempts = settle_attempts + 1, lease_until = $6', values: [move.leaseUntil] };
    case 'SETTLED':
      return {
        set: ', tx_hash = $6, receipt = $7, settled_at = $8, payload = null, lease_owner = null, lease_until = null',
        values: [move.transaction, move.receipt, move.settledAt],
      };
    case 'RECONCILE':
      return {
        set: ', cause = $6, tx_hash = coalesce($7, tx_hash), look_at = $8, lease_owner = null, lease_until = null',
        values: [move.cause, move.transaction, move.lookAt],
      };
    case 'READ_FAILED':
    case 'READ_EMPTY':
    case 'SETTLE_FAILED':
    case 'LAPSED':
      return {
        set: `, cause = $6, tx_hash = coalesce($7, tx_hash), payload = null, result = null, result_hash = null,
          lease_owner = null, lease_until = null`,
        values: [move.cause, move.transaction ?? null],
      };
  }
}

const BIND_WALLET = `insert into civic.payment_wallets as w (network, payer, account_id, changed_at) values ($1, $2, $3, $4)
  on conflict (network, payer) do update set account_id = excluded.account_id, changed_at = excluded.changed_at where w.account_id is null`;

/** Further changes of the transaction that moves a row. */
async function follow(transaction: Transaction, row: PaymentRow, now: number): Promise<PaymentRow> {
  if (isNotBilled(row.state)) await giveBack(transaction, row);
  if (row.state === 'SETTLED') await transaction.execute({ text: BIND_WALLET, values: [row.network, row.payer, row.accountId, now] });
  return row;
}

const CLAIM = `update civic.payments p set lease_owner = $1, lease_until = $2, updated_at = $3 from picked where p.payment_id = picked.payment_id`;
const FREE = "state = 'RECONCILE' and (lease_until is null or lease_until <= $3)";
const claim = (which: string): string =>
  `with picked as (select payment_id from civic.payments where ${FREE} and ${which} for update skip locked)
  ${CLAIM} returning ${PAYMENT.sql.replaceAll(/(\w+)/g, 'p.$1')}`;

const FIND = `select ${PAYMENT.sql} from civic.payments where network = $1 and asset = $2 and payer = $3 and nonce = $4`;
const TAKE_OVER = `update civic.payments set lease_owner = $4, lease_until = $5, updated_at = $6 where ${SEEN} and lease_until <= $6
  returning ${PAYMENT.sql}`;
const ABANDONED = `select ${PAYMENT.sql} from civic.payments
  where state in ('RESERVED', 'VERIFIED', 'RESULT_SAVED', 'SETTLING') and lease_until <= $1
    and (state <> 'RESULT_SAVED' or valid_before <= $1) order by lease_until limit $2`;
const UNTOLD = `select ${PAYMENT.sql} from civic.payments
  where ((not verified_told and state <> 'RESERVED')
    or (not outcome_told and state in ('SETTLED', 'READ_FAILED', 'READ_EMPTY', 'SETTLE_FAILED', 'LAPSED')))
    and updated_at < $1 order by updated_at limit $2`;
const LIST = `select ${LISTED.sql} from civic.payments where $1::text is null or state = $1 order by created_at desc, payment_id limit $2`;
const COUNT_BY_STATE = `select state, count(*)::text from (
    (select state from civic.payments where state in ('RESERVED', 'VERIFIED', 'RESULT_SAVED', 'SETTLING') limit 100000)
    union all (select state from civic.payments where state = 'RECONCILE' limit 100000)
    union all (select state from civic.payments
      where created_at >= $1 and state in ('SETTLED', 'READ_FAILED', 'READ_EMPTY', 'SETTLE_FAILED', 'LAPSED') limit 100000)
  ) counted group by state`;
const LOOK_AGAIN = `update civic.payments set lease_owner = null, lease_until = null, cause = $4, tx_hash = coalesce($5, tx_hash), look_at = $6
  where ${SEEN}`;
const BAR = `insert into civic.payment_wallets as w (network, payer, barred, changed_at) values ($1, lower($2), $3, $4)
  on conflict (network, payer) do update set barred = excluded.barred, changed_at = excluded.changed_at`;

/** The ledger in PostgreSQL; its invariants are constraints and a trigger of its tables. */
export function createPaymentLedger(transactor: Transactor): PaymentLedger {
  const run = executeAlone(transactor);
  const rows = async (text: string, values: readonly StatementValue[]) => (await run(text, values)).rows.map(PAYMENT.read);
  const claimed = (text: string, { owner, until, now }: PaymentLease, value: StatementValue) => rows(text, [owner, until, now, value]);
  const moved = (text: string, values: readonly StatementValue[], now: number) =>
    transactor.transaction(async (transaction) => {
      const [row] = (await transaction.execute({ text: `${text} returning ${PAYMENT.sql}`, values })).rows;
      return row === undefined ? null : await follow(transaction, PAYMENT.read(row), now);
    });
  return {
    find: async ({ network, asset, payer, nonce }) => (await rows(FIND, [network, asset, payer, nonce]))[0] ?? null,
    get: async (paymentId) => (await rows(`select ${PAYMENT.sql} from civic.payments where payment_id = $1`, [paymentId]))[0] ?? null,
    reserve: (reservation, lease, budget) => reserve(transactor, reservation, lease, budget),
    takeOver: async (row, { owner, now, until }) => (await rows(TAKE_OVER, [...seen(row), owner, until, now]))[0] ?? null,
    async move(row, move, now) {
      const { set, values } = changes(move);
      const still = move.to === 'SETTLING' ? `${SEEN} and lease_until > $5` : SEEN;
      return moved(
        `update civic.payments set state = $4, updated_at = $5${set} where ${still}`,
        [...seen(row), move.to, now, ...values],
        now,
      );
    },
    async settledAfterAll(paymentId, move, now) {
      const { set, values } = changes(move);
      const text = `update civic.payments set state = $4, updated_at = $5${set}
        where payment_id = $1 and state in ($2, $3)`;
      return moved(text, [paymentId, 'SETTLING', 'RECONCILE', move.to, now, ...values], now);
    },
    forget: (row) =>
      transactor.transaction(async (transaction) => {
        const text = `delete from civic.payments where ${SEEN} returning ${PAYMENT.sql}`;
        const [deleted] = (await transaction.execute({ text, values: seen(row) })).rows;
        if (deleted !== undefined) await giveBack(transaction, PAYMENT.read(deleted));
        return deleted !== undefined;
      }),
    abandoned: (now, limit) => rows(ABANDONED, [now, limit]),
    claimUnknown: (lease, limit) => claimed(claim('look_at <= $3 order by look_at limit $4'), lease, limit),
    claimOne: async (paymentId, lease) => (await claimed(claim('payment_id = $4'), lease, paymentId))[0] ?? null,
    async attempt(row, now) {
      const text = `update civic.payments set settle_attempts = settle_attempts + 1, updated_at = $4 where ${SEEN}`;
      return (await run(text, [...seen(row), now])).count === 1;
    },
    async lookAgain(row, { cause, transaction, lookAt }) {
      await run(LOOK_AGAIN, [...seen(row), cause, transaction, lookAt]);
    },
    unpublished: (before, limit) => rows(UNTOLD, [before, limit]),
    async markPublished(paymentId, fact) {
      await run(`update civic.payments set ${fact}_told = true where payment_id = $1`, [paymentId]);
    },
    async purgeResults(settledBefore) {
      const text = `update civic.payments set result = null
        where state = 'SETTLED' and result is not null and settled_at < $1`;
      return (await run(text, [settledBefore])).count;
    },
    list: async ({ state, limit }) => (await run(LIST, [state, limit])).rows.map(LISTED.read),
    async countByState(begunSince) {
      const counted = await run(COUNT_BY_STATE, [begunSince]);
      return new Map(counted.rows.map(([state, count]) => [state as PaymentState, Number(count)]));
    },
    async bar(network, payer, barred, now) {
      await run(BAR, [network, payer, barred, now]);
    },
    async release(network, payer, now) {
      const text = `update civic.payment_wallets set account_id = null, changed_at = $3
        where network = $1 and payer = lower($2) and account_id is not null`;
      return (await run(text, [network, payer, now])).count === 1;
    },
  };
}
