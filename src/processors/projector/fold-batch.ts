import { type EventLog, LOG_START, type LogBatch, type Position, type StoredEvent } from '../../../domain/ports/event-log.ts';
import type { Lease } from '../../../domain/ports/generations.ts';
import { farthestOf, lastMarkOf } from '../../../domain/event-mark.ts';
import type { Projection } from '../../../domain/ports/projection.ts';
import { LeaseLost } from '../../../domain/while-leased.ts';
import type { ProjectorDependencies } from './dependencies.ts';
import { applyOrPause } from '../runtime/apply-or-pause.ts';
import { streamEvents, streamPages } from '../../../domain/read-log.ts';
import { PROJECTION_EVENT_SKIPPED, projectionEventSkipped } from '../../../domain/events/feed-events.ts';
import { projectionStream } from '../../../domain/streams.ts';

export interface FoldTarget {
  readonly projection: Projection;
  readonly lease: Lease;
  readonly logId: string | null;
  /** Ids of events that an operator had left out. */
  readonly skipped: ReadonlySet<string>;
  /** The generation has no readers yet: commits do not wait for the disk, and what a crash loses is folded again. */
  readonly unread?: boolean;
}

/**
 * Folds a batch and moves the checkpoint in one transaction. The checkpoint moves first and only under the lease's token and the old
 * value, so that of two owners one commits nothing. Returns the new checkpoint; throws `LeaseLost`.
 */
export async function foldBatch(deps: ProjectorDependencies, target: FoldTarget, from: Position, batch: LogBatch): Promise<Position> {
  const { projection, lease, logId, skipped } = target;
  const events = skipped.size === 0 ? batch.events : batch.events.filter(({ id }) => !skipped.has(id));
  await deps.transactor.transaction(async (transaction) => {
    // A crash may lose the move of a checkpoint without events: it is repeated, so the commit does not wait for the disk.
    if (events.length === 0 || target.unread === true)
      await transaction.execute({ text: 'set local synchronous_commit = off', values: [] });
    const now = deps.leaseClock.now();
    const moved = await deps.generations.advance(transaction, lease, {
      from,
      to: batch.scannedTo,
      folded: events.length,
      now,
      leaseUntil: now + deps.leaseMs,
      logId,
      eventsRead: deps.log.distance(LOG_START, batch.scannedTo),
      last: lastMarkOf(batch.events),
      proof: farthestOf(deps.log, batch),
    });
    if (!moved) throw new LeaseLost(`generation ${lease.generation} of ${projection.name} is no longer ours`);
    if (events.length > 0) {
      await projection.fold(events, { transaction, columns: deps.columns, generation: lease.generation, reread: rereading(deps.log) });
    }
  });
  return batch.scannedTo;
}

const MAX_DELAY_MS = 2000;

/** Folds a batch; an event that cannot be folded cannot be folded later either, and pauses the projection at once. Throws as `applyOrPause`. */
export const foldOrPause = (
  deps: ProjectorDependencies,
  target: FoldTarget,
  from: Position,
  batch: LogBatch,
  signal: AbortSignal,
): Promise<Position> =>
  applyOrPause(
    deps,
    {
      name: target.projection.name,
      apply: async (checkpoint, piece) => void (await foldBatch(deps, target, checkpoint, piece)),
      pause: (reason, eventId) => deps.generations.pause(target.lease, reason, eventId),
      attempts: 1,
      maxDelayMs: MAX_DELAY_MS,
    },
    from,
    batch,
    signal,
  );

/** Reads streams again for the fold of an erasure; see `FoldContext`. */
export const rereading = (log: Pick<EventLog, 'readStream'>) =>
  async function* (stream: string, upTo: Position): AsyncGenerator<readonly StoredEvent[]> {
    for await (const page of streamPages(log, stream)) {
      const within = page.filter(({ position }) => position <= upTo);
      if (within.length > 0) yield within;
      if (within.length < page.length) return;
    }
  };

/** Ids of the events that an operator skipped in a projection; read when a generation is acquired, so that every rebuild skips them. */
export async function readSkippedEvents(log: EventLog, projection: string): Promise<ReadonlySet<string>> {
  const skipped = new Set<string>();
  for await (const { type, data } of streamEvents(log, projectionStream(projection))) {
    if (type === PROJECTION_EVENT_SKIPPED) skipped.add(projectionEventSkipped.parse(JSON.parse(data)).eventId);
  }
  return skipped;
}
