import type { z } from 'zod';

/** `ReadDatabase.many` serves small reads (typed rows, slonik's `sql` tag); a `Statement` (text in and out) serves hot reads and folds. */

/** Every language must be storable: a database with another encoding is refused. */
export const DATABASE_ENCODING = 'UTF8';

/** The major version of PostgreSQL that is required at least. */
export const OLDEST_SERVER = 15;

export const READ_ONLY = {
  found: 'is read-only: it is a standby, or its transactions are read-only',
  remedy: 'name the primary in DATABASE_URL',
} as const;

/** `name` makes it a prepared statement; names are unique per text. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly StatementValue[];
}

/** A Buffer is sent in PostgreSQL's binary form; `ColumnArrays` encodes whole columns as such buffers. */
export type StatementValue = string | number | bigint | boolean | null | Buffer | readonly string[] | readonly number[];
/** Column values in PostgreSQL's text form; null for SQL null. */
export type TextRow = readonly (string | null)[];

/** The result of slonik's `sql.type(schema)` tag. */
export interface TypedQuery<Row> {
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly parser: z.ZodType<Row>;
}

export interface ReadDatabase {
  many<Row>(query: TypedQuery<Row>): Promise<readonly Row[]>;
  /** Rows as text, on a pipelined connection; for hot reads. */
  texts(statement: Statement): Promise<readonly TextRow[]>;
}

/** A read as text rows. When the signal aborts, the server cancels the statement, and the promise settles after the server has ended it. */
export type CancellableRead = (statement: Statement, signal: AbortSignal) => Promise<readonly TextRow[]>;

export interface Transaction {
  /** `count` is the number of rows affected or returned. */
  execute(statement: Statement): Promise<{ readonly rows: readonly TextRow[]; readonly count: number }>;
}

export interface Transactor {
  /** Commits when `work` resolves, rolls back when it throws. */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
}

export interface PoolUse {
  readonly pool: string;
  readonly open: number;
  readonly busy: number;
  /** Statements or transactions without a connection. */
  readonly waiting: number;
}

/** Encodes columns of values for `unnest($1::text[], $2::bigint[], …)` without escaping or parsing. */
export interface ColumnArrays {
  texts(values: readonly (string | null)[]): Buffer;
  bigints(values: readonly (number | bigint | null)[]): Buffer;
  uuids(values: readonly (string | null)[]): Buffer;
  booleans(values: readonly boolean[]): Buffer;
  bytes(values: readonly (Uint8Array | null)[]): Buffer;
}

export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable';
}

/** The database answers and stores nothing: its disk is full, or it is read-only. */
export class WritesRefused extends DatabaseUnavailable {}

export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

export interface Traffic {
  /**
   * How often all clients have read live read models or handled new events since the statistics were reset. Lags by a second, and by ten for
   * what a connection did last before it became idle.
   */
  uses(): Promise<number>;
}
