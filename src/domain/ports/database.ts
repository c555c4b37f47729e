import type { z } from 'zod';

/**
 * The read models' database as the rest of the program sees it. Two ways in: `ReadDatabase.many` for everything small (typed rows,
 * built with slonik's `sql` tag), and `Statement` (one named constant, text in and text out) for hot reads and for folds.
 */

/** Texts of every language are stored: another encoding of a database is refused. */
export const DATABASE_ENCODING = 'UTF8';

/** One statement with `$1`-style parameters. `name` makes it a prepared statement of that name; names are unique per text. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly StatementValue[];
}

/** A Buffer is sent in PostgreSQL's binary form; `ColumnArrays` makes such buffers for whole columns. */
export type StatementValue = string | number | bigint | boolean | null | Buffer | readonly string[] | readonly number[];

/** Column values as PostgreSQL's own text, null for SQL null. */
export type TextRow = readonly (string | null)[];

/** What slonik's `sql.type(schema)` tag makes. */
export interface TypedQuery<Row> {
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly parser: z.ZodType<Row>;
}

export interface ReadDatabase {
  /** Typed, validated rows. */
  many<Row>(query: TypedQuery<Row>): Promise<readonly Row[]>;
  /** Rows as text, on a pipelined connection; the way of hot reads. */
  texts(statement: Statement): Promise<readonly TextRow[]>;
}

/** Rows as text of a read that the database ends when the signal aborts; settles when it has ended there. */
export type CancellableRead = (statement: Statement, signal: AbortSignal) => Promise<readonly TextRow[]>;

export interface Transaction {
  /** `count` is the number of rows affected or returned. */
  execute(statement: Statement): Promise<{ readonly rows: readonly TextRow[]; readonly count: number }>;
}

export interface Transactor {
  /** Commits when `work` resolves, rolls back when it throws. */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
}

/** How much a set of connections has to do. */
export interface PoolUse {
  readonly pool: string;
  readonly open: number;
  readonly busy: number;
  /** Statements or transactions that have none yet. */
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

/** The database could not be reached, or went away. */
export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable';
}

/** A statement ran into its deadline. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}
