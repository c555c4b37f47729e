import { DeadlineExceeded } from '../domain/ports/database.ts';
import {
  type AppendOutcome,
  type EventLog,
  type NewEvent,
  NO_STREAM,
  OutcomeUnknown,
  type Position,
  type StoredEvent,
  type StreamAppend,
} from '../domain/ports/event-log.ts';
import { Rejection } from '../domain/rejections.ts';
import type { CommandContext, NewestEventDecider } from './decider.ts';
import { type CommandPorts, newEvents, pauseBeforeRetry } from './handle.ts';

export interface StreamCommand<Command> {
  readonly stream: string;
  readonly command: Command;
  /** The id of its event derives from the id of the whole and this number. */
  readonly number: number;
  /** The event that a reactor reacts to. */
  readonly causedBy?: string | undefined;
}

export interface HandlingEach<State, Command> extends CommandPorts {
  readonly decider: NewestEventDecider<State, Command>;
  /** Several of one stream are applied in their order. */
  readonly commands: readonly StreamCommand<Command>[];
  /** The same in each attempt, so that each event is stored once. */
  readonly commandId: string;
  readonly context: CommandContext;
  /** Milliseconds for which a command is decided again after conflicts and lost connections. */
  readonly deadlineMs: number;
  /** Awaited right before each append, with the revision that every stream must have then. */
  readonly claim?: ((revisions: ReadonlyMap<string, number>) => Promise<void>) | undefined;
}

export type HandledEach =
  | { readonly kind: 'appended'; readonly position: Position }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'rejected'; readonly rejection: Rejection };

type Numbered<Command> = StreamCommand<Command> & { readonly index: number };

interface Decision<Command> {
  readonly stream: string;
  readonly commands: readonly Numbered<Command>[];
  /** Undefined where no command of the stream changes anything. */
  readonly append: StreamAppend | undefined;
  /** Indexes of the commands that made an event. */
  readonly changed: ReadonlySet<number>;
  readonly rejected: ReadonlyMap<number, Rejection>;
  /** Set where an earlier attempt turns out to have been stored. */
  readonly stored?: Position;
}

const MAX_UNKNOWN_ATTEMPTS = 20;

/**
 * Handles commands of many streams, each stream by itself. One call reads the newest event of every stream and one call appends; after a
 * conflict or an unknown outcome the events are looked up by their ids, and the commands are decided again. Returns the outcomes in the order of
 * the commands. Throws `DeadlineExceeded` when the deadline passes, and what the log throws.
 */
export async function handleEach<State, Command>(handling: HandlingEach<State, Command>): Promise<readonly HandledEach[]> {
  const { log, clock, identifiers, claim } = handling;
  const deadline = clock.now() + handling.deadlineMs;
  const numbered = handling.commands.map((command, index) => ({ ...command, index }));
  const outcomes = Array.from<HandledEach>({ length: numbered.length });
  let pending: ReadonlyMap<string, readonly Numbered<Command>[]> = Map.groupBy(numbered, ({ stream }) => stream);
  let unknown: readonly Decision<Command>[] = [];
  for (let attempt = 0; pending.size > 0; attempt++) {
    if (attempt > 0 && clock.now() >= deadline) {
      throw new DeadlineExceeded(
        'nothing more could be stored by the deadline: the log was too slow, or other writers kept changing the streams',
      );
    }
    // A fresh id: two processes may handle the same command.
    if (attempt > 0) await pauseBeforeRetry(clock, identifiers.next(), attempt - 1);
    const decisions = await decideAll(handling, pending, unknown);
    const appends = decisions.flatMap(({ append, stored }) => (stored === undefined ? (append ?? []) : []));
    if (appends.length > 0) await claim?.(new Map(appends.map(({ stream, expectedRevision }) => [stream, expectedRevision])));
    const results = await appendAll(log, decisions, appends, attempt < MAX_UNKNOWN_ATTEMPTS && clock.now() < deadline);
    const again = decisions.filter((_, at) => results[at]!.kind !== 'done');
    unknown = decisions.filter((_, at) => results[at]!.kind === 'unknown');
    pending = new Map(again.map(({ stream, commands }) => [stream, commands]));
    for (const [at, { commands, changed, rejected }] of decisions.entries()) {
      const outcome = results[at]!;
      if (outcome.kind !== 'done') continue;
      for (const { index } of commands) {
        const rejection = rejected.get(index);
        if (rejection !== undefined) outcomes[index] = { kind: 'rejected', rejection };
        else if (changed.has(index)) outcomes[index] = { kind: 'appended', position: outcome.position! };
        else outcomes[index] = { kind: 'unchanged' };
      }
    }
  }
  return outcomes;
}

async function decideAll<State, Command>(
  { log, clock, decider, commandId, context }: HandlingEach<State, Command>,
  pending: ReadonlyMap<string, readonly Numbered<Command>[]>,
  unknown: readonly Decision<Command>[],
): Promise<readonly Decision<Command>[]> {
  const time = clock.now();
  const at = new Date(time).toISOString();
  const last = await log.readLast([...pending.keys()]);
  const stored = await storedMeanwhile(log, unknown, last);
  return [...pending].map(([stream, commands]) => {
    const earlier = stored.get(stream);
    if (earlier !== undefined) return earlier;
    const newest = last.get(stream);
    let state = newest === undefined ? decider.initialState() : decider.evolve(decider.initialState(), newest);
    const events: NewEvent[] = [];
    const changed = new Set<number>();
    const rejected = new Map<number, Rejection>();
    for (const { index, number, command, causedBy } of commands) {
      const decision = decider.decide(command, state, at);
      if (decision instanceof Rejection) rejected.set(index, decision);
      else if (decision.length > 0) {
        const issued = causedBy === undefined ? context : { ...context, causedBy };
        events.push(...newEvents(decision, { commandId, time, context: issued, firstNumber: number }));
        if (commands.length > 1) for (const event of decision) state = decider.evolve(state, event);
        changed.add(index);
      }
    }
    const append = events.length === 0 ? undefined : { stream, expectedRevision: newest?.revision ?? NO_STREAM, events };
    return { stream, commands, append, changed, rejected };
  });
}

/**
 * An append of unknown outcome may be stored after it was looked up. Where its stream has grown since, the look-up is repeated after the state
 * was read and before the decision; otherwise the command would be decided on top of its own events.
 */
async function storedMeanwhile<Command>(
  log: EventLog,
  unknown: readonly Decision<Command>[],
  last: ReadonlyMap<string, StoredEvent>,
): Promise<ReadonlyMap<string, Decision<Command>>> {
  const stored = new Map<string, Decision<Command>>();
  for (const decision of unknown) {
    const append = decision.append!;
    if ((last.get(decision.stream)?.revision ?? NO_STREAM) <= append.expectedRevision) continue;
    const position = await findOwn(log, append);
    if (position !== undefined) stored.set(decision.stream, { ...decision, stored: position });
  }
  return stored;
}

type AppendResult = { readonly kind: 'done'; readonly position?: Position } | { readonly kind: 'conflict' | 'unknown' };

async function appendAll<Command>(
  log: EventLog,
  decisions: readonly Decision<Command>[],
  appends: readonly StreamAppend[],
  mayRetry: boolean,
): Promise<readonly AppendResult[]> {
  let outcomes: readonly AppendOutcome[] | undefined;
  try {
    outcomes = appends.length === 0 ? [] : await log.appendEach(appends);
  } catch (error) {
    if (!(error instanceof OutcomeUnknown) || !mayRetry) throw error;
  }
  let next = 0;
  return Promise.all(
    decisions.map(async ({ append, stored }): Promise<AppendResult> => {
      if (stored !== undefined) return { kind: 'done', position: stored };
      if (append === undefined) return { kind: 'done' };
      const outcome = outcomes?.[next++];
      if (outcome?.kind === 'appended') return { kind: 'done', position: outcome.position };
      const position = await findOwn(log, append);
      if (position !== undefined) return { kind: 'done', position };
      return { kind: outcome === undefined ? 'unknown' : 'conflict' };
    }),
  );
}

/** After a conflict or an unknown outcome: whether this very command is stored. Its event ids past the expected revision show it. */
async function findOwn(log: EventLog, { stream, expectedRevision, events }: StreamAppend): Promise<Position | undefined> {
  const since = await log.readStream(stream, expectedRevision, events.length);
  return since[0]?.id === events[0]!.id ? since.at(-1)!.position : undefined;
}
