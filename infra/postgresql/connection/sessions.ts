import { type ClientConfig, types } from 'pg';

/** Settings of a session. Durations are in milliseconds; 0 or absent means no limit. */
export interface Session {
  readonly dsn: string;
  /** Part of the `application_name`, which is `civic-<purpose>`. */
  readonly purpose: string;
  readonly statementTimeoutMs?: number;
  readonly idleInTransactionMs?: number;
  /** Time between the server's deadline and the client's. Only the server's proves that nothing was stored. */
  readonly graceMs?: number;
  /** Suits lookups by key and statements with array parameters: plans remain good while tables grow from empty. */
  readonly plansForGrowth?: boolean;
  /** Suits folds: forces lookups through an index, whatever the statistics are. */
  readonly lookups?: boolean;
  /** Suits pages in the order of an index: without statistics, the planner would sort the whole table for each page. */
  readonly inOrder?: boolean;
  /** Commits do not wait for the disk, so a crash of the server can lose them. */
  readonly lossy?: boolean;
  /** Statement that runs once on every new connection. */
  readonly onConnect?: string;
}

export const CONNECT_TIMEOUT_MS = 5_000;
type Types = NonNullable<ClientConfig['types']>;

/** Parses columns like pg, but converts a bigint to a number. The global parsers of pg are not changed. */
const PARSED_TYPES: Types = {
  getTypeParser: ((oid: Parameters<typeof types.getTypeParser>[0]) =>
    oid === types.builtins.INT8 ? Number : types.getTypeParser(oid)) as Types['getTypeParser'],
};

function sessionOptions(session: Session): string {
  const settings = [
    'timezone=UTC',
    'max_parallel_workers_per_gather=0',
    'jit=off',
    'default_transaction_isolation=read\\ committed',
  ];
  if (session.plansForGrowth === true) settings.push('plan_cache_mode=force_generic_plan', 'enable_seqscan=off');
  // A planner without statistics would scan the whole table of a new generation for each batch.
  if (session.lookups === true) settings.push('enable_hashjoin=off', 'enable_mergejoin=off', 'enable_material=off');
  if (session.inOrder === true) settings.push('enable_sort=off', 'enable_bitmapscan=off', 'enable_seqscan=off');
  if (session.lossy === true) settings.push('synchronous_commit=off');
  return settings.map((setting) => `-c ${setting}`).join(' ');
}

/** Returns the `options` of the DSN, which precede ours. */
const optionsOf = (dsn: string): string => (URL.canParse(dsn) ? (new URL(dsn).searchParams.get('options') ?? '') : '');

function withoutOptions(dsn: string): string {
  if (!URL.canParse(dsn)) return dsn;
  const url = new URL(dsn);
  url.searchParams.delete('options');
  url.searchParams.delete('application_name');
  return url.toString();
}

export const clientConfig = (session: Session): ClientConfig => ({
  connectionString: withoutOptions(session.dsn),
  application_name: `civic-${session.purpose}`,
  options: `${optionsOf(session.dsn)} ${sessionOptions(session)}`.trim(),
  types: PARSED_TYPES,
  keepAlive: true,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  ...(session.statementTimeoutMs === undefined ? {} : { statement_timeout: session.statementTimeoutMs }),
  ...(session.idleInTransactionMs === undefined
    ? {}
    : { idle_in_transaction_session_timeout: session.idleInTransactionMs }),
});
