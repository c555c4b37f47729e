import type { ClientConfig } from 'pg';

/** Durations in milliseconds; 0 or absent means none. */
export interface Session {
  readonly dsn: string;
  /** `application_name` is `civic-<purpose>`. */
  readonly purpose: string;
  readonly statementTimeoutMs?: number;
  readonly idleInTransactionMs?: number;
  /** Milliseconds from the server's deadline to the client's; only the server's proves that nothing was stored. */
  readonly graceMs?: number;
  /** For statements that look up keys and take column arrays: plans stay right while tables grow from empty. */
  readonly plansForGrowth?: boolean;
  /** For folds: values are looked up through an index, whatever the statistics say. */
  readonly lookups?: boolean;
  /** For pages of a table in the order of an index, which a plan without statistics would sort as a whole for each page. */
  readonly inOrder?: boolean;
  /** Commits do not wait for the disk; a crash of the server may lose them. */
  readonly lossy?: boolean;
  /** Run once on every new pipelined connection. */
  readonly onConnect?: string;
}

export const CONNECT_TIMEOUT_MS = 5_000;
const verbatim = (text: string): string => text;
/** Every column as text; the global parsers of pg stay unchanged. */
const textTypes = { getTypeParser: () => verbatim } as unknown as NonNullable<ClientConfig['types']>;

function sessionOptions(session: Session): string {
  const settings = ['timezone=UTC', 'max_parallel_workers_per_gather=0', 'jit=off', 'default_transaction_isolation=read\\ committed'];
  if (session.plansForGrowth === true) settings.push('plan_cache_mode=force_generic_plan', 'enable_seqscan=off');
  // The table of a new generation has no statistics: the planner would scan all of it for each batch.
  if (session.lookups === true) settings.push('enable_hashjoin=off', 'enable_mergejoin=off', 'enable_material=off');
  if (session.inOrder === true) settings.push('enable_sort=off', 'enable_bitmapscan=off', 'enable_seqscan=off');
  if (session.lossy === true) settings.push('synchronous_commit=off');
  return settings.map((setting) => `-c ${setting}`).join(' ');
}

/** The `options` of the DSN, before ours. */
const givenOptions = (dsn: string): string => (URL.canParse(dsn) ? (new URL(dsn).searchParams.get('options') ?? '') : '');

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
  options: `${givenOptions(session.dsn)} ${sessionOptions(session)}`.trim(),
  types: textTypes,
  keepAlive: true,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  ...(session.statementTimeoutMs === undefined ? {} : { statement_timeout: session.statementTimeoutMs }),
  ...(session.idleInTransactionMs === undefined ? {} : { idle_in_transaction_session_timeout: session.idleInTransactionMs }),
});
