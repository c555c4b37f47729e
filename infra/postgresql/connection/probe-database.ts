import type { Clock } from '../../../domain/ports/clock.ts';
import type { SetBack } from '../../../domain/ports/event-log.ts';
import type { DatabaseFacts } from '../../../domain/ports/probes.ts';
import { OPEN_SET_BACKS } from '../log/log-position.ts';
import { DATABASE_TIME } from '../leases/clocks.ts';
import { query } from './run-statement.ts';
import { firstRow, readSchemaState, withClient } from './schema-state.ts';

/** Deadline of a statement, in case a table is locked or the server hangs. */
const PROBE_MS = 5_000;

const SERVER = `select current_setting('server_version') as version, current_setting('fsync') as fsync,
  current_setting('full_page_writes') as "fullPageWrites", current_setting('synchronous_commit') as "synchronousCommit",
  current_setting('synchronous_standby_names') as "synchronousStandbys",
  (select count(*) from pg_stat_replication where state = 'streaming') as "connectedStandbys",
  case when pg_is_in_recovery() then null else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline`;
interface ServerRow {
  readonly version: string;
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly synchronousCommit: string;
  readonly synchronousStandbys: string;
  readonly connectedStandbys: number;
  readonly timeline: string | null;
}

const OURS = `select (select offset_ms from civic.trial_clock) as "trialOffset",
  (select timeline from civic.installation) as "keptTimeline",
  (select time from civic.events order by position desc limit 1) as "newestEventAt"`;
const NO_OWN_ROWS = { trialOffset: null, keptTimeline: null, newestEventAt: null };
interface OurRow {
  readonly trialOffset: number | null;
  readonly keptTimeline: string | null;
  readonly newestEventAt: number | null;
}

/** Only these values of `synchronous_commit` make a commit wait for a standby. */
const WAITING = ['on', 'remote_write', 'remote_apply'];

/**
 * Reads facts about the database without changing anything. Throws `DatabaseRefused` if it cannot be reached,
 * `DeadlineExceeded` if it does not answer.
 */
export const probeDatabase = (dsn: string, clock: Pick<Clock, 'now'>): Promise<DatabaseFacts> =>
  withClient({ dsn, purpose: 'doctor', statementTimeoutMs: PROBE_MS }, async (client) => {
    const { kind, encoding, readOnly, pending, unknown } = await readSchemaState(client);
    const sentAt = clock.now();
    const { now } = await firstRow<{ now: number }>(client, `select ${DATABASE_TIME} as now`);
    const answeredAt = clock.now();
    const server = await firstRow<ServerRow>(client, SERVER);
    const isOurs = kind === 'current';
    const ourRow = isOurs ? await firstRow<OurRow>(client, OURS) : NO_OWN_ROWS;
    const setBacks = isOurs ? (await query<SetBack>(client, OPEN_SET_BACKS)).rows : [];
    return {
      version: server.version,
      encoding,
      readOnly,
      schema: kind,
      pendingMigrations: pending,
      unknownMigrations: unknown,
      durability: {
        fsync: server.fsync,
        full_page_writes: server.fullPageWrites,
        synchronous_commit: server.synchronousCommit,
      },
      clockAheadMs: Math.round(now - (sentAt + answeredAt) / 2),
      trialOffsetMs: ourRow.trialOffset ?? 0,
      newestEventAt: ourRow.newestEventAt,
      timeline:
        ourRow.keptTimeline !== null && server.timeline !== null
          ? { now: server.timeline, stored: ourRow.keptTimeline }
          : null,
      standbys: {
        synchronous: WAITING.includes(server.synchronousCommit) ? server.synchronousStandbys : '',
        connected: server.connectedStandbys,
      },
      setBacks,
    };
  });
