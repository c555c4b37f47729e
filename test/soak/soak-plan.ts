/** How large a soak is, and how long. */
export interface SoakPlan {
  readonly seed: number;
  readonly api: number;
  readonly projectors: number;
  /** In-memory copies that read over HTTP. */
  readonly replicas: number;
  /** `civic replicate` processes. */
  readonly replicators: number;
  /** Writers that import files by processes of their own, and those that write through the record writer in this process. */
  readonly importers: number;
  readonly writers: number;
  readonly snapshotTakers: number;
  readonly pollers: number;
  readonly agents: number;
  readonly reporters: number;
  /** Hostile conversations with the first API process, once the faults are over. */
  readonly fuzz: number;
  /** Kinds of faults: each has its turn, in an order that the seed gives, before any comes again. */
  readonly kinds: readonly string[];
  /** No new fault begins after this many milliseconds, once each kind has had its turn. */
  readonly faultsForMs: number;
  /** How long faults last that may last as long as they like: as a share of what the long form takes. */
  readonly holds: number;
  /** Pause between a world that is ready again and the next fault, in milliseconds: from, below. */
  readonly pauseMs: readonly [number, number];
  /** Milliseconds within which everything must work again after a fault is over. */
  readonly readyWithinMs: number;
  /** Whether the run is long enough for a slope of memory to mean anything. */
  readonly measuresMemory: boolean;
}
