import type { Transactor } from '../../../domain/ports/database.ts';
import type { ProcessorLease, ProcessorRow, ProcessorStore } from '../../../domain/ports/reactors.ts';
import { isDue, leased } from './leased.ts';
import { logHas } from '../log/log-position.ts';
import { columnList, sql, statementsIn } from '../connection/statements.ts';

const PROCESSOR = columnList({
  name: 'name',
  logId: 'log_id',
  checkpoint: 'checkpoint',
  handled: 'handled',
  owner: 'owner',
  token: 'token',
  leaseUntil: 'lease_until',
  pausedReason: 'paused_reason',
  pausedEvent: 'paused_event',
  lastEvent: 'last_event',
});

const isFree = (now: number, everyMs: number | null) => sql`p.paused_reason is null and not ${leased('p', now)}
  and (p.due_at is null or ${isDue('p', now, everyMs ?? 0)})`;
const isOwned = ({ name, owner, token }: ProcessorLease) =>
  sql`name = ${name} and owner = ${owner} and token = ${token}`;

/** Stores the leases of reactors and jobs. Every change is one statement. */
export function createProcessorStore(transactor: Transactor): ProcessorStore {
  const { run, all, first, changed } = statementsIn(transactor);
  /**
   * Acquires a free row. Reads before it writes, because most attempts find another owner, or a job that is not due.
   */
  const acquire = (name: string, everyMs: number | null, owner: string, now: number, leaseMs: number) =>
    first<ProcessorRow>(
      sql`insert into civic.processors as p (name, due_at, owner, token, lease_until)
        select ${name}, ${everyMs === null ? null : 0}::bigint, ${owner}, 1, ${now + leaseMs}::bigint
        where not exists (select from civic.processors p where p.name = ${name} and not (${isFree(now, everyMs)}))
        on conflict (name) do update set owner = excluded.owner, token = p.token + 1, lease_until = excluded.lease_until
        where ${isFree(now, everyMs)} returning ${PROCESSOR}`,
    );
  const release = async (lease: ProcessorLease, dueAt: number | null): Promise<void> => {
    await run(
      sql`update civic.processors set owner = null, lease_until = 0, due_at = ${dueAt} where ${isOwned(lease)}`,
    );
  };
  return {
    listReactors: () => all(sql`select ${PROCESSOR} from civic.processors p where due_at is null order by name`),
    acquireReactor: (name, owner, now, leaseMs) => acquire(name, null, owner, now, leaseMs),
    async acquireJob({ name, everyMs }, owner, now, leaseMs) {
      const row = await acquire(name, everyMs, owner, now, leaseMs);
      return row === null ? null : { name, owner, token: row.token };
    },
    listDueJobs: (names, everyMs, now) =>
      all(sql`select job.name, coalesce(p.due_at, 0) = 0 as "isFirst"
        from unnest(${names}::text[]) as job (name) left join civic.processors p on p.name = job.name
        where p.name is null or ${isFree(now, everyMs)} order by p.due_at nulls first, job.name`),
    renew: (lease, leaseUntil) =>
      changed(sql`update civic.processors set lease_until = ${leaseUntil} where ${isOwned(lease)}`),
    advance: (lease, { from, to, handled, logId, last, proof }) =>
      changed(sql`update civic.processors set checkpoint = ${to}, handled = handled + ${handled},
          log_id = coalesce(log_id, ${logId}::uuid),
          last_event = coalesce(${last && JSON.stringify(last)}::jsonb, last_event)
        where ${isOwned(lease)} and checkpoint = ${from} and ${logHas(proof)}`),
    release: (lease) => release(lease, null),
    endJob: release,
    async hastenJobs(names, now) {
      await run(sql`update civic.processors set due_at = ${now}
        where name = any(${[...names]}::text[]) and owner is null and due_at > ${now}`);
    },
    async pause(lease, reason, eventId) {
      await run(sql`update civic.processors
        set paused_reason = ${reason.slice(0, 2000)}, paused_event = ${eventId}::uuid, owner = null, lease_until = 0
        where ${isOwned(lease)}`);
    },
    async resume(name) {
      await run(sql`update civic.processors set paused_reason = null, paused_event = null where name = ${name}`);
    },
  };
}
