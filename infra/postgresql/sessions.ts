import type { ClientConfig } from 'pg';

/** How a connection is set up by its purpose. Durations in milliseconds; 0 or absent is none. */
export interface Session {
  readonly dsn: string;
  /** Ends the connection's name in the server's own lists: `civic-<purpose>`. */
  readonly purpose: string;
  readonly statementTimeoutMs?: number;
  readonly idleInTransactionMs?: number;
  /** How much later than the server's deadline our own one is; only the server's proves that nothing was stored. */
  readonly graceMs?: number;
  /** For statements that look up keys and take whole columns: plans stay right while the tables grow from nothing. */
  readonly plansForGrowth?: boolean;
  /** Columns of values are looked up one by one through an index, however large or new the table: for folds. */
  readonly lookups?: boolean;
  /** What it writes may be lost in a crash of the server: no commit waits for the disk. */
  readonly lossy?: boolean;
  /** Run once on every new pipelined connection. */
  readonly onConnect?: string;
}

export const CONNECT_TIMEOUT_MS = 5_000;

const verbatim = (text: string): string => text;
/** Every column as PostgreSQL's own text. Given to each client, so that pg's parsers, which are global, stay as they are. */
const textTypes = { getTypeParser: () => verbatim } as unknown as NonNullable<ClientConfig['types']>;

/** Settings of every session of this program, in the form of the server's `options`. */
export const sessionOptions = (session: Session): string => {
  const settings = ['timezone=UTC', 'max_parallel_workers_per_gather=0', 'jit=off', 'default_transaction_isolation=read\\ committed'];
  if (session.plansForGrowth === true) settings.push('plan_cache_mode=force_generic_plan', 'enable_seqscan=off');
  // A fold's table grows from empty and has no statistics: the planner would walk all of it for each batch.
  if (session.lookups === true) settings.push('enable_hashjoin=off', 'enable_mergejoin=off', 'enable_material=off');
  if (session.lossy === true) settings.push('synchronous_commit=off');
  return settings.map((setting) => `-c ${setting}`).join(' ');
};

/** The settings that the DSN's own author gave, before ours. */
const givenOptions = (dsn: string): string => (URL.canParse(dsn) ? (new URL(dsn).searchParams.get('options') ?? '') : '');

const withoutOptions = (dsn: string): string => {
  if (!URL.canParse(dsn)) return dsn;
  const url = new URL(dsn);
  url.searchParams.delete('options');
  url.searchParams.delete('application_name');
  return url.toString();
};

/** Configuration of a `pg` client whose rows are text. */
export const clientConfig = (session: Session): ClientConfig => ({
  connectionString: withoutOptions(session.dsn),
  application_name: `civic-${session.purpose}`,
  options: `${givenOptions(session.dsn)} ${sessionOptions(session)}`.trim(),
  types: textTypes,
  keepAlive: true,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  ...(session.statementTimeoutMs === undefined ? {} : { statement_timeout: session.statementTimeoutMs }),
  ...(session.idleInTransactionMs === undefined ? {} : { idle_in_transaction_session_timeout: session.idleInTransactionMs }),
});
