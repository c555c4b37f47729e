import { numberOrNull } from '../../domain/columns.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { DatabaseFacts } from '../../domain/ports/probes.ts';
import { OPEN_SET_BACKS, SET_BACK } from './log-position.ts';
import { DATABASE_TIME } from './clocks.ts';
import { firstRow, readSchemaState, withClient } from './schema-state.ts';

/** A table may be locked, or the server stopped. */
const LOOK_MS = 5_000;

const SERVER = `select current_setting('server_version'), current_setting('fsync'), current_setting('full_page_writes'),
  current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
  (select count(*)::text from pg_stat_replication where state = 'streaming'),
  case when pg_is_in_recovery() then null else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end`;
const OURS = `select (select offset_ms::text from civic.trial_clock), (select timeline from civic.installation),
  (select time::text from civic.events order by position desc limit 1)`;

/** Only these values of `synchronous_commit` make a commit wait for a standby. */
const WAITING = ['on', 'remote_write', 'remote_apply'];

/** Changes nothing. Throws `DatabaseRefused` when it cannot be reached, `DeadlineExceeded` when it stays silent. */
export const probeDatabase = (dsn: string, clock: Pick<Clock, 'now'>): Promise<DatabaseFacts> =>
  withClient({ dsn, purpose: 'doctor', statementTimeoutMs: LOOK_MS }, async (client) => {
    const { kind, encoding, readOnly, pending, unknown } = await readSchemaState(client);
    const asked = clock.now();
    const [serverTime] = await firstRow(client, `select ${DATABASE_TIME}::text`);
    const answered = clock.now();
    const [version, fsync, fullPageWrites, synchronousCommit, synchronous, connected, timeline] = await firstRow(client, SERVER);
    const ours = kind === 'current';
    const [trialOffset, kept, newestEventAt] = ours ? await firstRow(client, OURS) : [];
    const setBacks = ours ? (await client.query<string[]>({ text: OPEN_SET_BACKS.text, rowMode: 'array' })).rows : [];
    return {
      version: version!,
      encoding,
      readOnly,
      schema: kind,
      pendingMigrations: pending,
      unknownMigrations: unknown,
      durability: { fsync: fsync!, full_page_writes: fullPageWrites!, synchronous_commit: synchronousCommit! },
      clockAheadMs: Math.round(Number(serverTime) - (asked + answered) / 2),
      trialOffsetMs: Number(trialOffset ?? 0),
      newestEventAt: numberOrNull(newestEventAt),
      timeline: kept && timeline ? { now: timeline, kept } : null,
      standbys: { synchronous: WAITING.includes(synchronousCommit!) ? synchronous! : '', connected: numberOrNull(connected) },
      setBacks: setBacks.map(SET_BACK.read),
    };
  });
