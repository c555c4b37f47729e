import { canonicalJson } from '../../domain/canonical-json.ts';
import { encodeFeedCursor } from '../../domain/cursor.ts';
import { SNAPSHOT_TAKEN, type SnapshotTaken } from '../../domain/events/snapshot-events.ts';
import type { Identifiers } from '../../domain/identifiers.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import { type EventLog, NO_STREAM, OutcomeUnknown, type Position, type StreamAppend } from '../../domain/ports/event-log.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { Rejection } from '../../domain/rejections.ts';
import { snapshotStream } from '../../domain/streams.ts';
import { newEvents } from '../new-events.ts';

/** What a snapshot is taken of, read at one moment. */
export interface SnapshotGround {
  readonly feedId: string | null;
  readonly position: number;
  readonly prunedThrough: number;
  readonly fingerprint: string | null;
  readonly counts: Readonly<Record<Resource, number>>;
  readonly digests: Readonly<Record<Resource, string>>;
}

export interface TakeSnapshotDependencies {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  /** Asked before anything is stored. Throws where the feed or the read model of snapshots cannot be read. */
  readonly readGround: () => Promise<SnapshotGround>;
  /** Resolves true once the snapshot can be read, false at the deadline. */
  readonly visible: (position: Position, deadline: number) => Promise<boolean>;
  readonly lifetimeMs: number;
  readonly deadlineMs: number;
}

export interface TakeSnapshot {
  readonly accountId: string;
  readonly keyId: string;
  readonly requestId: string;
}

/**
 * Takes a frozen export at the feed's head: one event, no copy. Its boundary is the position at which counts and digests were read, in
 * one statement. Refuses with 503 before the feed is open and 504 when the snapshot does not become readable in time. Stores nothing once
 * `over` has aborted.
 */
export const createTakeSnapshot =
  (deps: TakeSnapshotDependencies) =>
  async ({ accountId, keyId, requestId }: TakeSnapshot, over?: AbortSignal) => {
    const deadline = deps.clock.now() + deps.deadlineMs;
    const ground = await deps.readGround();
    if (ground.feedId === null) throw new Rejection('feed_unavailable', 'the feed has not been opened yet');
    const time = deps.clock.now();
    const taken: SnapshotTaken = {
      snapshotId: deps.identifiers.next(),
      accountId,
      feedId: ground.feedId,
      boundary: ground.position,
      createdAt: new Date(time).toISOString(),
      expiresAt: new Date(time + deps.lifetimeMs).toISOString(),
      counts: ground.counts,
      digests: ground.digests,
    };
    if (time >= deadline) throw new DeadlineExceeded('the feed could not be read by the deadline');
    over?.throwIfAborted();
    const command = { commandId: deps.identifiers.next(), time, context: { accountId, keyId, requestId } };
    const events = newEvents([{ type: SNAPSHOT_TAKEN, data: canonicalJson(taken) }], command);
    const position = await appendOnce(deps.log, { stream: snapshotStream(taken.snapshotId), expectedRevision: NO_STREAM, events });
    if (!(await deps.visible(position, deadline))) throw new DeadlineExceeded('the snapshot was taken but cannot be read yet');
    if ((await deps.readGround()).prunedThrough > taken.boundary)
      throw new Rejection('feed_unavailable', 'the feed was pruned meanwhile; try again');
    const { snapshotId, feedId, boundary, createdAt, expiresAt, counts, digests } = taken;
    const boundaryCursor = encodeFeedCursor({ feedId, position: boundary, fingerprint: ground.fingerprint, binding: 'nothing' });
    return { snapshotId, boundaryCursor, createdAt, expiresAt, counts, digests };
  };

/** The stream is this command's own: whatever is found on it is this event. */
const appendOnce = async (log: EventLog, append: StreamAppend): Promise<Position> => {
  for (let attempt = 0; ; attempt++) {
    try {
      const outcome = await log.append(append);
      if (outcome.kind === 'appended') return outcome.position;
    } catch (error) {
      if (!(error instanceof OutcomeUnknown) || attempt > 2) throw error;
    }
    const [found] = await log.readStream(append.stream, NO_STREAM, 1);
    if (found !== undefined) return found.position;
  }
};
