import { PROJECTION_EVENT_SKIPPED, projectionEventSkipped } from '../../../domain/events/feed-events.ts';
import { contentReader, farthestOf, lastMarkOf, streamEvents, streamPages } from '../../../domain/read-log.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { Transaction, Transactor } from '../../../domain/ports/database.ts';
import {
  type EventLog,
  LOG_START,
  type LogBatch,
  type Position,
  type StoredEvent,
} from '../../../domain/ports/event-log.ts';
import type { GenerationStore, Lease } from '../../../domain/ports/generations.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import type { FoldContext, Projection } from '../../../domain/ports/projection.ts';
import { projectionStream } from '../../../domain/streams.ts';
import { LeaseLost, whileLeased } from '../../../plumbing/while-leased.ts';
import { applyOrPause } from '../runtime/apply-or-pause.ts';

export interface ProjectorDependencies {
  readonly log: EventLog;
  readonly transactor: Transactor;
  readonly generations: GenerationStore;
  /** The clock of leases, shared by all processes on the database. A trial clock does not affect it. */
  readonly leaseClock: Clock;
  readonly logger: Logger;
  readonly owner: string;
  readonly leaseMs: number;
  readonly batchSize: number;
  /** Milliseconds for which a replaced generation stays available for a switch back. */
  readonly keptMs: number;
}

export function underLease<Result>(
  { generations, leaseClock, leaseMs }: Pick<ProjectorDependencies, 'generations' | 'leaseClock' | 'leaseMs'>,
  lease: Lease,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const renew = (leaseUntil: number) => generations.renew(lease, leaseUntil);
  return whileLeased({ clock: leaseClock, leaseMs, renew, release: () => generations.release(lease) }, stopping, work);
}

export interface FoldTarget {
  readonly projection: Projection;
  readonly lease: Lease;
  readonly logId: string | null;
  /** Ids of events that an operator skipped; every rebuild skips them too. */
  readonly skipped: ReadonlySet<string>;
  /**
   * Set if the generation has no readers yet: commits do not wait for the disk, and work lost in a crash is folded
   * again.
   */
  readonly unread?: boolean;
}

export async function foldTarget(
  { log }: ProjectorDependencies,
  projection: Projection,
  lease: Lease,
): Promise<FoldTarget> {
  const skipped = new Set<string>();
  for await (const { type, data } of streamEvents(log, projectionStream(projection.name))) {
    if (type === PROJECTION_EVENT_SKIPPED) skipped.add(projectionEventSkipped.parse(JSON.parse(data)).eventId);
  }
  return { projection, lease, logId: await log.identity(), skipped };
}

/** Folds a batch in its own transaction. Returns the new checkpoint; throws `LeaseLost`. */
export async function foldBatch(
  deps: ProjectorDependencies,
  target: FoldTarget,
  from: Position,
  batch: LogBatch,
): Promise<Position> {
  const losesNothing = target.unread === true || selectUnskipped(target, batch).length === 0;
  await deps.transactor.transaction(async (transaction) => {
    // A crash repeats the work, so the commit does not wait for the disk.
    if (losesNothing) await transaction.query({ text: 'set local synchronous_commit = off', values: [] });
    await foldAndAdvance(deps, target, transaction, from, batch);
  });
  return batch.scannedTo;
}

/** Events folded per turn before yielding to the event loop. */
const TURN_EVENTS = 250;
/** UTF-16 code units of `data` after which a turn ends early. */
const TURN_SIZE = 1_048_576;

/** Returns the index of the first event of the next turn. */
function endOfTurn(events: readonly StoredEvent[], from: number, turnEvents: number): number {
  let end = from;
  for (let size = 0; end < events.length && end < from + turnEvents && size < TURN_SIZE; end += 1)
    size += events[end]!.data.length;
  return end;
}

const selectUnskipped = ({ skipped }: FoldTarget, { events }: LogBatch): readonly StoredEvent[] =>
  skipped.size === 0 ? events : events.filter(({ id }) => !skipped.has(id));

/**
 * Moves the checkpoint and folds a batch within a transaction. The checkpoint moves first, and only if the lease's
 * token and the old checkpoint match, so only one of two owners can commit. Throws `LeaseLost`.
 */
export async function foldAndAdvance(
  deps: ProjectorDependencies,
  target: FoldTarget,
  transaction: Transaction,
  from: Position,
  batch: LogBatch,
): Promise<void> {
  const events = selectUnskipped(target, batch);
  const { projection, lease } = target;
  const now = deps.leaseClock.now();
  const isOurs = await deps.generations.advance(transaction, lease, {
    from,
    to: batch.scannedTo,
    folded: events.length,
    now,
    leaseUntil: now + deps.leaseMs,
    logId: target.logId,
    eventsRead: deps.log.distance(LOG_START, batch.scannedTo),
    last: lastMarkOf(batch.events),
    proof: farthestOf(deps.log, batch),
  });
  if (!isOurs) throw new LeaseLost(`generation ${lease.generation} of ${projection.name} is no longer ours`);
  await foldEvents(deps, target, transaction, events);
}

/** Folds events of one batch in turns. Does not move the checkpoint. */
export async function foldEvents(
  { log }: { readonly log: Pick<EventLog, 'readStream'> },
  { projection, lease: { generation } }: { readonly projection: Projection; readonly lease: Pick<Lease, 'generation'> },
  transaction: Transaction,
  events: readonly StoredEvent[],
  turnEvents = TURN_EVENTS,
): Promise<void> {
  const gathering = createGathering();
  const context: FoldContext = {
    transaction,
    generation,
    content: contentReader(),
    reread: rereading(log),
    gathered: gathering.gathered,
  };
  for (let from = 0; from < events.length; ) {
    const end = endOfTurn(events, from, turnEvents);
    await projection.fold(events.slice(from, end), context);
    from = end;
  }
  await gathering.end();
}

function createGathering(): { readonly gathered: FoldContext['gathered']; readonly end: () => Promise<void> } {
  let gathering: { readonly state: unknown; readonly end: () => Promise<void> } | undefined;
  return {
    gathered: <Gathered>(begin: () => Gathered, end: (gathered: Gathered) => Promise<void>): Gathered => {
      if (gathering === undefined) {
        const state = begin();
        gathering = { state, end: () => end(state) };
      }
      return gathering.state as Gathered;
    },
    end: async () => await gathering?.end(),
  };
}

const rereading = (log: Pick<EventLog, 'readStream'>) =>
  async function* (stream: string, upTo: Position): AsyncGenerator<readonly StoredEvent[]> {
    for await (const page of streamPages(log, stream)) {
      const within = page.filter(({ position }) => position <= upTo);
      if (within.length > 0) yield within;
      if (within.length < page.length) return;
    }
  };

/** Returns the events that a generation lacks up to a position, without skipped ones; null if they exceed one batch. */
export async function tailUpTo(
  { log, batchSize }: ProjectorDependencies,
  { projection, skipped }: FoldTarget,
  checkpoint: Position,
  goal: Position,
): Promise<LogBatch | null> {
  if (checkpoint === goal) return { events: [], scannedTo: goal };
  const tail = await log.readAll({ after: checkpoint, limit: batchSize, types: projection.handles });
  if (tail.scannedTo < goal) return null;
  return { events: tail.events.filter(({ id, position }) => position <= goal && !skipped.has(id)), scannedTo: goal };
}

const MAX_DELAY_MS = 2000;

/**
 * Folds a batch. Pauses the projection at the first failure of an event, because a retry would fail too. Throws like
 * `applyOrPause`.
 */
export function foldOrPause(
  deps: ProjectorDependencies,
  target: FoldTarget,
  from: Position,
  batch: LogBatch,
  signal: AbortSignal,
): Promise<Position> {
  const processor = {
    name: target.projection.name,
    apply: async (checkpoint: Position, piece: LogBatch) => void (await foldBatch(deps, target, checkpoint, piece)),
    pause: (reason: string, eventId: string | null) => deps.generations.pause(target.lease, reason, eventId),
    attempts: 1,
    maxDelayMs: MAX_DELAY_MS,
  };
  return applyOrPause(deps, processor, from, batch, signal);
}
