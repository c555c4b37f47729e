import type { Statement, TextRow, Transactor } from '../../src/domain/ports/database.ts';
import type { EventMark } from '../../src/domain/event-mark.ts';
import type { Position } from '../../src/domain/ports/event-log.ts';
import { logHas } from './log-position.ts';
import type { ReactorRow, ReactorStore } from '../../src/domain/ports/reactors.ts';

const COLUMNS = 'name, log_id, checkpoint, handled, owner, token, lease_until, paused_reason, paused_event, last_event';

const toRow = (row: TextRow): ReactorRow => ({
  name: row[0]!,
  logId: row[1] ?? null,
  checkpoint: row[2] as Position,
  handled: Number(row[3]),
  owner: row[4] ?? null,
  token: Number(row[5]),
  leaseUntil: Number(row[6]),
  pausedReason: row[7] ?? null,
  pausedEvent: row[8] ?? null,
  lastEvent: row[9] == null ? null : (JSON.parse(row[9]) as EventMark),
});

const ACQUIRE = `insert into civic.reactors as r (name, owner, token, lease_until) values ($1, $2, 1, $3::bigint + $4::bigint)
  on conflict (name) do update set owner = excluded.owner, token = r.token + 1, lease_until = excluded.lease_until
  where (r.owner is null or r.lease_until < $3::bigint) and r.paused_reason is null
  returning ${COLUMNS}`;
const HELD = 'name = $1 and owner = $2 and token = $3';

/** Reactors' rows in PostgreSQL; every change is one statement. */
export const createReactorStore = (transactor: Transactor): ReactorStore => {
  const run = (statement: Statement) => transactor.transaction((transaction) => transaction.execute(statement));
  return {
    list: async () => (await run({ text: `select ${COLUMNS} from civic.reactors order by name`, values: [] })).rows.map(toRow),
    async acquire(name, owner, now, leaseMs) {
      const { rows } = await run({ text: ACQUIRE, values: [name, owner, now, leaseMs] });
      return rows[0] === undefined ? null : toRow(rows[0]);
    },
    renew: async ({ name, owner, token }, leaseUntil) =>
      (await run({ text: `update civic.reactors set lease_until = $4 where ${HELD}`, values: [name, owner, token, leaseUntil] })).count ===
      1,
    advance: async ({ name, owner, token }, { from, to, handled, logId, last, proof }) =>
      (
        await run({
          text: `update civic.reactors set checkpoint = $5, handled = handled + $6, log_id = coalesce(log_id, $7::uuid),
            last_event = coalesce($8::jsonb, last_event)
          where ${HELD} and checkpoint = $4 and ${logHas('$9', '$10')}`,
          values: [
            name,
            owner,
            token,
            from,
            to,
            handled,
            logId,
            last === null ? null : JSON.stringify(last),
            proof?.place ?? null,
            proof?.id ?? null,
          ],
        })
      ).count === 1,
    async release({ name, owner, token }) {
      await run({ text: `update civic.reactors set owner = null, lease_until = 0 where ${HELD}`, values: [name, owner, token] });
    },
    async pause({ name, owner, token }, reason, eventId) {
      await run({
        text: `update civic.reactors set paused_reason = $4, paused_event = $5::uuid, owner = null, lease_until = 0 where ${HELD}`,
        values: [name, owner, token, reason.slice(0, 2000), eventId],
      });
    },
    async resume(name) {
      await run({ text: 'update civic.reactors set paused_reason = null, paused_event = null where name = $1', values: [name] });
    },
  };
};
