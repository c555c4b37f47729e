import type { Position } from './event-log.ts';

/** A follower of the log holds a position whose event is missing from the log, or is another event there. */
export class HistorySetBack extends Error {
  override readonly name = 'HistorySetBack';
  readonly held: Position;

  constructor(held: Position, id: string) {
    super(`the log has lost history: it does not have event ${id}, which was read at ${held}`);
    this.held = held;
  }
}

/** The log has lost events that this process had read, as after a failover to a standby or a restored disk image. */
export interface SetBack {
  /** Position of the newest event that had been read. */
  readonly held: Position;
  readonly head: Position;
  /** Milliseconds since the epoch. */
  readonly noticedAt: number;
}

export interface SetBacks {
  note(setBack: SetBack): Promise<void>;
  /** Unacknowledged losses, oldest first. */
  open(): Promise<readonly SetBack[]>;
  /** Resolves to their number. */
  acknowledge(now: number): Promise<number>;
}
