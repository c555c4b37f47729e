import type { Statement, Transaction, Transactor } from '../../domain/ports/database.ts';
import { columns, number, textAs } from '../../domain/columns.ts';
import type { PaymentLease, PaymentLedger, PaymentMove, PaymentRow, SeenPayment } from '../../domain/ports/payments.ts';
import { isNotBilled, MAX_PAUSE_MS, PAYMENT_LEASE_MS, type PaymentState, SET_BACK_MS } from '../../domain/payments/payment.ts';
import { findPayment, giveBack, LISTED, PAYMENT, reserve } from './payment-reservation.ts';
import { sql, statementsIn, verbatim } from './statements.ts';

const seen = ({ paymentId, state, leaseOwner }: SeenPayment): Statement =>
  sql`payment_id = ${paymentId} and state = ${state} and lease_owner is not distinct from ${leaseOwner}::uuid`;

/** Columns hold times of the chain's clock; one that is further ahead than any that is stored now was stored before that clock was set back. */
const passed = (column: string, now: number, longestMs: number): Statement =>
  sql`${verbatim(column)} not between ${now + 1}::bigint and ${now + longestMs + SET_BACK_MS}::bigint`;
const unleased = (now: number): Statement => passed('lease_until', now, PAYMENT_LEASE_MS);

function changes(move: PaymentMove): Statement {
  switch (move.to) {
    case 'VERIFIED':
      return sql``;
    case 'RESULT_SAVED':
      return sql`, result = ${move.result}, result_hash = ${move.resultHash}`;
    case 'SETTLING':
      return sql`, settle_attempts = settle_attempts + 1, lease_until = ${move.leaseUntil}`;
    case 'SETTLED':
      return sql`, tx_hash = ${move.transaction}, receipt = ${move.receipt}, settled_at = ${move.settledAt}, payload = null,
        lease_owner = null, lease_until = null`;
    case 'RECONCILE':
      return sql`, cause = ${move.cause}, tx_hash = coalesce(${move.transaction}, tx_hash), look_at = ${move.lookAt},
        lease_owner = null, lease_until = null`;
    case 'READ_FAILED':
    case 'READ_EMPTY':
    case 'SETTLE_FAILED':
    case 'LAPSED':
      return sql`, cause = ${move.cause}, tx_hash = coalesce(${move.transaction ?? null}, tx_hash), payload = null, result = null,
        result_hash = null, lease_owner = null, lease_until = null`;
  }
}

async function follow(transaction: Transaction, row: PaymentRow, now: number): Promise<PaymentRow> {
  if (isNotBilled(row.state)) await giveBack(transaction, row);
  if (row.state === 'SETTLED') {
    await transaction.execute(sql`insert into civic.payment_wallets as w (network, payer, account_id, changed_at)
      values (${row.network}, ${row.payer}, ${row.accountId}, ${now})
      on conflict (network, payer) do update set account_id = excluded.account_id, changed_at = excluded.changed_at
      where w.account_id is null`);
  }
  return row;
}

/** Leases rows of unknown outcome that no other lease holds. */
const claim = ({ owner, until, now }: PaymentLease, which: Statement): Statement =>
  sql`with picked as (select payment_id from civic.payments
      where state = 'RECONCILE' and (lease_until is null or ${unleased(now)}) and ${which} for update skip locked)
    update civic.payments p set lease_owner = ${owner}, lease_until = ${until}, updated_at = ${now} from picked
    where p.payment_id = picked.payment_id returning ${verbatim(PAYMENT.sql.replaceAll(/(\w+)/g, 'p.$1'))}`;

const COUNTED = columns({ state: ['state', textAs<PaymentState>()], count: ['count(*)::text', number] });

/** Its invariants are constraints and a trigger of its tables. */
export function createPaymentLedger(transactor: Transactor): PaymentLedger {
  const { run, all, first, changed } = statementsIn(transactor);
  const moved = (move: PaymentMove, now: number, which: Statement) =>
    transactor.transaction(async (transaction) => {
      const update = sql`update civic.payments set state = ${move.to}, updated_at = ${now}${changes(move)} where ${which} returning ${PAYMENT}`;
      const row = await statementsIn(transaction).first(PAYMENT, update);
      return row === null ? null : await follow(transaction, row, now);
    });
  return {
    find: (key) => first(PAYMENT, findPayment(key)),
    get: (paymentId) => first(PAYMENT, sql`select ${PAYMENT} from civic.payments where payment_id = ${paymentId}`),
    reserve: (reservation, lease, budget) => reserve(transactor, reservation, lease, budget),
    takeOver: (row, { owner, now, until }) =>
      first(
        PAYMENT,
        sql`update civic.payments set lease_owner = ${owner}, lease_until = ${until}, updated_at = ${now}
          where ${seen(row)} and ${unleased(now)} returning ${PAYMENT}`,
      ),
    move: (row, move, now) => moved(move, now, move.to === 'SETTLING' ? sql`${seen(row)} and lease_until > ${now}` : seen(row)),
    settledAfterAll: (paymentId, move, now) => moved(move, now, sql`payment_id = ${paymentId} and state in ('SETTLING', 'RECONCILE')`),
    forget: (row) =>
      transactor.transaction(async (transaction) => {
        const deletion = sql`delete from civic.payments where ${seen(row)} returning ${PAYMENT}`;
        const deleted = await statementsIn(transaction).first(PAYMENT, deletion);
        if (deleted !== null) await giveBack(transaction, deleted);
        return deleted !== null;
      }),
    abandoned: (now, limit) =>
      all(
        PAYMENT,
        sql`select ${PAYMENT} from civic.payments
          where state in ('RESERVED', 'VERIFIED', 'RESULT_SAVED', 'SETTLING') and ${unleased(now)}
            and (state <> 'RESULT_SAVED' or valid_before <= ${now}) order by lease_until limit ${limit}`,
      ),
    claimUnknown: (lease, limit) =>
      all(PAYMENT, claim(lease, sql`${passed('look_at', lease.now, MAX_PAUSE_MS)} order by look_at limit ${limit}`)),
    claimOne: (paymentId, lease) => first(PAYMENT, claim(lease, sql`payment_id = ${paymentId}`)),
    attempt: (row, now) =>
      changed(sql`update civic.payments set settle_attempts = settle_attempts + 1, updated_at = ${now} where ${seen(row)}`),
    async lookAgain(row, { cause, transaction, lookAt }) {
      await run(sql`update civic.payments set lease_owner = null, lease_until = null, cause = ${cause},
        tx_hash = coalesce(${transaction}, tx_hash), look_at = ${lookAt} where ${seen(row)}`);
    },
    unpublished: (before, limit) =>
      all(
        PAYMENT,
        sql`select ${PAYMENT} from civic.payments
          where ((not verified_told and state <> 'RESERVED')
            or (not outcome_told and state in ('SETTLED', 'READ_FAILED', 'READ_EMPTY', 'SETTLE_FAILED', 'LAPSED')))
            and ${passed('updated_at', before - 1, 0)} order by updated_at limit ${limit}`,
      ),
    async markPublished(paymentId, fact) {
      await run(sql`update civic.payments set ${verbatim(`${fact}_told`)} = true where payment_id = ${paymentId}`);
    },
    purgeResults: async (settledBefore) =>
      (
        await run(
          sql`update civic.payments set result = null where state = 'SETTLED' and result is not null and settled_at < ${settledBefore}`,
        )
      ).count,
    list: ({ state, limit }) =>
      all(
        LISTED,
        sql`select ${LISTED} from civic.payments where ${state}::text is null or state = ${state}
          order by created_at desc, payment_id limit ${limit}`,
      ),
    async countByState(begunSince) {
      const counted = await all(
        COUNTED,
        sql`select ${COUNTED} from (
          (select state from civic.payments where state in ('RESERVED', 'VERIFIED', 'RESULT_SAVED', 'SETTLING') limit 100000)
          union all (select state from civic.payments where state = 'RECONCILE' limit 100000)
          union all (select state from civic.payments where created_at >= ${begunSince}
            and state in ('SETTLED', 'READ_FAILED', 'READ_EMPTY', 'SETTLE_FAILED', 'LAPSED') limit 100000)
        ) counted group by state`,
      );
      return new Map(counted.map(({ state, count }) => [state, count]));
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
