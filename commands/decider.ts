import type { StoredEvent } from '../domain/ports/event-log.ts';
import type { Rejection } from '../domain/rejections.ts';

/** A fact that a decision has made, before it is stored. */
export interface Fact {
  readonly type: string;
  readonly data: unknown;
}

/** What a stream's events come to, event by event. */
export interface Fold<State, Event> {
  initialState(): State;
  /** Never throws. */
  evolve(state: State, event: Event): State;
  /** The event as stored in any version, in its current shape. */
  read(stored: StoredEvent): Event;
  /** For a stream that can grow without end; see `fold-stream.ts`. */
  readonly checkpoint?: CheckpointForm<State>;
}

/** How a state is kept between commands. It must hold nothing that may have to be erased: keep a hash of it instead. */
export interface CheckpointForm<State> {
  /** snake_case; two folds of the same streams have two names. */
  readonly name: string;
  /** Raised whenever the state's form or what events do to it changes: a state of another version is not used. */
  readonly version: number;
  /** Events after which the next one is due. */
  readonly every: number;
  /** A value that JSON can carry. */
  write(state: State): unknown;
  /** Throws for what no state is written as. */
  read(written: unknown): State;
}

/** What may happen to the streams of one category: pure, without clock or randomness. */
export interface Decider<State, Command, Event extends Fact> extends Fold<State, Event> {
  /** The events that follow, none where the command changes nothing, or why it is refused. */
  decide(command: Command, state: State): readonly Event[] | Rejection;
  readonly schemaVersion: number;
}
