import { columns, jsonOrNull, number, text, textAs, textOrNull } from '../../domain/columns.ts';
import type { Statement, Transactor } from '../../domain/ports/database.ts';
import type { EventMark } from '../../domain/event-mark.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import { logHas } from './log-position.ts';
import type { ReactorStore } from '../../domain/ports/reactors.ts';

const REACTOR = columns({
  name: ['name', text],
  logId: ['log_id', textOrNull],
  checkpoint: ['checkpoint', textAs<Position>()],
  handled: ['handled', number],
  owner: ['owner', textOrNull],
  token: ['token', number],
  leaseUntil: ['lease_until', number],
  pausedReason: ['paused_reason', textOrNull],
  pausedEvent: ['paused_event', textOrNull],
  lastEvent: ['last_event', jsonOrNull<EventMark>()],
});

const ACQUIRE = `insert into civic.reactors as r (name, owner, token, lease_until) values ($1, $2, 1, $3::bigint + $4::bigint)
  on conflict (name) do update set owner = excluded.owner, token = r.token + 1, lease_until = excluded.lease_until
  where (r.owner is null or r.lease_until < $3::bigint) and r.paused_reason is null
  returning ${REACTOR.sql}`;
const HELD = 'name = $1 and owner = $2 and token = $3';

/** Reactors' rows in PostgreSQL; every change is one statement. */
export const createReactorStore = (transactor: Transactor): ReactorStore => {
  const run = (statement: Statement) => transactor.transaction((transaction) => transaction.execute(statement));
  return {
    list: async () => (await run({ text: `select ${REACTOR.sql} from civic.reactors order by name`, values: [] })).rows.map(REACTOR.read),
    async acquire(name, owner, now, leaseMs) {
      const { rows } = await run({ text: ACQUIRE, values: [name, owner, now, leaseMs] });
      return rows[0] === undefined ? null : REACTOR.read(rows[0]);
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
