import type { EventMark } from '../../../domain/read-log.ts';
import type { Transactor } from '../../../domain/ports/database.ts';
import { type InstallationStore, StillHeld } from '../../../domain/ports/stores.ts';
import { leased } from '../leases/leased.ts';
import { columnList, sql, statementsIn } from '../connection/statements.ts';

const IDENTITY = columnList({
  database: `system_identifier::text || '/' || (select oid::text from pg_database where datname = current_database())`,
  // A standby has no current WAL position, so the last checkpoint is read.
  timeline: `case when pg_is_in_recovery()
    then (select upper(lpad(to_hex(timeline_id), 8, '0')) from pg_control_checkpoint())
    else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end`,
});
/** SQLSTATE: insufficient privilege. */
const NOT_ALLOWED = '42501';

const INSTALLATION = columnList({
  database: 'database',
  timeline: 'timeline',
  logId: 'log_id',
  renewing: 'renewing',
});

interface RetiredGeneration {
  readonly projection: string;
  readonly generation: number;
}

/** Stores the row of `civic.installation`, and changes checkpoints for a renewal. */
export function createInstallationStore(transactor: Transactor): InstallationStore {
  const { run, all, first, changed } = statementsIn(transactor);
  return {
    async identity() {
      const unknown = { database: '', timeline: '' };
      try {
        return (await first<typeof unknown>(sql`select ${IDENTITY} from pg_control_system()`)) ?? unknown;
      } catch (error) {
        if ((error as { code?: string }).code === NOT_ALLOWED) return unknown;
        throw error;
      }
    },
    load: () => first(sql`select ${INSTALLATION} from civic.installation`),
    async keep({ database, timeline }, logId) {
      await run(sql`insert into civic.installation as i (database, timeline, log_id)
        values (${database}, ${timeline}, ${logId}::uuid)
        on conflict (singleton) do update
        set database = excluded.database, timeline = excluded.timeline, log_id = excluded.log_id, renewing = null,
          backup_made_at = case when i.log_id = excluded.log_id then i.backup_made_at end`);
    },
    async lastEvents(logId) {
      const condition = sql`where log_id = ${logId}::uuid and last_event is not null`;
      const events = sql`select last_event as event from civic.generations ${condition}
        union select last_event from civic.processors ${condition}`;
      return (await all<{ event: EventMark }>(events)).map(({ event }) => event);
    },
    async keepVerifiedBackup(logId, madeAt) {
      return await changed(sql`update civic.installation
        set backup_made_at = greatest(backup_made_at, ${madeAt}::bigint)
        where log_id = ${logId}::uuid`);
    },
    verifiedBackupMadeAt: async () =>
      (await first<{ madeAt: number | null }>(sql`select backup_made_at as "madeAt" from civic.installation`))
        ?.madeAt ?? null,
    beginRenewal: ({ identity, logId, usableUpTo, lost, intactUpTo, reason, now }) =>
      transactor.transaction(async (transaction) => {
        const within = statementsIn(transaction);
        await within.run(sql`lock table civic.generations, civic.processors in share row exclusive mode`);
        const beyond = sql`log_id = ${logId}::uuid
          and (checkpoint > ${usableUpTo}
            or last_event in (select jsonb_array_elements(${JSON.stringify(lost)}::jsonb)))`;
        const owned = sql`${beyond} and ${leased('f', now)}`;
        const owners = await within.all<{
          name: string;
        }>(sql`select projection as name from civic.generations f where ${owned}
          union select name from civic.processors f where ${owned}`);
        if (owners.length > 0) throw new StillHeld(owners.map(({ name }) => name).join(', '));
        await within.run(sql`insert into civic.installation as i (database, timeline, log_id, renewing)
          values (${identity.database}, ${identity.timeline}, ${logId}::uuid, ${reason})
          on conflict (singleton) do update set renewing = excluded.renewing`);
        const retired = await within.all<RetiredGeneration>(sql`update civic.generations
          set state = case when state in ('live', 'building') then 'retired' else state end,
            owner = null, lease_until = 0, token = token + 1, kept_until = null, changed_at = ${now}::bigint
          where ${beyond} returning projection, generation`);
        for (const { projection, generation } of retired) {
          await within.run(sql`update civic.projections set live_generation = null
            where name = ${projection} and live_generation = ${generation}`);
        }
        // The effects of reactors remain, even those of lost events.
        await within.run(sql`update civic.processors
          set checkpoint = ${intactUpTo}, last_event = null, owner = null, lease_until = 0, token = token + 1,
            paused_reason = null, paused_event = null
          where ${beyond}`);
        return [...new Set(retired.map(({ projection }) => projection))];
      }),
  };
}
