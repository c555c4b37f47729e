import { z } from 'zod';
import type { CommandContext } from '../decider.ts';
import { type CommandPorts, newEvents, pauseBeforeRetry } from '../handle.ts';
import { decide, evolve, initialState, type RecordIntent } from './record-decider.ts';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import {
  type EventLog,
  type NewEvent,
  NO_STREAM,
  OutcomeUnknown,
  type Position,
  type StoredEvent,
  type StreamAppend,
} from '../../domain/ports/event-log.ts';
import { text, uuid } from '../../domain/records/fields.ts';
import { isResource, RECORD_SCHEMAS, type Resource, RESOURCES } from '../../domain/records/resources.ts';
import { Rejection } from '../../domain/rejections.ts';
import { recordStream } from '../../domain/streams.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const KEYS = { upsert: ['op', 'resource', 'id', 'data'], remove: ['op', 'resource', 'id', 'reason'] } as const;

/** Parses a change from JSON text, or returns the reason for a refusal; `what` names the text in it. The content is checked later. */
export function parseChange(bytes: Uint8Array, what: string): RecordChange | string {
  let json: string;
  try {
    json = utf8.decode(bytes);
  } catch {
    return `the ${what} is not valid UTF-8`;
  }
  let stated: unknown;
  try {
    stated = JSON.parse(json);
  } catch (error) {
    return `the ${what} is not JSON: ${(error as Error).message.slice(0, 200)}`;
  }
  if (typeof stated !== 'object' || stated === null || Array.isArray(stated)) return `the ${what} must be a JSON object`;
  return toChange(stated as Record<string, unknown>);
}

function toChange(stated: Record<string, unknown>): RecordChange | string {
  const { op, resource, id, data, reason } = stated;
  if (op !== 'upsert' && op !== 'remove') return 'op must be "upsert" or "remove"';
  const unknown = Object.keys(stated).filter((key) => !(KEYS[op] as readonly string[]).includes(key));
  if (unknown.length > 0) return `unknown key ${JSON.stringify(unknown[0])}; allowed are ${KEYS[op].join(', ')}`;
  if (typeof resource !== 'string' || !isResource(resource)) return `resource must be one of ${RESOURCES.join(', ')}`;
  if (typeof id !== 'string') return 'id must be a uuid';
  if (op === 'upsert') return { op, resource, id, content: data };
  if (reason !== undefined && reason !== null && typeof reason !== 'string') return 'reason must be a text';
  return { op, resource, id, reason: reason ?? null };
}

const SERVICE_FIELDS = ['id', 'createdAt', 'updatedAt'] as const;
const reasonText = text
  .max(1000)
  .refine((reason) => reason.isWellFormed() && !reason.includes('\0'), { error: 'lone surrogates and U+0000 are not allowed' })
  .nullable();

type CheckedChange =
  | { readonly kind: 'command'; readonly id: string; readonly intent: RecordIntent }
  | { readonly kind: 'rejected'; readonly reason: string };

const rejected = (reason: string): CheckedChange => ({ kind: 'rejected', reason });

function describeIssues(error: z.ZodError): string {
  const lines = error.issues.slice(0, 3).map((issue) => {
    const path = issue.path.map(String).join('.');
    return path === '' ? issue.message : `${path}: ${issue.message}`;
  });
  return error.issues.length > 3 ? `${lines.join('; ')}; and ${error.issues.length - 3} more` : lines.join('; ');
}

/** Without recursion: JSON can nest deeper than the call stack. */
function holdsPrototypeKey(stated: object): boolean {
  const left: object[] = [stated];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (Object.hasOwn(value, '__proto__')) return true;
    for (const inner of Object.values(value) as unknown[]) if (typeof inner === 'object' && inner !== null) left.push(inner);
  }
  return false;
}

function checkUpsert(change: Extract<RecordChange, { op: 'upsert' }>, id: string): CheckedChange {
  const { content: stated } = change;
  if (typeof stated !== 'object' || stated === null || Array.isArray(stated)) return rejected('data must be an object');
  if (holdsPrototypeKey(stated)) return rejected('a key __proto__ is not allowed');
  const content: Record<string, unknown> = { ...stated };
  if (content['id'] !== undefined && uuid.safeParse(content['id']).data !== id)
    return rejected('data.id differs from the id of the change');
  for (const field of SERVICE_FIELDS) delete content[field];
  const parsed = RECORD_SCHEMAS[change.resource].safeParse(content);
  if (!parsed.success) return rejected(describeIssues(parsed.error));
  return { kind: 'command', id, intent: { type: 'PublishRecord', id, content: parsed.data } };
}

export function checkChange(change: RecordChange): CheckedChange {
  const id = uuid.safeParse(change.id);
  if (!id.success) return rejected('id must be a uuid');
  if (change.op === 'upsert') return checkUpsert(change, id.data);
  const reason = reasonText.safeParse(change.reason ?? null);
  if (!reason.success) return rejected(`reason: ${describeIssues(reason.error)}`);
  return { kind: 'command', id: id.data, intent: { type: 'WithdrawRecord', reason: reason.data } };
}

/** A change of one record. `causedBy` is the event that a reactor reacts to. The schema of the resource checks and normalises `content`. */
export type RecordChange =
  | { readonly op: 'upsert'; readonly resource: Resource; readonly id: string; readonly content: unknown; readonly causedBy?: string }
  | {
      readonly op: 'remove';
      readonly resource: Resource;
      readonly id: string;
      readonly reason?: string | null;
      readonly causedBy?: string;
    };

export type RecordOutcome =
  | { readonly kind: 'appended'; readonly position: Position }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'rejected'; readonly reason: string };

/** A command that is repeated after a crash or by another process; it is stored once. */
interface Delivery {
  /** The same in each attempt. */
  readonly commandId: string;
  /** A number for each change, the same in each attempt; event ids derive from it. */
  readonly numbers: readonly number[];
  /** Streams whose changes an earlier try has stored: they are passed over. */
  readonly stored: ReadonlySet<string>;
  /** Awaited right before each append, with the expected revision of every stream; throws when another process has the command. */
  readonly claim: (revisions: ReadonlyMap<string, number>) => Promise<void>;
}

export interface RecordWriter {
  /** Outcomes in the order of the changes; several changes of one record are applied in their order. */
  write(changes: readonly RecordChange[], context: CommandContext, delivery?: Delivery): Promise<readonly RecordOutcome[]>;
}

interface WriteRecordsDependencies extends CommandPorts {
  /** Milliseconds for which a change is decided again after conflicts and lost connections. */
  readonly deadlineMs: number;
}

interface RecordCommand {
  readonly intent: RecordIntent;
  readonly causedBy: string | undefined;
  /** Its place among the changes. */
  readonly index: number;
  /** The id of its event derives from the id of the whole and this number. */
  readonly number: number;
}

/** Writes record changes as one command. Throws `DeadlineExceeded` when the deadline passes, and what the log throws. */
export const createRecordWriter = (deps: WriteRecordsDependencies): RecordWriter => ({
  async write(changes, context, delivery) {
    const outcomes = Array.from<RecordOutcome>({ length: changes.length });
    const commands = new Map<string, RecordCommand[]>();
    for (const [index, change] of changes.entries()) {
      const checked = checkChange(change);
      if (checked.kind === 'rejected') {
        outcomes[index] = checked;
        continue;
      }
      const stream = recordStream(change.resource, checked.id);
      if (delivery?.stored.has(stream) === true) {
        outcomes[index] = { kind: 'unchanged' };
        continue;
      }
      const command = { intent: checked.intent, causedBy: change.causedBy, index, number: delivery?.numbers[index] ?? index };
      commands.set(stream, [...(commands.get(stream) ?? []), command]);
    }
    const commandId = delivery?.commandId ?? deps.identifiers.next();
    for (const [index, outcome] of await handleEach({ ...deps, commandId, context, claim: delivery?.claim }, commands)) {
      outcomes[index] = outcome;
    }
    return outcomes;
  },
});

interface HandlingEach extends WriteRecordsDependencies {
  readonly commandId: string;
  readonly context: CommandContext;
  readonly claim: Delivery['claim'] | undefined;
}

interface Decision {
  readonly stream: string;
  readonly commands: readonly RecordCommand[];
  /** Undefined where no command of the stream changes anything. */
  readonly append: StreamAppend | undefined;
  /** Of the commands that made no event, by index. */
  readonly outcomes: ReadonlyMap<number, RecordOutcome>;
  /** Set where an earlier attempt turns out to have been stored. */
  readonly stored?: Position;
}

const MAX_UNKNOWN_ATTEMPTS = 20;

/**
 * Handles commands of many streams, each stream by itself. One call reads the newest event of every stream and one call appends; after a
 * conflict or an unknown outcome the events are looked up by their ids, and the commands are decided again. Returns the outcomes by index.
 */
async function handleEach(
  handling: HandlingEach,
  commands: ReadonlyMap<string, readonly RecordCommand[]>,
): Promise<ReadonlyMap<number, RecordOutcome>> {
  const { log, clock, identifiers, claim } = handling;
  const deadline = clock.now() + handling.deadlineMs;
  const outcomes = new Map<number, RecordOutcome>();
  let pending = commands;
  let tried: readonly Decision[] = [];
  for (let attempt = 0; pending.size > 0; attempt++) {
    if (attempt > 0 && clock.now() >= deadline) {
      throw new DeadlineExceeded(
        'nothing more could be stored by the deadline: the log was too slow, or other writers kept changing the streams',
      );
    }
    // A fresh id: two processes may handle the same command.
    if (attempt > 0) await pauseBeforeRetry(clock, identifiers.next(), attempt - 1);
    const decisions = await decideAll(handling, pending, tried);
    const appends = decisions.flatMap(({ append, stored }) => (stored === undefined ? (append ?? []) : []));
    if (appends.length > 0) await claim?.(new Map(appends.map(({ stream, expectedRevision }) => [stream, expectedRevision])));
    const appended = await appendAll(log, appends, attempt < MAX_UNKNOWN_ATTEMPTS && clock.now() < deadline);
    const positionOf = ({ stream, stored }: Decision): Position | undefined => stored ?? appended.get(stream);
    tried = decisions.filter((decision) => decision.append !== undefined && positionOf(decision) === undefined);
    pending = new Map(tried.map((decision) => [decision.stream, decision.commands]));
    for (const decision of decisions.filter(({ stream }) => !pending.has(stream))) {
      for (const { index } of decision.commands) {
        outcomes.set(index, decision.outcomes.get(index) ?? { kind: 'appended', position: positionOf(decision)! });
      }
    }
  }
  return outcomes;
}

async function decideAll(
  { log, clock, commandId, context }: HandlingEach,
  pending: ReadonlyMap<string, readonly RecordCommand[]>,
  tried: readonly Decision[],
): Promise<readonly Decision[]> {
  const time = clock.now();
  const at = new Date(time).toISOString();
  const last = await log.readLast([...pending.keys()]);
  const stored = await storedMeanwhile(log, tried, last);
  return [...pending].map(([stream, commands]) => {
    const earlier = stored.get(stream);
    if (earlier !== undefined) return earlier;
    const newest = last.get(stream);
    let state = newest === undefined ? initialState() : evolve(initialState(), newest);
    const events: NewEvent[] = [];
    const outcomes = new Map<number, RecordOutcome>();
    for (const { index, number, intent, causedBy } of commands) {
      const decision = decide({ ...intent, at }, state);
      if (decision instanceof Rejection) outcomes.set(index, { kind: 'rejected', reason: decision.message });
      else if (decision.length === 0) outcomes.set(index, { kind: 'unchanged' });
      else {
        const issued = causedBy === undefined ? context : { ...context, causedBy };
        events.push(...newEvents(decision, { commandId, time, context: issued, firstNumber: number }));
        if (commands.length > 1) for (const event of decision) state = evolve(state, event);
      }
    }
    const append = events.length === 0 ? undefined : { stream, expectedRevision: newest?.revision ?? NO_STREAM, events };
    return { stream, commands, append, outcomes };
  });
}

/**
 * The decisions whose append is stored after all, by stream: the ids of the events past the expected revision show it. Looked up between
 * the read of the state and the next decision: else a command whose append is stored late would be decided on top of its own events.
 */
async function storedMeanwhile(
  log: EventLog,
  tried: readonly Decision[],
  last: ReadonlyMap<string, StoredEvent>,
): Promise<ReadonlyMap<string, Decision>> {
  const stored = new Map<string, Decision>();
  const look = async (decision: Decision): Promise<void> => {
    const { stream, expectedRevision, events } = decision.append!;
    if ((last.get(stream)?.revision ?? NO_STREAM) <= expectedRevision) return;
    const since = await log.readStream(stream, expectedRevision, events.length);
    if (since[0]?.id === events[0]!.id) stored.set(stream, { ...decision, stored: since.at(-1)!.position });
  };
  await Promise.all(tried.map(look));
  return stored;
}

/** The positions of the appends that are known to be stored, by stream. */
async function appendAll(log: EventLog, appends: readonly StreamAppend[], mayRetry: boolean): Promise<ReadonlyMap<string, Position>> {
  try {
    const outcomes = appends.length === 0 ? [] : await log.appendEach(appends);
    return new Map(outcomes.flatMap((outcome, at) => (outcome.kind === 'appended' ? [[appends[at]!.stream, outcome.position]] : [])));
  } catch (error) {
    if (!(error instanceof OutcomeUnknown) || !mayRetry) throw error;
    return new Map();
  }
}
