import type { Position, StoredEvent } from './event-log.ts';
import type { PositionColumn } from './log-moves.ts';
import type { ColumnArrays, ReadDatabase, Statement, TextRow, Transaction, TypedQuery } from './database.ts';

export interface FoldContext {
  readonly transaction: Transaction;
  readonly columns: ColumnArrays;
  /** Number of the generation of tables being filled. */
  readonly generation: number;
  /**
   * Pages of a stream's events up to a place in the log, as they read now. For erasures alone: what a batch carries may be text of before
   * one, and whoever has folded that looks again. Folding the same log anew comes to the same, since the text is the erased one from the start.
   */
  readonly reread: (stream: string, upTo: Position) => AsyncIterable<readonly StoredEvent[]>;
}

/** The definition of a read model. Running it is the projector's work. */
export interface Projection {
  /** snake_case; part of every table name. */
  readonly name: string;
  /** Raised whenever tables or fold change: a generation is only ever filled by the version that created it. */
  readonly version: number;
  /** Event types folded. */
  readonly handles: readonly string[];
  /** Full names of this generation's tables, for dumps, comparisons and dropping. */
  tables(generation: number): readonly string[];
  /** DDL that makes the empty tables of a generation. */
  create(generation: number): readonly string[];
  /** Folds events, ascending, each exactly once. Only what the events carry: no clock, no randomness. */
  fold(batch: readonly StoredEvent[], context: FoldContext): Promise<void>;
  /** Columns of a generation that hold positions of the log, where there are any. */
  positionColumns?(generation: number): readonly PositionColumn[];
  /**
   * Statements that yield one row of text per difference between two generations that stand at the same checkpoint. At a `switch` they
   * run while readers wait for new rows and must be cheap; by `rows` everything that both retain is compared.
   */
  differences(left: number, right: number, depth: 'switch' | 'rows'): readonly Statement[];
  /** SQL that is true for the rows of a table that every build of it holds; all of them when left out. */
  heldByEveryBuild?(table: string): string;
  /**
   * True where rows are published history: no build may differ from what readers already hold, whatever its version and whoever wants it.
   * Of the others, builds of different versions are not compared: their tables may have other columns.
   */
  readonly published?: boolean;
}

/** `civic.<projection>[_<part>]_g<generation>`. */
export const generationTable = (projection: string, generation: number, part?: string): string =>
  `civic.${projection}${part === undefined ? '' : `_${part}`}_g${generation}`;

/** Name to number of the live generation; a statement must also carry `requireLive` of each generation it names. */
export type LiveGeneration = (projection: string) => number;

/** An SQL condition that fails the statement when the generation is no longer the live one, so that a switch is never half seen. */
export const requireLive = (projection: string, generation: number): string =>
  `(select civic.require_live('${projection}', ${generation}))`;

/** Reads of live generations; a statement that met a switch is built and run again. */
export interface LiveReads {
  texts(build: (generation: LiveGeneration) => Statement): Promise<readonly TextRow[]>;
  many<Row>(build: (generation: LiveGeneration) => TypedQuery<Row>): Promise<readonly Row[]>;
  readonly database: ReadDatabase;
}

/** Waiting for a read model to pass a place in the log. */
export interface Progress {
  /** True once the live generation's checkpoint is at or beyond the position; false when the deadline (clock milliseconds) passes first. */
  reached(projection: string, position: string, deadline: number): Promise<boolean>;
}
