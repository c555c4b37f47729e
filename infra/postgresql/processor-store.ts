import { columns, jsonOrNull, number, text, textAs, textOrNull } from '../../domain/columns.ts';
import type { Transactor } from '../../domain/ports/database.ts';
import type { EventMark } from '../../domain/event-mark.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import { executeAlone } from './execute.ts';
import { logHas } from './log-position.ts';
import type { ProcessorLease, ProcessorStore } from '../../domain/ports/reactors.ts';

const PROCESSOR = columns({
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

const isFree = (now: string) =>
  `p.paused_reason is null and (p.owner is null or p.lease_until < ${now}::bigint) and (p.due_at is null or p.due_at <= ${now}::bigint)`;
/** Reads before it writes: most attempts find another owner, or a job that is not due. Among concurrent callers the state of the row decides. */
const ACQUIRE = `insert into civic.processors as p (name, due_at, owner, token, lease_until)
  select $1, $2::bigint, $3, 1, $4::bigint + $5::bigint
  where not exists (select from civic.processors p where p.name = $1 and not (${isFree('$4')}))
  on conflict (name) do update set owner = excluded.owner, token = p.token + 1, lease_until = excluded.lease_until
  where ${isFree('$4')}
  returning ${PROCESSOR.sql}`;
const HELD = 'name = $1 and owner = $2 and token = $3';
const ADVANCE = `update civic.processors set checkpoint = $5, handled = handled + $6, log_id = coalesce(log_id, $7::uuid),
    last_event = coalesce($8::jsonb, last_event)
  where ${HELD} and checkpoint = $4 and ${logHas('$9', '$10')}`;
const PAUSE = `update civic.processors set paused_reason = $4, paused_event = $5::uuid, owner = null, lease_until = 0 where ${HELD}`;

/** Rows of reactors and jobs in PostgreSQL; every change is one statement. */
export function createProcessorStore(transactor: Transactor): ProcessorStore {
  const run = executeAlone(transactor);
  const acquire = async (name: string, dueAt: number | null, owner: string, now: number, leaseMs: number) => {
    const { rows } = await run(ACQUIRE, [name, dueAt, owner, now, leaseMs]);
    return rows[0] === undefined ? null : PROCESSOR.read(rows[0]);
  };
  const release = async ({ name, owner, token }: ProcessorLease, dueAt: number | null): Promise<void> => {
    await run(`update civic.processors set owner = null, lease_until = 0, due_at = $4 where ${HELD}`, [name, owner, token, dueAt]);
  };
  return {
    listReactors: async () =>
      (await run(`select ${PROCESSOR.sql} from civic.processors p where due_at is null order by name`)).rows.map(PROCESSOR.read),
    acquireReactor: (name, owner, now, leaseMs) => acquire(name, null, owner, now, leaseMs),
    async acquireJob(name, owner, now, leaseMs) {
      const row = await acquire(name, 0, owner, now, leaseMs);
      return row === null ? null : { name, owner, token: row.token };
    },
    renew: async ({ name, owner, token }, leaseUntil) =>
      (await run(`update civic.processors set lease_until = $4 where ${HELD}`, [name, owner, token, leaseUntil])).count === 1,
    async advance({ name, owner, token }, { from, to, handled, logId, last, proof }) {
      const mark = last === null ? null : JSON.stringify(last);
      const values = [name, owner, token, from, to, handled, logId, mark, proof?.place ?? null, proof?.id ?? null];
      return (await run(ADVANCE, values)).count === 1;
    },
    release: (lease) => release(lease, null),
    endJob: release,
    async pause({ name, owner, token }, reason, eventId) {
      await run(PAUSE, [name, owner, token, reason.slice(0, 2000), eventId]);
    },
    async resume(name) {
      await run('update civic.processors set paused_reason = null, paused_event = null where name = $1', [name]);
    },
  };
}
