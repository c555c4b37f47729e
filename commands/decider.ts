import { z } from 'zod';
import type { EventMetadata, StoredEvent } from '../domain/ports/event-log.ts';
import type { Rejection } from '../domain/rejections.ts';

export interface Fact {
  readonly type: string;
  readonly data: unknown;
}

export interface Fold<State, Event> {
  initialState(): State;
  /** Never throws. */
  evolve(state: State, event: Event): State;
  /** Reads a stored event of any version into its current form. */
  read(stored: StoredEvent): Event;
  /** Required for a stream that grows without bound; see `foldStream`. */
  readonly checkpoint?: CheckpointForm<State>;
}

/** The form of a stored state. It must not contain text that might have to be erased: store a hash instead. */
export interface CheckpointForm<State> {
  /** snake_case; unique among the folds of one stream. */
  readonly name: string;
  /** Increase it when the form of the state or the fold changes. A state of another version is ignored. */
  readonly version: number;
  /** Events between two checkpoints. */
  readonly every: number;
  /** Returns a value that JSON can represent. */
  write(state: State): unknown;
  /** Throws for a value that `write` does not return. */
  read(written: unknown): State;
}

export const mapCheckpoint = <Value>(
  name: string,
  value: z.ZodType<Value>,
  keyOf: (value: Value) => string,
): CheckpointForm<ReadonlyMap<string, Value>> => ({
  name,
  version: 1,
  every: 100,
  write: (state) => [...state.values()],
  read(storedValue) {
    const values = z.array(value).parse(storedValue);
    return new Map(values.map((each) => [keyOf(each), each]));
  },
});

/** Pure: uses no clock or randomness. */
export interface Decider<State, Command, Event extends Fact> extends Fold<State, Event> {
  /** Returns no events if the command changes nothing. */
  decide(command: Command, state: State): readonly Event[] | Rejection;
  readonly schemaVersion: number;
}

/** The account, key and request behind a command; stored as metadata of its events. */
export type CommandContext = Omit<EventMetadata, 'commandId'>;

/** The caller of an operation, from admission. */
export type Caller = { readonly [Name in 'accountId' | 'keyId' | 'requestId']: string };
