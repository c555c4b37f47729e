import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client, type ClientBase } from 'pg';
import { DATABASE_ENCODING, OLDEST_SERVER, READ_ONLY } from '../../../domain/ports/database.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import { noInstallation } from '../../../domain/ports/stores.ts';
import { programFile } from '../../../plumbing/program-files.ts';
import { certificateReason } from '../../system/certificate-reason.ts';
import { isConnectionLoss, mapError, sqlState } from './errors.ts';
import { query } from './run-statement.ts';
import { clientConfig, type Session } from './sessions.ts';

const isPostgresDsn = (dsn: string): boolean => URL.canParse(dsn) && /^postgres(ql)?:$/.test(new URL(dsn).protocol);

/** Returns host, port and database of a DSN, without user, password and parameters. */
function shownDsn(dsn: string): string {
  const url = new URL(dsn);
  return `${decodeURIComponent(url.hostname)}${url.port === '' ? '' : `:${url.port}`}${url.pathname}`;
}

/** The database cannot be used. The message is one line with the cause and the remedy. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused';
}

/** Milliseconds between the server's deadline and the client's. */
const SILENCE_MS = 1_000;
export const MIGRATIONS_FOLDER = fileURLToPath(programFile('infra/postgresql/migrations'));

const knownMigrations = (): readonly string[] =>
  readdirSync(MIGRATIONS_FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .toSorted();

/**
 * Ignores tables of PostgreSQL and of extensions. One statement sees one snapshot, so that a concurrent migration,
 * which creates its own table first, is never mistaken for another program.
 */
const WHOSE_TABLES = `
  select case when bool_or(n.nspname = 'civic' and c.relname = 'migrations') then 'ours'
    when count(*) > 0 then 'foreign' else 'none' end as whose
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and not exists (
      select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

/** Returns the first row of a statement that returns at least one. */
export async function firstRow<Row>(client: ClientBase, text: string): Promise<Row> {
  return (await query<Row>(client, { text, values: [] })).rows[0]!;
}

const SERVER = `select current_setting('server_version_num')::integer as version,
  current_setting('server_encoding') as encoding, current_setting('transaction_read_only')::boolean as readonly`;
interface ServerRow {
  readonly version: number;
  readonly encoding: string;
  readonly readonly: boolean;
}

type SchemaState = Awaited<ReturnType<typeof readSchemaState>>;

/** Compares the schema of a database with the migrations of this program. `readOnly` is also true on a standby. */
export async function readSchemaState(client: ClientBase) {
  const { version, encoding, readonly } = await firstRow<ServerRow>(client, SERVER);
  const { whose } = await firstRow<{ whose: 'ours' | 'foreign' | 'none' }>(client, WHOSE_TABLES);
  const names = { text: 'select name from civic.migrations order by id', values: [] };
  const migrations = whose === 'ours' ? (await query<{ name: string }>(client, names)).rows : [];
  const applied: readonly string[] = migrations.map(({ name }) => name);
  const shipped = knownMigrations();
  const pending: readonly string[] = shipped.filter((name) => !applied.includes(name));
  const unknown: readonly string[] = applied.filter((name) => !shipped.includes(name));
  const ownKind =
    unknown.length > 0 ? 'newer' : applied.length === 0 ? 'empty' : pending.length > 0 ? 'older' : 'current';
  const kind: 'foreign' | typeof ownKind = whose === 'foreign' ? 'foreign' : ownKind;
  return {
    kind,
    serverVersion: version,
    encoding,
    readOnly: readonly,
    applied,
    pending,
    unknown,
  };
}

const refusedOf = (dsn: string) => (problem: string) => new DatabaseRefused(`the database ${shownDsn(dsn)} ${problem}`);

/** Throws `DatabaseRefused` if this program must not change the database or, with `reads`, must not read it. */
export function refuseUnusable(state: SchemaState, dsn: string, { reads = false } = {}): void {
  const refused = refusedOf(dsn);
  if (state.serverVersion < OLDEST_SERVER * 10_000) {
    const version = Math.floor(state.serverVersion / 10_000);
    throw refused(`runs on PostgreSQL ${version}; use PostgreSQL ${OLDEST_SERVER} or newer`);
  }
  if (state.encoding !== DATABASE_ENCODING) {
    throw refused(
      `has the encoding ${state.encoding}, which does not have every character; make one with "create database NAME encoding '${DATABASE_ENCODING}' template template0"`,
    );
  }
  if (state.readOnly && !(reads && state.kind === 'current')) throw refused(`${READ_ONLY.found}; ${READ_ONLY.remedy}`);
  if (state.kind === 'foreign')
    throw refused('contains tables of another program; set DATABASE_URL to an empty database');
  if (state.kind === 'newer') {
    const reason = `it has the migration ${state.unknown.join(', ')}`;
    throw refused(`was written by a newer version (${reason}); start that version or restore an older backup`);
  }
}

/** Second part of the message for each SQLSTATE. The name of the database comes first. */
const REMEDIES: Readonly<Record<string, string>> = {
  '3D000': 'does not exist; create it or correct DATABASE_URL',
  '25006': `${READ_ONLY.found}; ${READ_ONLY.remedy}`,
  '42501': 'does not let this user create tables; grant it create on the database',
  '53300':
    'accepts no more connections; raise its max_connections (about twenty-five per process), or run fewer processes',
};

/** Converts an error of the driver to one line with the remedy, if there is one. */
export function explain(error: unknown, dsn: string): unknown {
  const where = `the database ${shownDsn(dsn)}`;
  const refused = refusedOf(dsn);
  const state = sqlState(error) ?? '';
  const message = error instanceof Error ? error.message : '';
  if (state.startsWith('28')) return refused('refused the user or password; correct DATABASE_URL');
  if (message.includes('extension') && state === '42501') {
    return refused(
      'does not let this user add pg_trgm; grant it create on the database, or run "create extension pg_trgm" there once',
    );
  }
  if (message.includes('extension') && (state === '0A000' || state === '58P01')) {
    return new DatabaseRefused(
      `the server of ${where} does not have pg_trgm; install PostgreSQL's contrib modules on it`,
    );
  }
  if (state === '08P01' && message.includes('startup parameter')) {
    return refused(
      'is behind a connection pooler without session settings (PgBouncer); name the server itself in DATABASE_URL',
    );
  }
  if (REMEDIES[state] !== undefined) return refused(REMEDIES[state]);
  if (state === '53100') return new DatabaseRefused(`the disk of ${where} is full; free some space there`);
  const untrusted = certificateReason(error);
  if (untrusted !== null) {
    return new DatabaseRefused(
      `the certificate of ${where} is refused: ${untrusted}; correct it, or name its authority with sslrootcert in DATABASE_URL`,
    );
  }
  if (isConnectionLoss(error) && error instanceof Error) {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : message;
    return refused(`could not be reached (${code}); start it or correct DATABASE_URL`);
  }
  return mapError(error);
}

/**
 * Runs work on a new connection. Throws `DatabaseRefused` if it cannot connect, `DeadlineExceeded` without an answer.
 */
export async function withClient<Result>(session: Session, work: (client: Client) => Promise<Result>): Promise<Result> {
  const { dsn, statementTimeoutMs } = session;
  if (!isPostgresDsn(dsn)) {
    throw new DatabaseRefused(
      'DATABASE_URL is no PostgreSQL address; one looks like postgres://user:password@host:5432/database',
    );
  }
  const deadline = statementTimeoutMs === undefined ? {} : { query_timeout: statementTimeoutMs + SILENCE_MS };
  const client = new Client({ ...clientConfig(session), ...deadline });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw explain(error, dsn);
  } finally {
    await client.end();
  }
}

/** Key of the advisory lock. No other lock of this program uses it. */
export const MIGRATION_LOCK = '4848250413820918';
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Milliseconds of waiting for another process before a warning is logged. */
const WARN_AFTER_MS = 3_000;
const WAITING =
  'waiting for another process that migrates the database; if none is running, ' +
  'end its session civic-migrate, which pg_stat_activity lists';

interface Migrating {
  readonly reads?: boolean;
  readonly logger?: Pick<Logger, 'warn'>;
}

/**
 * Applies pending migrations and returns their names. One of several callers applies them while the others wait. Throws
 * `DatabaseRefused`, with `reads` also for an empty database.
 */
export const migrate = async (
  dsn: string,
  { reads = false, logger = silent }: Migrating = {},
): Promise<readonly string[]> =>
  await withClient({ dsn, purpose: 'migrate' }, async (client) => {
    const warning = setTimeout(() => logger.warn({}, WAITING), WARN_AFTER_MS);
    // Read the schema only under the lock, because the tables of an unfinished migration would look foreign.
    await client.query(`select pg_advisory_lock(${MIGRATION_LOCK})`).finally(() => clearTimeout(warning));
    const state = await readSchemaState(client);
    if (reads && state.kind === 'empty')
      throw new DatabaseRefused(noInstallation(`the database ${shownDsn(dsn)} is empty`));
    refuseUnusable(state, dsn, { reads });
    return state.kind === 'current' ? [] : await applyPending(client);
  });

/** Expects the lock of migrations, which replaces the package's own: it ends with its session, even if the process dies. */
async function applyPending(client: Client): Promise<readonly string[]> {
  // Load the package only when needed, because it includes a compiler.
  const { runner } = await import('node-pg-migrate');
  const applied = await runner({
    dbClient: client,
    dir: MIGRATIONS_FOLDER,
    direction: 'up',
    migrationsSchema: 'civic',
    createMigrationsSchema: true,
    migrationsTable: 'migrations',
    noLock: true,
    logger: silent,
  });
  return applied.map(({ name }) => name);
}
