import type { Statement, Transaction, Transactor } from '../../../domain/ports/database.ts';
import type {
  PaymentLease,
  PaymentLedger,
  PaymentMove,
  PaymentRow,
  SeenPayment,
} from '../../../domain/ports/payments.ts';
import {
  isNotBilled,
  MAX_PAUSE_MS,
  PAYMENT_LEASE_MS,
  type PaymentState,
  SET_BACK_MS,
} from '../../../domain/payments/payment.ts';
import { findPayment, giveBack, LISTED, PAYMENT, PAYMENT_OF_P, reserve } from './payment-reservation.ts';
import { sql, statementsIn, verbatim } from '../connection/statements.ts';

const isUnchanged = ({ paymentId, state, leaseOwner }: SeenPayment): Statement =>
  sql`payment_id = ${paymentId} and state = ${state} and lease_owner is not distinct from ${leaseOwner}::uuid`;

/**
 * Returns an SQL condition: true if a time of the chain's clock has passed. A time further ahead than any that is
 * stored now counts as passed too, because it was stored before that clock was set back.
 */
const hasPassed = (column: string, now: number, longestMs: number): Statement =>
  sql`${verbatim(column)} not between ${now + 1}::bigint and ${now + longestMs + SET_BACK_MS}::bigint`;
const isUnleased = (now: number): Statement => hasPassed('lease_until', now, PAYMENT_LEASE_MS);

function columnChanges(move: PaymentMove): Statement {
  switch (move.to) {
    case 'VERIFIED':
      return sql``;
    case 'RESULT_SAVED':
      return sql`, result = ${move.result}, result_hash = ${move.resultHash}`;
    case 'SETTLING':
      return sql`, settle_attempts = settle_attempts + 1, lease_until = ${move.leaseUntil}`;
    case 'SETTLED':
      return sql`, tx_hash = ${move.transaction}, receipt = ${move.receipt}, settled_at = ${move.settledAt},
        payload = null, lease_owner = null, lease_until = null`;
    case 'RECONCILE':
      return sql`, cause = ${move.cause}, tx_hash = coalesce(${move.transaction}, tx_hash), look_at = ${move.lookAt},
        lease_owner = null, lease_until = null`;
    case 'READ_FAILED':
    case 'READ_EMPTY':
    case 'SETTLE_FAILED':
    case 'LAPSED':
      return sql`, cause = ${move.cause}, tx_hash = coalesce(${move.transaction ?? null}, tx_hash), payload = null,
        result = null, result_hash = null, lease_owner = null, lease_until = null`;
  }
}

/** Updates the rows that depend on the state of a payment. */
async function updateDependents(transaction: Transaction, row: PaymentRow, now: number): Promise<PaymentRow> {
  if (isNotBilled(row.state)) await giveBack(transaction, row);
  if (row.state === 'SETTLED') {
    await transaction.query(sql`insert into civic.payment_wallets as w (network, payer, account_id, changed_at)
      values (${row.network}, ${row.payer}, ${row.accountId}, ${now})
      on conflict (network, payer) do update set account_id = excluded.account_id, changed_at = excluded.changed_at
      where w.account_id is null`);
  }
  return row;
}

/** Returns a statement that leases rows of unknown outcome that are not leased. */
const claim = ({ owner, until, now }: PaymentLease, condition: Statement): Statement =>
  sql`with picked as (select payment_id from civic.payments
      where state = 'RECONCILE' and (lease_until is null or ${isUnleased(now)}) and ${condition} for update skip locked)
    update civic.payments p set lease_owner = ${owner}, lease_until = ${until}, updated_at = ${now} from picked
    where p.payment_id = picked.payment_id returning ${PAYMENT_OF_P}`;

interface Counted {
  readonly state: PaymentState;
  readonly count: number;
}

/** Stores payments. Constraints and a trigger of the tables enforce the invariants. */
export function createPaymentLedger(transactor: Transactor): PaymentLedger {
  const { run, all, first, changed } = statementsIn(transactor);
  const moveRow = (move: PaymentMove, now: number, condition: Statement) =>
    transactor.transaction(async (transaction) => {
      const update = sql`update civic.payments set state = ${move.to}, updated_at = ${now}${columnChanges(move)}
        where ${condition} returning ${PAYMENT}`;
      const row = await statementsIn(transaction).first<PaymentRow>(update);
      return row === null ? null : await updateDependents(transaction, row, now);
    });
  return {
    find: (key) => first(findPayment(key)),
    get: (paymentId) => first(sql`select ${PAYMENT} from civic.payments where payment_id = ${paymentId}`),
    reserve: (reservation, lease, budget) => reserve(transactor, reservation, lease, budget),
    takeOver: (row, { owner, now, until }) =>
      first(sql`update civic.payments set lease_owner = ${owner}, lease_until = ${until}, updated_at = ${now}
          where ${isUnchanged(row)} and ${isUnleased(now)} returning ${PAYMENT}`),
    move: (row, move, now) =>
      moveRow(move, now, move.to === 'SETTLING' ? sql`${isUnchanged(row)} and lease_until > ${now}` : isUnchanged(row)),
    settledAfterAll: (paymentId, move, now) =>
      moveRow(move, now, sql`payment_id = ${paymentId} and state in ('SETTLING', 'RECONCILE')`),
    forget: (row) =>
      transactor.transaction(async (transaction) => {
        const deletion = sql`delete from civic.payments where ${isUnchanged(row)} returning ${PAYMENT}`;
        const deleted = await statementsIn(transaction).first<PaymentRow>(deletion);
        if (deleted !== null) await giveBack(transaction, deleted);
        return deleted !== null;
      }),
    abandoned: (now, limit) =>
      all(sql`select ${PAYMENT} from civic.payments
          where state in ('RESERVED', 'VERIFIED', 'RESULT_SAVED', 'SETTLING') and ${isUnleased(now)}
            and (state <> 'RESULT_SAVED' or valid_before <= ${now}) order by lease_until limit ${limit}`),
    claimUnknown: (lease, limit) =>
      all(claim(lease, sql`${hasPassed('look_at', lease.now, MAX_PAUSE_MS)} order by look_at limit ${limit}`)),
    claimOne: (paymentId, lease) => first(claim(lease, sql`payment_id = ${paymentId}`)),
    attempt: (row, now) =>
      changed(
        sql`update civic.payments set settle_attempts = settle_attempts + 1, updated_at = ${now}
          where ${isUnchanged(row)}`,
      ),
    async postponeCheck(row, { cause, transaction, lookAt }) {
      await run(sql`update civic.payments set lease_owner = null, lease_until = null, cause = ${cause},
        tx_hash = coalesce(${transaction}, tx_hash), look_at = ${lookAt} where ${isUnchanged(row)}`);
    },
    unpublished: (before, limit) =>
      all(sql`select ${PAYMENT} from civic.payments
          where ((not verified_told and state <> 'RESERVED')
            or (not outcome_told and state in ('SETTLED', 'READ_FAILED', 'READ_EMPTY', 'SETTLE_FAILED', 'LAPSED')))
            and ${hasPassed('updated_at', before - 1, 0)} order by updated_at limit ${limit}`),
    async markPublished(paymentId, fact) {
      await run(sql`update civic.payments set ${verbatim(`${fact}_told`)} = true where payment_id = ${paymentId}`);
    },
    purgeResults: (settledBefore) =>
      run(sql`update civic.payments set result = null
        where state = 'SETTLED' and result is not null and settled_at < ${settledBefore}`),
    list: ({ state, limit }) =>
      all(sql`select ${LISTED} from civic.payments where ${state}::text is null or state = ${state}
          order by created_at desc, payment_id limit ${limit}`),
    async countByState(begunSince) {
      const counts = await all<Counted>(
        sql`select state, count(*) from (
          (select state from civic.payments
            where state in ('RESERVED', 'VERIFIED', 'RESULT_SAVED', 'SETTLING') limit 100000)
          union all (select state from civic.payments where state = 'RECONCILE' limit 100000)
          union all (select state from civic.payments where created_at >= ${begunSince}
            and state in ('SETTLED', 'READ_FAILED', 'READ_EMPTY', 'SETTLE_FAILED', 'LAPSED') limit 100000)
        ) counted group by state`,
      );
      return new Map(counts.map(({ state, count }) => [state, count]));
    },
    async bar(network, payer, barred, now) {
      await run(sql`insert into civic.payment_wallets as w (network, payer, barred, changed_at)
        values (${network}, lower(${payer}), ${barred}, ${now})
        on conflict (network, payer) do update set barred = excluded.barred, changed_at = excluded.changed_at`);
    },
    release: (network, payer, now) =>
      changed(sql`update civic.payment_wallets set account_id = null, changed_at = ${now}
        where network = ${network} and payer = lower(${payer}) and account_id is not null`),
  };
}
