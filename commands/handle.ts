import { z } from 'zod';
import type { Clock } from '../domain/ports/clock.ts';
import { DeadlineExceeded } from '../domain/ports/database.ts';
import {
  type AppendOutcome,
  type EventMetadata,
  type NewEvent,
  OutcomeUnknown,
  type Position,
  type StoredEvent,
} from '../domain/ports/event-log.ts';
import { Rejection } from '../domain/rejections.ts';
import type { CommandContext } from './command-context.ts';
import type { Decider, Fact, Fold } from './decider.ts';
import { newEvents } from './new-events.ts';
import { beginAfter, beginFold, foldOn, type FoldParts } from './fold-stream.ts';

/** U+0000, or half a character, as JSON writes them: an odd number of backslashes before the code. */
const NOT_KEPT = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/**
 * Why events must not be stored, or null: what cannot be read again would stop every read model and every decision that meets it, and no
 * event is ever taken back. Text that PostgreSQL does not keep is as bad.
 */
const refuseUndecodable = <State, Event>(
  { read }: Pick<Fold<State, Event>, 'read'>,
  stream: string,
  events: readonly NewEvent[],
): Rejection | null => {
  for (const event of events) {
    if (NOT_KEPT.test(event.data)) return new Rejection('invalid_parameter', 'a text holds U+0000 or half a character');
    try {
      read({ ...event, stream, revision: 0, position: '' as Position, metadata: JSON.stringify(event.metadata) });
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
      const [issue] = error.issues;
      return new Rejection('invalid_parameter', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not usable'}`);
    }
  }
  return null;
};

export interface Handling<State, Command, Event extends Fact> extends FoldParts {
  readonly clock: Clock;
  readonly decider: Decider<State, Command, Event>;
  readonly stream: string;
  /** Revision from which on the stream is read, where nothing before it matters to the decision: then the cost of a command stays flat. */
  readonly after?: number;
  readonly command: Command;
  /**
   * The same id for each try of one command: what it has stored is found again and not stored twice. Past a checkpoint there is no search for
   * it: where a command may come again much later, its decider must know it by what it says.
   */
  readonly commandId: string;
  readonly context: CommandContext;
  /** Clock milliseconds. */
  readonly deadline: number;
}

export type Handled<State = unknown> =
  | { readonly kind: 'appended'; readonly position: Position; readonly revision: number }
  /** The state that was decided upon, and the place of the stream's last event: what has passed it knows the state. */
  | { readonly kind: 'unchanged'; readonly state: State; readonly position: Position | null }
  | { readonly kind: 'rejected'; readonly rejection: Rejection };

/**
 * Loads the stream (from its checkpoint, where the decider has one), decides, and appends at the revision decided upon; decides again
 * after a conflict until the deadline. What could not be read again is rejected. Throws `DeadlineExceeded`, `LogUnavailable`, or `OutcomeUnknown` when even reading again did not
 * show whether the events were stored.
 */
export const handle = async <State, Command, Event extends Fact>(handling: Handling<State, Command, Event>): Promise<Handled<State>> => {
  const { decider, stream, commandId, after } = handling;
  let folded = after === undefined ? await beginFold(handling, decider, stream) : beginAfter(decider, after);
  for (let attempt = 0; ; attempt += 1) {
    let own: StoredEvent | undefined;
    folded = await foldOn(handling, decider, stream, folded, (stored) => {
      if (isOf(commandId, stored)) own = stored;
    });
    if (own !== undefined) return { kind: 'appended', position: own.position, revision: own.revision };
    const decision = decider.decide(handling.command, folded.state);
    if (decision instanceof Rejection) return { kind: 'rejected', rejection: decision };
    if (decision.length === 0) return { kind: 'unchanged', state: folded.state, position: folded.position };
    const decided = decision.map(({ type, data }) => ({ type, data: JSON.stringify(data) }));
    const events = newEvents(decided, { ...handling, time: handling.clock.now(), schemaVersion: decider.schemaVersion });
    const undecodable = refuseUndecodable(decider, stream, events);
    if (undecodable !== null) return { kind: 'rejected', rejection: undecodable };
    // The caller is answered at the deadline: a decision that is later than that must not be stored.
    if (handling.clock.now() >= handling.deadline) throw new DeadlineExceeded('nothing could be stored by the deadline');
    const outcome = await append(handling, events, folded.revision);
    if (outcome.kind === 'appended') return outcome;
    await pause(handling, attempt);
  }
};

const isOf = (commandId: string, stored: StoredEvent): boolean =>
  stored.metadata.includes(commandId) && (JSON.parse(stored.metadata) as EventMetadata).commandId === commandId;

/** A lost connection is answered like a conflict: the next read of the stream shows whether the append was stored. */
const append = async <State, Command, Event extends Fact>(
  { log, clock, stream, deadline }: Handling<State, Command, Event>,
  events: readonly NewEvent[],
  revision: number,
): Promise<AppendOutcome> => {
  try {
    return await log.append({ stream, expectedRevision: revision, events });
  } catch (error) {
    if (error instanceof OutcomeUnknown && clock.now() < deadline) return { kind: 'conflict', actualRevision: revision };
    throw error;
  }
};

const FIRST_PAUSE = 4;
const LONGEST_PAUSE = 250;
/** The jitter comes from the command's id, so that competing commands part and a test repeats itself. */
const pause = async ({ clock, commandId }: { clock: Clock; commandId: string }, attempt: number): Promise<void> => {
  const jitter = 0.5 + Number.parseInt(commandId.slice(-4), 16) / 0x20000;
  await clock.sleep(Math.min(FIRST_PAUSE * 2 ** attempt, LONGEST_PAUSE) * jitter);
};
