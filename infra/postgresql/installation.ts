import type { EventMark } from '../../domain/event-mark.ts';
import type { Transactor } from '../../domain/ports/database.ts';
import type { DatabaseIdentity, InstallationStore } from '../../domain/ports/installation.ts';
import { StillHeld } from '../../domain/ports/log-moves.ts';
import { executeAlone } from './execute.ts';

const IDENTITY = `select system_identifier::text || '/' || (select oid::text from pg_database where datname = current_database()),
  substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) from pg_control_system()`;
/** SQLSTATE: this user lacks the right. */
const NOT_ALLOWED = '42501';

const KEEP = `insert into civic.installation (database, timeline, log_id) values ($1, $2, $3::uuid)
  on conflict (singleton) do update set database = excluded.database, timeline = excluded.timeline, log_id = excluded.log_id, renewing = null`;
const NOTE = `insert into civic.installation as i (database, timeline, log_id, renewing) values ($1, $2, $3::uuid, $4)
  on conflict (singleton) do update set renewing = excluded.renewing`;

const LAST_EVENTS = `select last_event from civic.generations where log_id = $1::uuid and last_event is not null
  union select last_event from civic.processors where log_id = $1::uuid and last_event is not null`;
const BEYOND = `log_id = $1::uuid and (checkpoint > $2 or last_event in (select jsonb_array_elements($4::jsonb)))`;
const HELD = `select projection from civic.generations where ${BEYOND} and owner is not null and lease_until >= $3::bigint
  union select name from civic.processors where ${BEYOND} and owner is not null and lease_until >= $3::bigint`;
const RETIRE = `update civic.generations set state = case when state in ('live', 'building') then 'retired' else state end,
    owner = null, lease_until = 0, token = token + 1, kept_until = null, changed_at = $3::bigint
  where ${BEYOND} returning projection, generation`;
const TAKE_OUT = `update civic.projections set live_generation = null where name = $1 and live_generation = $2::integer`;
/** The effects of a reactor remain, also those of lost events. */
const SET_BACK = `update civic.processors set checkpoint = $3, last_event = null, owner = null, lease_until = 0, token = token + 1,
    paused_reason = null, paused_event = null
  where ${BEYOND}`;

/** The row of `civic.installation`, and the checkpoints that a renewal changes. */
export function createInstallationStore(transactor: Transactor): InstallationStore {
  const execute = executeAlone(transactor);
  const rows = async (...statement: Parameters<typeof execute>) => (await execute(...statement)).rows;
  return {
    async identity(): Promise<DatabaseIdentity> {
      try {
        const [row] = await rows(IDENTITY);
        return { database: row?.[0] ?? '', timeline: row?.[1] ?? '' };
      } catch (error) {
        if ((error as { code?: string }).code === NOT_ALLOWED) return { database: '', timeline: '' };
        throw error;
      }
    },
    async kept() {
      const [row] = await rows('select database, timeline, log_id::text, renewing from civic.installation');
      return row === undefined ? null : { database: row[0]!, timeline: row[1]!, logId: row[2]!, renewing: row[3] ?? null };
    },
    async keep({ database, timeline }, logId) {
      await rows(KEEP, [database, timeline, logId]);
    },
    lastEvents: async (logId) => (await rows(LAST_EVENTS, [logId])).map(([event]) => JSON.parse(event!) as EventMark),
    beginRenewal: ({ identity, logId, usableUpTo, lost, intactUpTo, reason, now }) =>
      transactor.transaction(async (transaction) => {
        await transaction.execute({ text: 'lock table civic.generations, civic.processors in share row exclusive mode', values: [] });
        const missing = JSON.stringify(lost);
        const { rows: held } = await transaction.execute({ text: HELD, values: [logId, usableUpTo, now, missing] });
        if (held.length > 0) throw new StillHeld(held.map(([who]) => who).join(', '));
        await transaction.execute({ text: NOTE, values: [identity.database, identity.timeline, logId, reason] });
        const { rows: retired } = await transaction.execute({ text: RETIRE, values: [logId, usableUpTo, now, missing] });
        for (const [projection, generation] of retired) await transaction.execute({ text: TAKE_OUT, values: [projection!, generation!] });
        await transaction.execute({ text: SET_BACK, values: [logId, usableUpTo, intactUpTo, missing] });
        return [...new Set(retired.map(([projection]) => projection!))];
      }),
  };
}
