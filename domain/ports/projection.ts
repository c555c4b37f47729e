import type { Clock } from './clock.ts';
import type { ReadDatabase, Statement, Transaction, TypedQuery } from './database.ts';
import type { Position, StoredEvent } from './event-log.ts';
import type { PositionColumn } from './stores.ts';
import type { RecordData, Resource } from '../records/resources.ts';

export interface FoldContext {
  readonly transaction: Transaction;
  readonly generation: number;
  /** Returns the parsed `data` of an event of the batch; parses it once. */
  readonly content: (event: StoredEvent) => unknown;
  /**
   * Reads pages of a stream's events as they are stored now, up to a position of the log. Only for erasures: a batch
   * might contain text from before an erasure, so the projection rereads the stream. A rebuild reads the erased text
   * and has the same result.
   */
  readonly reread: (stream: string, upTo: Position) => AsyncIterable<readonly StoredEvent[]>;
  /**
   * Returns what a projection collects over all turns of a batch. `begin` creates it; `end` writes it after the last
   * turn.
   */
  readonly gathered: <Gathered>(begin: () => Gathered, end: (gathered: Gathered) => Promise<void>) => Gathered;
}

export interface Projection {
  /** Name in snake_case. Part of every table name. */
  readonly name: string;
  /** Must grow with every change of tables or fold. Only the version that created a generation fills it. */
  readonly version: number;
  readonly handles: readonly string[];
  tables(generation: number): readonly string[];
  create(generation: number): readonly string[];
  /**
   * Folds events in ascending order, each exactly once, a batch in one or more turns. The result depends only on the
   * events, not on a clock or randomness.
   */
  fold(batch: readonly StoredEvent[], context: FoldContext): Promise<void>;
  positionColumns?(generation: number): readonly PositionColumn[];
  /**
   * Returns statements with one row per difference, with the column `difference`. `switch` must be cheap, because
   * readers wait; `rows` compares all rows.
   */
  differences(left: number, right: number, depth: 'switch' | 'rows'): readonly Statement[];
  /**
   * Returns an SQL condition for the rows of a table that every build contains. Absent if every build contains all
   * rows.
   */
  rowsInEveryBuild?(table: string): string;
  /**
   * True if rows are published history, which must be equal in every version. Otherwise different versions are not
   * compared.
   */
  readonly published?: boolean;
}

/** Returns the table name `civic.<projection>[_<part>]_g<generation>`. */
export const generationTable = (projection: string, generation: number, part?: string): string =>
  `civic.${projection}${part === undefined ? '' : `_${part}`}_g${generation}`;

/**
 * Returns the number of a projection's live generation. A statement must contain `requireLive` for each one that it
 * uses.
 */
export type LiveGeneration = (projection: string) => number;

/**
 * Returns an SQL condition that fails the statement if the generation is no longer live, so that a read never mixes two
 * generations. The SQL function is called only to raise the error, because a call is as slow as ten lookups.
 */
export const requireLive = (projection: string, generation: number): string =>
  `coalesce((select true from civic.projections where name = '${projection}' and live_generation = ${generation}),
    civic.require_live('${projection}', ${generation}))`;

/** Reads live generations. A statement that fails because of a switch is rebuilt and retried. */
export interface LiveReads {
  rows<Row>(build: (generation: LiveGeneration) => Statement): Promise<readonly Row[]>;
  many<Row>(build: (generation: LiveGeneration) => TypedQuery<Row>): Promise<readonly Row[]>;
  readonly database: ReadDatabase;
}

export interface QueryContext {
  readonly reads: LiveReads;
  readonly clock: Clock;
}

export interface Progress {
  /** Waits until the live generation has reached the position. Returns false at the deadline (clock milliseconds). */
  waitFor(projection: string, position: string, deadline: number): Promise<boolean>;
}

/** Last event of a record. */
export interface LastChange<R extends Resource = Resource> {
  readonly position: Position;
  /** Null if the record is withdrawn. */
  readonly data: RecordData<R> | null;
}

export interface PublishedRecords {
  /** Returns the ids of a resource's current records whose reference field names one of the targets, in no order. */
  referring(resource: Resource, field: string, targets: readonly string[]): Promise<readonly string[]>;
  /** Returns the current `data` by id, without unknown and withdrawn records. */
  current<R extends Resource>(resource: R, ids: readonly string[]): Promise<ReadonlyMap<string, RecordData<R>>>;
  /**
   * Returns current and former slugs of a jurisdiction's bodies, by the id of the body. Absent if no history is stored.
   */
  bodySlugs?(jurisdictionId: string): Promise<ReadonlyMap<string, readonly string[]>>;
}

export interface ChangedRecords {
  /** Returns the last change of each record by id, without records that never existed. */
  lastChanges<R extends Resource>(resource: R, ids: readonly string[]): Promise<ReadonlyMap<string, LastChange<R>>>;
}
