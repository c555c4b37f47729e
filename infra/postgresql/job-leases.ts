import type { Statement, Transactor } from '../../domain/ports/database.ts';
import type { JobLeases } from '../../domain/ports/job-leases.ts';

/** Reads before it writes, since most jobs are not due. Among concurrent callers the state of the row decides. */
const TAKE = `insert into civic.regular_turns as t (name, owner, token, lease_until)
  select $1, $2, 1, $3::bigint + $4::bigint
  where not exists (select from civic.regular_turns where name = $1 and (due_at > $3::bigint or (owner is not null and lease_until >= $3::bigint)))
  on conflict (name) do update set owner = excluded.owner, token = t.token + 1, lease_until = excluded.lease_until
  where t.due_at <= $3::bigint and (t.owner is null or t.lease_until < $3::bigint)
  returning token`;
const HELD = 'name = $1 and owner = $2 and token = $3';

/** Job leases in PostgreSQL; every change is one statement. */
export const createJobLeases = (transactor: Transactor): JobLeases => {
  const run = (statement: Statement) => transactor.transaction((transaction) => transaction.execute(statement));
  return {
    async take(name, owner, now, leaseMs) {
      const { rows } = await run({ text: TAKE, values: [name, owner, now, leaseMs] });
      return rows[0] === undefined ? null : { name, owner, token: Number(rows[0][0]) };
    },
    renew: async ({ name, owner, token }, leaseUntil) =>
      (await run({ text: `update civic.regular_turns set lease_until = $4 where ${HELD}`, values: [name, owner, token, leaseUntil] }))
        .count === 1,
    async end({ name, owner, token }, dueAt) {
      await run({
        text: `update civic.regular_turns set owner = null, lease_until = 0, due_at = $4 where ${HELD}`,
        values: [name, owner, token, dueAt],
      });
    },
  };
};
