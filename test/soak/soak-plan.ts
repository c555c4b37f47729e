/** Size and duration of a soak. */
export interface SoakPlan {
  readonly seed: number;
  readonly api: number;
  readonly projectors: number;
  /** Number of in-memory copies that read over HTTP. */
  readonly mirrors: number;
  /** `civic replicate` processes. */
  readonly replicators: number;
  /** Writers that import files in separate processes, and writers that use the record writer in this process. */
  readonly importers: number;
  readonly writers: number;
  readonly snapshotTakers: number;
  readonly pollers: number;
  readonly agents: number;
  readonly reporters: number;
  /** Hostile conversations with the first API process, once the faults are over. */
  readonly fuzz: number;
  /** Kinds of faults; each runs once before a repeat, in the order of the seed. */
  readonly kinds: readonly string[];
  /** No new fault begins after this many milliseconds, once each kind has had its turn. */
  readonly faultsForMs: number;
  /** The duration of faults without a natural end, as a share of that in the long form. */
  readonly holds: number;
  /** Pause between a world that is ready again and the next fault, in milliseconds: from, below. */
  readonly pauseMs: readonly [number, number];
  /** Milliseconds within which everything must work again after a fault is over. */
  readonly readyWithinMs: number;
  /** True if the run is long enough to measure a slope of memory. */
  readonly measuresMemory: boolean;
}
