import type { Position } from './event-log.ts';

/** A follower of the log holds a position whose event the log does not have any more, or has another one of. */
export class HistorySetBack extends Error {
  override readonly name = 'HistorySetBack';
}

/** The log has lost events that this process had read: what a failover to a standby or an image of a disk put back does. */
export interface SetBack {
  /** Of the newest event that had been read. */
  readonly held: Position;
  /** Of the newest event that the log has. */
  readonly head: Position;
  /** Milliseconds since the epoch. */
  readonly noticedAt: number;
}

/** What was noticed, by whatever process, until an operator has seen it. */
export interface SetBacks {
  note(setBack: SetBack): Promise<void>;
  /** Those that no operator has acknowledged, oldest first. */
  open(): Promise<readonly SetBack[]>;
  /** Resolves to how many there were. */
  acknowledge(now: number): Promise<number>;
}
