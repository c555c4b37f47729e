import { encodeFeedCursor } from '../../domain/cursor.ts';
import { SNAPSHOT_TAKEN, snapshotTaken, type SnapshotTaken } from '../../domain/events/feed-events.ts';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import { NO_STREAM, type Position } from '../../domain/ports/event-log.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { Rejection } from '../../domain/rejections.ts';
import { snapshotStream } from '../../domain/streams.ts';
import type { Caller, Decider, Fact } from '../decider.ts';
import { type CommandPorts, handle } from '../handle.ts';

interface SnapshotHead {
  readonly feedId: string | null;
  readonly position: number;
  readonly prunedThrough: number;
  readonly fingerprint: string | null;
  readonly counts: Readonly<Record<Resource, number>>;
  readonly digests: Readonly<Record<Resource, string>>;
}

export interface TakeSnapshotDependencies extends CommandPorts {
  /** Called before anything is stored. Throws if the feed or the read model of snapshots cannot be read. */
  readonly readHead: () => Promise<SnapshotHead>;
  /** Resolves to true once the snapshot can be read, or to false at the deadline. */
  readonly visible: (position: Position, deadline: number) => Promise<boolean>;
  readonly lifetimeMs: number;
  readonly deadlineMs: number;
}

/**
 * Creates a frozen export at the head of the feed: one event, no copy. Its boundary is the position at which one
 * statement read counts and digests. Refuses with 503 before the feed is open, and with 504 if the snapshot does not
 * become readable in time. Stores nothing once `over` has aborted.
 */
export const createTakeSnapshot =
  (deps: TakeSnapshotDependencies) =>
  async ({ accountId, keyId, requestId }: Caller, over?: AbortSignal) => {
    const deadline = deps.clock.now() + deps.deadlineMs;
    const head = await deps.readHead();
    if (head.feedId === null) throw new Rejection('feed_unavailable', 'the feed has not been opened yet');
    const time = deps.clock.now();
    const snapshot: SnapshotTaken = {
      snapshotId: deps.identifiers.next(),
      accountId,
      feedId: head.feedId,
      boundary: head.position,
      createdAt: new Date(time).toISOString(),
      expiresAt: new Date(time + deps.lifetimeMs).toISOString(),
      counts: head.counts,
      digests: head.digests,
    };
    if (time >= deadline) throw new DeadlineExceeded('the feed could not be read by the deadline');
    over?.throwIfAborted();
    const stream = snapshotStream(snapshot.snapshotId);
    const context = { accountId, keyId, requestId };
    const command = {
      decider: snapshotDecider,
      stream,
      after: NO_STREAM,
      command: snapshot,
      commandId: deps.identifiers.next(),
      context,
    };
    const handled = await handle({ ...deps, ...command, deadline });
    if (handled.kind !== 'appended') throw new Error('a snapshot is always taken');
    const { position } = handled;
    if (!(await deps.visible(position, deadline)))
      throw new DeadlineExceeded('the snapshot was taken but cannot be read yet');
    if ((await deps.readHead()).prunedThrough > snapshot.boundary)
      throw new Rejection('feed_unavailable', 'the feed was pruned during the request; try again');
    const { snapshotId, feedId, boundary, createdAt, expiresAt, counts, digests } = snapshot;
    const boundaryCursor = encodeFeedCursor({
      feedId,
      position: boundary,
      fingerprint: head.fingerprint,
      binding: 'nothing',
    });
    return { snapshotId, boundaryCursor, createdAt, expiresAt, counts, digests };
  };

/** Each snapshot has its own stream, with one event. */
const snapshotDecider: Decider<null, SnapshotTaken, Fact> = {
  initialState: () => null,
  evolve: (state) => state,
  read: ({ type, data }) => ({ type, data: snapshotTaken.parse(JSON.parse(data)) }),
  decide: (snapshot) => [{ type: SNAPSHOT_TAKEN, data: snapshot }],
  schemaVersion: 1,
};
