import { DatabaseUnavailable, DeadlineExceeded, READ_ONLY, WritesRefused } from '../../../domain/ports/database.ts';

interface Described {
  readonly code?: unknown;
  readonly severity?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
}

function* eachCause(error: unknown): Generator<Described> {
  for (let each: unknown = error, depth = 0; typeof each === 'object' && each !== null && depth < 5; depth += 1) {
    yield each;
    each = (each as Described).cause;
  }
}

/** Parts of the messages of a lost connection, such as "Connection terminated unexpectedly". */
const CONNECTION_MESSAGES = [
  'connection terminated',
  'connection ended',
  'connection closed',
  'not queryable',
  'connect timeout',
  'timeout expired',
  'when trying to connect',
  'timeout exceeded',
  'has been terminated',
  'server closed',
  'after calling end',
];
const isConnectionMessage = (message: string): boolean =>
  CONNECTION_MESSAGES.some((part) => message.toLowerCase().includes(part));
/**
 * SQLSTATEs: shut down, starting up, too many connections, read-only after a failover, idle in a transaction for too
 * long.
 */
const GONE = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '25006', '25P03']);
const SOCKET = /^(ECONN|EPIPE|ENOENT|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|EACCES)/;
const isSqlState = (code: unknown): code is string =>
  typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !SOCKET.test(code);

export function sqlState(error: unknown): string | undefined {
  for (const { code } of eachCause(error)) if (isSqlState(code)) return code;
  return undefined;
}

/** True if the connection is unusable. Statements that were sent on it have an unknown outcome. */
export function isConnectionLoss(error: unknown): boolean {
  for (const { code, severity, message } of eachCause(error)) {
    if (severity === 'FATAL' || severity === 'PANIC') return true;
    if (typeof code === 'string' && (SOCKET.test(code) || code.startsWith('08') || GONE.has(code))) return true;
    if (code === undefined && typeof message === 'string' && isConnectionMessage(message)) return true;
  }
  return false;
}

/**
 * True if the client's deadline has passed. The answer might still arrive, so the connection must not be used again.
 */
export const isReadTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Query read timeout';

/** True if the statement did not run, because its prepared statement is missing (26000) or already exists (42P05). */
export const isNotPrepared = (error: unknown): boolean => ['26000', '42P05'].includes(sqlState(error) ?? '');

/** Message of pg's pool if no connection became free within the connection timeout. */
const NONE_FREE = 'timeout exceeded when trying to connect';
/** SQLSTATE that `civic.lock_log` raises after the log was moved to another store. */
const LOG_SEALED = 'CR004';

/** Errors whose message contains the host name: a part of the password if its `@` is not encoded. */
const NAMES_HOST = new Set<unknown>(['ENOTFOUND', 'EAI_AGAIN']);
/** Returns the message of the server or the socket. The error for several addresses has an empty one. */
function reasonOf(error: unknown): string {
  const texts = [...eachCause(error)].map(({ message, code }) =>
    message === '' || NAMES_HOST.has(code) ? code : message,
  );
  return texts.find((each) => typeof each === 'string') ?? 'unknown reason';
}

export function mapError(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable || error instanceof DeadlineExceeded) return error;
  const state = sqlState(error);
  const unavailable = (message: string) => new DatabaseUnavailable(message, { cause: error });
  if (state === '57014' || isReadTimeout(error))
    return new DeadlineExceeded('the database did not answer by the deadline', { cause: error });
  const refused = (message: string) => new WritesRefused(message, { cause: error });
  if (state === '53100') return refused('the disk of the database is full: free some space there; nothing was written');
  if (state === '25006') return refused(`the database ${READ_ONLY.found}; ${READ_ONLY.remedy}`);
  if (state === LOG_SEALED) {
    return unavailable(
      'the log has moved to another store, and this process was not stopped: start it with the setting of the new one',
    );
  }
  if (error instanceof Error && error.message === NONE_FREE) {
    return unavailable('no connection to the database was free in time: every one was in use');
  }
  return isConnectionLoss(error)
    ? unavailable(`the database could not be reached, or went away: ${reasonOf(error)}`)
    : error;
}
