import type { z } from 'zod';

/** Small reads use `ReadDatabase.many` (typed rows, slonik's `sql` tag). Hot reads and folds use a `Statement`. */

/** Required encoding of the database, because records can be in any language. */
export const DATABASE_ENCODING = 'UTF8';

/** Oldest supported major version of PostgreSQL. */
export const OLDEST_SERVER = 15;

export const READ_ONLY = {
  found: 'is read-only: it is a standby, or its transactions are read-only',
  remedy: 'name the primary in DATABASE_URL',
} as const;

/** An SQL statement. With a `name` it is prepared; each text has its own name. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly StatementValue[];
}

type Scalar = string | number | bigint | boolean | Uint8Array | null;
/** Value of a parameter. An array becomes a PostgreSQL array, such as the values for `unnest($1::text[])`. */
export type StatementValue = Scalar | readonly Scalar[];
/** Result of slonik's `sql.type(schema)` tag. */
export interface TypedQuery<Row> {
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly parser: z.ZodType<Row>;
}

export interface ReadDatabase {
  many<Row>(query: TypedQuery<Row>): Promise<readonly Row[]>;
  /** Runs a hot read. */
  readonly rows: ReadRows;
}

/** Reads like `ReadRows`. If the signal aborts, the server cancels the statement before the promise settles. */
export type CancellableRead = <Row>(statement: Statement, signal: AbortSignal) => Promise<readonly Row[]>;

/** Reads rows with named columns: a bigint is a number, JSON is parsed, a numeric is text. */
export type ReadRows = <Row>(statement: Statement) => Promise<readonly Row[]>;

export interface Answer<Row> {
  readonly rows: readonly Row[];
  /** Number of affected or returned rows. */
  readonly count: number;
}

export interface Transaction {
  /** Returns rows like `ReadRows`. */
  query<Row>(statement: Statement): Promise<Answer<Row>>;
}

export interface Transactor {
  /** Commits if `work` resolves, rolls back if it throws. */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
}

export interface PoolUse {
  readonly pool: string;
  readonly open: number;
  readonly busy: number;
  /** Statements or transactions that wait for a connection. */
  readonly waiting: number;
}

export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable';
}

/** The database answers but cannot write: its disk is full, or it is read-only. */
export class WritesRefused extends DatabaseUnavailable {}

export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}
