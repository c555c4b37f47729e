import { BegunWork } from '../../../domain/begun-work.ts';
import { PROJECTION_EVENT_SKIPPED, projectionEventSkipped } from '../../../domain/events/feed-events.ts';
import { contentReader, farthestOf, lastMarkOf, streamEvents, streamPages } from '../../../domain/read-log.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { ColumnArrays, Traffic, Transaction, Transactor } from '../../../domain/ports/database.ts';
import { type EventLog, LOG_START, type LogBatch, type Position, type StoredEvent } from '../../../domain/ports/event-log.ts';
import type { GenerationStore, Lease } from '../../../domain/ports/generations.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import type { FoldContext, Projection } from '../../../domain/ports/projection.ts';
import { projectionStream } from '../../../domain/streams.ts';
import { LeaseLost, whileLeased } from '../../../domain/while-leased.ts';
import { applyOrPause } from '../runtime/apply-or-pause.ts';

export interface ProjectorDependencies {
  readonly log: EventLog;
  readonly transactor: Transactor;
  readonly columns: ColumnArrays;
  readonly generations: GenerationStore;
  /** The clock of leases, which all processes on the database share. A trial clock does not affect it. */
  readonly leaseClock: Clock;
  readonly logger: Logger;
  readonly owner: string;
  readonly leaseMs: number;
  /** Other activity in the database; a rebuild gives way to it. */
  readonly traffic: Traffic;
  readonly batchSize: number;
  /** Milliseconds for which a replaced generation is kept for a switch back. */
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
  /** Ids of events that an operator had left out, so that every rebuild skips them. */
  readonly skipped: ReadonlySet<string>;
  /** The generation has no readers yet: commits do not wait for the disk, and what a crash loses is folded again. */
  readonly unread?: boolean;
}

export async function foldTarget({ log }: ProjectorDependencies, projection: Projection, lease: Lease): Promise<FoldTarget> {
  const skipped = new Set<string>();
  for await (const { type, data } of streamEvents(log, projectionStream(projection.name))) {
    if (type === PROJECTION_EVENT_SKIPPED) skipped.add(projectionEventSkipped.parse(JSON.parse(data)).eventId);
  }
  return { projection, lease, logId: await log.identity(), skipped };
}

/** What one generation folds of a batch. */
interface BatchPart {
  readonly target: FoldTarget;
  readonly from: Position;
  readonly batch: LogBatch;
}

/** Folds a batch in a transaction of its own. Returns the new checkpoint; throws `LeaseLost`. */
export async function foldBatch(deps: ProjectorDependencies, target: FoldTarget, from: Position, batch: LogBatch): Promise<Position> {
  if ((await foldTogether(deps, [{ target, from, batch }])).has(target)) throw leaseLost(target);
  return batch.scannedTo;
}

export const leaseLost = ({ projection, lease }: FoldTarget): LeaseLost =>
  new LeaseLost(`generation ${lease.generation} of ${projection.name} is no longer ours`);

/**
 * Folds a batch into several generations in one transaction. Returns those whose lease is lost, which it leaves as they are; throws where
 * one fold fails, and then changes none.
 */
export async function foldTogether(deps: ProjectorDependencies, parts: readonly BatchPart[]): Promise<ReadonlySet<FoldTarget>> {
  const isEmpty = parts.every(({ target, batch }) => target.unread === true || batch.events.every(({ id }) => target.skipped.has(id)));
  return await deps.transactor.transaction(async (transaction) => {
    // A crash may lose the move of a checkpoint without events: it is repeated, so the commit does not wait for the disk.
    if (isEmpty) await transaction.execute({ text: 'set local synchronous_commit = off', values: [] });
    const moving = new BegunWork<boolean>();
    for (const part of parts) moving.add(advance(deps, part, transaction));
    const moved = await moving.end();
    const [held, lost] = [parts.filter((_, index) => moved[index]!), parts.filter((_, index) => !moved[index]!)];
    await foldInTurns(deps, held, transaction);
    return new Set(lost.map(({ target }) => target));
  });
}

/** Of one projection, before others, requests and answers of the database have their turn; of one alone, whose statements are fewer. */
const [TURN_EVENTS, TURN_ALONE] = [250, 500];

/** Each generation folds its events in order, all of them at once. */
async function foldInTurns(deps: ProjectorDependencies, parts: readonly BatchPart[], transaction: Transaction): Promise<void> {
  const content = contentReader();
  const turn = parts.length === 1 ? TURN_ALONE : TURN_EVENTS;
  const fold = (target: FoldTarget, events: readonly StoredEvent[]) => foldEvents(deps, target, transaction, events, { content, turn });
  const folding = new BegunWork();
  for (const { target, batch } of parts) {
    const events = unskipped(target, batch);
    folding.add(fold(target, events));
    if (events.length > turn) await new Promise(setImmediate);
  }
  // No statement of a failed transaction is under way when it is rolled back.
  await folding.end();
}

const unskipped = ({ skipped }: FoldTarget, { events }: LogBatch): readonly StoredEvent[] =>
  skipped.size === 0 ? events : events.filter(({ id }) => !skipped.has(id));

/**
 * Moves the checkpoint and folds a batch in one transaction. The checkpoint moves first and only under the lease's token and the old
 * value, so that of two owners one commits nothing. Throws `LeaseLost`.
 */
export async function foldAndAdvance(
  deps: ProjectorDependencies,
  target: FoldTarget,
  transaction: Transaction,
  from: Position,
  batch: LogBatch,
): Promise<void> {
  if (!(await advance(deps, { target, from, batch }, transaction))) throw leaseLost(target);
  await foldEvents(deps, target, transaction, unskipped(target, batch));
}

function advance(deps: ProjectorDependencies, { target, from, batch }: BatchPart, transaction: Transaction): Promise<boolean> {
  const now = deps.leaseClock.now();
  return deps.generations.advance(transaction, target.lease, {
    from,
    to: batch.scannedTo,
    folded: unskipped(target, batch).length,
    now,
    leaseUntil: now + deps.leaseMs,
    logId: target.logId,
    eventsRead: deps.log.distance(LOG_START, batch.scannedTo),
    last: lastMarkOf(batch.events),
    proof: farthestOf(deps.log, batch),
  });
}

/** Folds events of one batch, some in each turn. Leaves the checkpoint of the generation where it is. */
export async function foldEvents(
  { log, columns }: { readonly log: Pick<EventLog, 'readStream'>; readonly columns: ColumnArrays },
  { projection, lease: { generation } }: { readonly projection: Projection; readonly lease: Pick<Lease, 'generation'> },
  transaction: Transaction,
  events: readonly StoredEvent[],
  { content = contentReader(), turn = events.length }: { readonly content?: FoldContext['content']; readonly turn?: number } = {},
): Promise<void> {
  const gathering = gathers();
  const context: FoldContext = { transaction, columns, generation, content, reread: rereading(log), gathered: gathering.gathered };
  for (let from = 0; from < events.length; from += turn) await projection.fold(events.slice(from, from + turn), context);
  await gathering.end();
}

function gathers(): { readonly gathered: FoldContext['gathered']; readonly end: () => Promise<void> } {
  let begun: { readonly state: unknown; readonly end: () => Promise<void> } | undefined;
  return {
    gathered: <Gathered>(begin: () => Gathered, end: (gathered: Gathered) => Promise<void>): Gathered => {
      if (begun === undefined) {
        const state = begin();
        begun = { state, end: () => end(state) };
      }
      return begun.state as Gathered;
    },
    end: async () => await begun?.end(),
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

/** What a generation lacks up to a position, without skipped events; null where that is more than one batch. */
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

/** Folds a batch; an event that cannot be folded cannot be folded later either, and pauses the projection at once. Throws as `applyOrPause`. */
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
