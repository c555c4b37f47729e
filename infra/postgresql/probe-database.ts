import type { Client } from 'pg';
import type { Clock } from '../../domain/ports/clock.ts';
import type { DatabaseFacts } from '../../domain/ports/probes.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import { OPEN_SET_BACKS } from './set-backs.ts';
import { readSchemaState, withClient } from './schema-state.ts';

/** Deadline, since a table may be locked or the server be stopped. */
const LOOK_MS = 5_000;

const one = async (client: Client, text: string): Promise<string | null> => {
  const { rows } = await client.query<(string | null)[]>({ text, rowMode: 'array' });
  return rows[0]?.[0] ?? null;
};

/** Examines a database without changing it. Throws `DatabaseRefused` with one line when it cannot be reached, `DeadlineExceeded` when it stays silent. */
export const probeDatabase = (dsn: string, clock: Pick<Clock, 'now'>): Promise<DatabaseFacts> =>
  withClient({ dsn, purpose: 'doctor', statementTimeoutMs: LOOK_MS }, async (client) => {
    const { kind, encoding, readOnly, pending, unknown } = await readSchemaState(client);
    const asked = clock.now();
    const serverTime = Number(await one(client, `select (extract(epoch from clock_timestamp()) * 1000)::bigint::text`));
    const answered = clock.now();
    const ours = kind === 'current';
    return {
      version: (await one(client, 'show server_version')) ?? 'unknown',
      encoding,
      readOnly,
      schema: kind,
      pendingMigrations: pending,
      unknownMigrations: unknown,
      durability: {
        fsync: (await one(client, 'show fsync')) ?? 'unknown',
        full_page_writes: (await one(client, 'show full_page_writes')) ?? 'unknown',
        synchronous_commit: (await one(client, 'show synchronous_commit')) ?? 'unknown',
      },
      clockAheadMs: Math.round(serverTime - (asked + answered) / 2),
      trialOffsetMs: ours ? Number((await one(client, 'select offset_ms::text from civic.trial_clock')) ?? 0) : 0,
      newestEventAt: ours ? milliseconds(await one(client, 'select time::text from civic.events order by position desc limit 1')) : null,
      timeline: ours ? await timelines(client) : null,
      standbys: {
        synchronous: waits(await one(client, 'show synchronous_commit'))
          ? ((await one(client, 'show synchronous_standby_names')) ?? '')
          : '',
        connected: milliseconds(await one(client, `select count(*)::text from pg_stat_replication where state = 'streaming'`)),
      },
      setBacks: ours ? await openSetBacks(client) : [],
    };
  });

/** Only these values of `synchronous_commit` make a commit wait for a standby. */
const waits = (synchronousCommit: string | null): boolean => ['on', 'remote_write', 'remote_apply'].includes(synchronousCommit ?? '');

const timelines = async (client: Client): Promise<DatabaseFacts['timeline']> => {
  const kept = await one(client, 'select timeline from civic.installation');
  const now = await one(
    client,
    'select case when pg_is_in_recovery() then null else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end',
  );
  return kept === null || kept === '' || now === null ? null : { now, kept };
};

const openSetBacks = async (client: Client): Promise<DatabaseFacts['setBacks']> => {
  const { rows } = await client.query<[Position, Position, string]>({ text: OPEN_SET_BACKS, rowMode: 'array' });
  return rows.map(([held, head, noticedAt]) => ({ held, head, noticedAt: Number(noticedAt) }));
};

const milliseconds = (text: string | null): number | null => (text === null ? null : Number(text));
