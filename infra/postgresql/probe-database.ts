import type { Client } from 'pg';
import { numberOrNull } from '../../domain/columns.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { DatabaseFacts } from '../../domain/ports/probes.ts';
import { OPEN_SET_BACKS, SET_BACK } from './log-position.ts';
import { first, readSchemaState, withClient } from './schema-state.ts';

/** Deadline, since a table may be locked or the server be stopped. */
const LOOK_MS = 5_000;

/** Examines a database without changing it. Throws `DatabaseRefused` with one line when it cannot be reached, `DeadlineExceeded` when it stays silent. */
export const probeDatabase = (dsn: string, clock: Pick<Clock, 'now'>): Promise<DatabaseFacts> =>
  withClient({ dsn, purpose: 'doctor', statementTimeoutMs: LOOK_MS }, async (client) => {
    const { kind, encoding, readOnly, pending, unknown } = await readSchemaState(client);
    const asked = clock.now();
    const serverTime = Number(await first(client, `select (extract(epoch from clock_timestamp()) * 1000)::bigint::text`));
    const answered = clock.now();
    const ours = kind === 'current';
    return {
      version: (await first(client, 'show server_version')) ?? 'unknown',
      encoding,
      readOnly,
      schema: kind,
      pendingMigrations: pending,
      unknownMigrations: unknown,
      durability: {
        fsync: (await first(client, 'show fsync')) ?? 'unknown',
        full_page_writes: (await first(client, 'show full_page_writes')) ?? 'unknown',
        synchronous_commit: (await first(client, 'show synchronous_commit')) ?? 'unknown',
      },
      clockAheadMs: Math.round(serverTime - (asked + answered) / 2),
      trialOffsetMs: ours ? Number((await first(client, 'select offset_ms::text from civic.trial_clock')) ?? 0) : 0,
      newestEventAt: ours ? numberOrNull(await first(client, 'select time::text from civic.events order by position desc limit 1')) : null,
      timeline: ours ? await timelines(client) : null,
      standbys: {
        synchronous: waits(await first(client, 'show synchronous_commit'))
          ? ((await first(client, 'show synchronous_standby_names')) ?? '')
          : '',
        connected: numberOrNull(await first(client, `select count(*)::text from pg_stat_replication where state = 'streaming'`)),
      },
      setBacks: ours ? (await client.query<string[]>({ text: OPEN_SET_BACKS.text, rowMode: 'array' })).rows.map(SET_BACK.read) : [],
    };
  });

/** Only these values of `synchronous_commit` make a commit wait for a standby. */
const waits = (synchronousCommit: string | null): boolean => ['on', 'remote_write', 'remote_apply'].includes(synchronousCommit ?? '');

async function timelines(client: Client): Promise<DatabaseFacts['timeline']> {
  const kept = await first(client, 'select timeline from civic.installation');
  const now = await first(
    client,
    'select case when pg_is_in_recovery() then null else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end',
  );
  return kept === null || kept === '' || now === null ? null : { now, kept };
}
