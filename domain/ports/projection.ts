import type { Clock } from './clock.ts';
import type { ColumnArrays, ReadDatabase, Statement, TextRow, Transaction, TypedQuery } from './database.ts';
import type { Position, StoredEvent } from './event-log.ts';
import type { PositionColumn } from './stores.ts';
import type { RecordData, Resource } from '../records/resources.ts';

export interface FoldContext {
  readonly transaction: Transaction;
  readonly columns: ColumnArrays;
  readonly generation: number;
  /** The parsed `data` of an event of the batch. All projections of a pass share the value: none changes it. */
  readonly content: (event: StoredEvent) => unknown;
  /**
   * Pages of a stream's events up to a position of the log, as now stored. For erasures only: a batch may carry text from before one, so
   * the projection reads the stream again. A rebuild reads the erased text from the start and gives the same result.
   */
  readonly reread: (stream: string, upTo: Position) => AsyncIterable<readonly StoredEvent[]>;
  /** The one thing that a projection gathers in all turns of a batch: `begin` makes it in the first turn, `end` writes it after the last. */
  readonly gathered: <Gathered>(begin: () => Gathered, end: (gathered: Gathered) => Promise<void>) => Gathered;
}

export interface Projection {
  /** snake_case; part of every table name. */
  readonly name: string;
  /** Raised with every change of tables or fold. A generation is filled only by the version that created it. */
  readonly version: number;
  readonly handles: readonly string[];
  tables(generation: number): readonly string[];
  create(generation: number): readonly string[];
  /** Folds events in ascending order, each exactly once; those of one batch in one turn or more. Depends only on the events: no clock, no randomness. */
  fold(batch: readonly StoredEvent[], context: FoldContext): Promise<void>;
  positionColumns?(generation: number): readonly PositionColumn[];
  /** A row of text per difference at one checkpoint. `switch` must be cheap, as readers wait; `rows` compares all that both retain. */
  differences(left: number, right: number, depth: 'switch' | 'rows'): readonly Statement[];
  /** SQL condition for the rows of a table that every build contains; absent where that is every row. */
  heldByEveryBuild?(table: string): string;
  /** Rows are published history: no build may differ, whatever its version. Else versions, with other columns, are not compared. */
  readonly published?: boolean;
}

/** `civic.<projection>[_<part>]_g<generation>`. */
export const generationTable = (projection: string, generation: number, part?: string): string =>
  `civic.${projection}${part === undefined ? '' : `_${part}`}_g${generation}`;

/** Maps a projection to the number of its live generation. A statement also contains `requireLive` of each generation that it names. */
export type LiveGeneration = (projection: string) => number;

/**
 * An SQL condition that fails the statement when the generation is no longer live, so that a read never mixes two generations. The function
 * is called for its error alone: a call takes as long as the look-up of ten rows.
 */
export const requireLive = (projection: string, generation: number): string =>
  `coalesce((select true from civic.projections where name = '${projection}' and live_generation = ${generation}), civic.require_live('${projection}', ${generation}))`;

/** Reads of live generations. A statement that failed because of a switch is built and run again. */
export interface LiveReads {
  texts(build: (generation: LiveGeneration) => Statement): Promise<readonly TextRow[]>;
  many<Row>(build: (generation: LiveGeneration) => TypedQuery<Row>): Promise<readonly Row[]>;
  readonly database: ReadDatabase;
}

export interface QueryContext {
  readonly reads: LiveReads;
  readonly clock: Clock;
}

export interface Progress {
  /** True once the live generation's checkpoint is at or beyond the position; false at the deadline (clock milliseconds). */
  reached(projection: string, position: string, deadline: number): Promise<boolean>;
}

/** The last event of a record. */
export interface LastChange<R extends Resource = Resource> {
  readonly position: Position;
  /** Null where the record is withdrawn. */
  readonly data: RecordData<R> | null;
}

export interface PublishedRecords {
  /** Ids of the current records of a resource whose reference field names one of the targets; in no order. */
  referring(resource: Resource, field: string, targets: readonly string[]): Promise<readonly string[]>;
  /** Current `data` by id; a record that is unknown or withdrawn is left out. */
  current<R extends Resource>(resource: R, ids: readonly string[]): Promise<ReadonlyMap<string, RecordData<R>>>;
}

export interface ChangedRecords {
  /** By id; a record that never was is left out. */
  lastChanges<R extends Resource>(resource: R, ids: readonly string[]): Promise<ReadonlyMap<string, LastChange<R>>>;
}
