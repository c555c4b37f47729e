import type { StoredEvent } from '../src/domain/ports/event-log.ts';
import type { Rejection } from '../src/domain/rejections.ts';

/** A fact that a decision has made, before it is stored. */
export interface Fact {
  readonly type: string;
  readonly data: unknown;
}

/** What may happen to the streams of one category: pure, without clock or randomness. */
export interface Decider<State, Command, Event extends Fact> {
  initialState(): State;
  /** The events that follow, none where the command changes nothing, or why it is refused. */
  decide(command: Command, state: State): readonly Event[] | Rejection;
  /** Never throws. */
  evolve(state: State, event: Event): State;
  /** The event as stored in any version, in its current shape. */
  read(stored: StoredEvent): Event;
  readonly schemaVersion: number;
}
