import { z } from 'zod';
import type { CommandContext } from '../decider.ts';
import type { CommandPorts } from '../handle.ts';
import { handleEach, type HandlingEach, type NumberedIntent, type RecordOutcome } from './handle-each.ts';
import type { RecordIntent } from './record-decider.ts';
import { refuseOwnFacts, withFacts } from '../../domain/agenda/item-facts.ts';
import { issueText, PLAINLY } from '../../domain/text/plain-issues.ts';
import { runInTurns, type Steps } from '../../domain/text/steps.ts';
import { text, uuid } from '../../domain/records/fields.ts';
import {
  isResource,
  type NormalizedContent,
  RECORD_SCHEMAS,
  type Resource,
  RESOURCES,
} from '../../domain/records/resources.ts';
import { hasCredentials } from '../../domain/source-url.ts';
import { recordStream } from '../../domain/streams.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const KEYS = { upsert: ['op', 'resource', 'id', 'data'], remove: ['op', 'resource', 'id', 'reason'] } as const;

/**
 * Parses a change from JSON text, or returns the reason for a rejection, which calls the text `what`. The content is
 * checked later.
 */
export function parseChange(bytes: Uint8Array, what: string): RecordChange | string {
  let json: string;
  try {
    json = utf8.decode(bytes);
  } catch {
    return `the ${what} is not valid UTF-8`;
  }
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return `the ${what} is not JSON: ${(error as Error).message.slice(0, 200)}`;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `the ${what} must be a JSON object`;
  return toChange(value as Record<string, unknown>);
}

function toChange(value: Record<string, unknown>): RecordChange | string {
  const { op, resource, id, data, reason } = value;
  if (op !== 'upsert' && op !== 'remove') return 'op must be "upsert" or "remove"';
  const unknown = Object.keys(value).filter((key) => !(KEYS[op] as readonly string[]).includes(key));
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
  .refine((reason) => reason.isWellFormed() && !reason.includes('\0'), {
    error: 'lone surrogates and U+0000 are not allowed',
  })
  .nullable();

type CheckedChange =
  | { readonly kind: 'command'; readonly id: string; readonly intent: RecordIntent }
  | { readonly kind: 'rejected'; readonly reason: string };

const rejected = (reason: string): CheckedChange => ({ kind: 'rejected', reason });

function describeIssues({ issues }: z.ZodError): string {
  const lines = issues.slice(0, 3).map(issueText);
  return issues.length > 3 ? `${lines.join('; ')}; and ${issues.length - 3} more` : lines.join('; ');
}

/** Searches without recursion: JSON can nest deeper than the call stack. */
function hasPrototypeKey(value: object): boolean {
  const remaining: object[] = [value];
  for (let value = remaining.pop(); value !== undefined; value = remaining.pop()) {
    if (Object.hasOwn(value, '__proto__')) return true;
    for (const inner of Object.values(value) as unknown[])
      if (typeof inner === 'object' && inner !== null) remaining.push(inner);
  }
  return false;
}

/** Returns true for an address with a user or password: records are public. */
function isAddressWithCredentials([field, value]: readonly [string, unknown]): boolean {
  if (typeof value !== 'string' || (field !== 'url' && !field.endsWith('Url'))) return false;
  const address = URL.parse(value);
  return address !== null && hasCredentials(address);
}

function checkUpsert(change: Extract<RecordChange, { op: 'upsert' }>, id: string): CheckedChange {
  const { content: value } = change;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return rejected('data must be an object');
  if (hasPrototypeKey(value)) return rejected('a key __proto__ is not allowed');
  const content: Record<string, unknown> = { ...value };
  if (content['id'] !== undefined && uuid.safeParse(content['id']).data !== id)
    return rejected('data.id differs from the id of the change');
  for (const field of SERVICE_FIELDS) delete content[field];
  const parsed = RECORD_SCHEMAS[change.resource].safeParse(content, PLAINLY);
  if (!parsed.success) return rejected(describeIssues(parsed.error));
  // Checked here, because the schemas also read stored events.
  const withCredentials = Object.entries(parsed.data).find(isAddressWithCredentials);
  if (withCredentials !== undefined)
    return rejected(`${withCredentials[0]}: an address with a user or password is not allowed`);
  const publish = (content: NormalizedContent): CheckedChange => ({
    kind: 'command',
    id,
    intent: { type: 'PublishRecord', id, content },
  });
  if (change.resource !== 'agenda_items') return publish(parsed.data);
  const item = parsed.data as NormalizedContent<'agenda_items'>;
  const refusal = refuseOwnFacts(item);
  return refusal === null ? publish(withFacts(item)) : rejected(refusal);
}

export function checkChange(change: RecordChange): CheckedChange {
  const id = uuid.safeParse(change.id);
  if (!id.success) return rejected('id must be a uuid');
  if (change.op === 'upsert') return checkUpsert(change, id.data);
  const reason = reasonText.safeParse(change.reason ?? null, PLAINLY);
  if (!reason.success) return rejected(`reason: ${describeIssues(reason.error)}`);
  return { kind: 'command', id: id.data, intent: { type: 'WithdrawRecord', reason: reason.data } };
}

/**
 * A change of one record. `causedBy` is the event that a reactor reacts to. The schema of the resource checks and
 * normalizes `content`.
 */
export type RecordChange =
  | {
      readonly op: 'upsert';
      readonly resource: Resource;
      readonly id: string;
      readonly content: unknown;
      readonly causedBy?: string;
    }
  | {
      readonly op: 'remove';
      readonly resource: Resource;
      readonly id: string;
      readonly reason?: string | null;
      readonly causedBy?: string;
    };

/** A command that might be repeated after a crash or by another process, but is stored once. */
interface Delivery {
  /** The same in each attempt. */
  readonly commandId: string;
  /** A number for each change, the same in each attempt; event ids derive from it. */
  readonly numbers: readonly number[];
  /** Streams whose changes an earlier attempt stored; they are skipped. */
  readonly stored: ReadonlySet<string>;
  readonly claim: NonNullable<HandlingEach['claim']>;
}

export interface RecordWriter {
  /**
   * Returns the outcomes in the order of the changes. Changes of one record are applied in order. Changes of different
   * records are stored in order too, except after a conflict.
   */
  write(
    changes: readonly RecordChange[],
    context: CommandContext,
    delivery?: Delivery,
  ): Promise<readonly RecordOutcome[]>;
}

/** Code units of agenda items whose facts are read without yielding to the event loop: a few milliseconds. */
const UNITS_PER_STEP = 4_000;
const lengthOf = ({ title, text }: { readonly title?: unknown; readonly text?: unknown }): number =>
  [title, text].reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);

function* checkInSteps(changes: readonly RecordChange[]): Steps<readonly CheckedChange[]> {
  const checked: CheckedChange[] = [];
  let units = 0;
  for (const change of changes) {
    checked.push(checkChange(change));
    if (change.resource !== 'agenda_items' || change.op === 'remove') continue;
    units += lengthOf(Object(change.content) as object);
    if (units < UNITS_PER_STEP) continue;
    units = 0;
    yield;
  }
  return checked;
}

/**
 * Writes record changes as one command. Throws `DeadlineExceeded` when the deadline passes, and what the log throws.
 */
export function createRecordWriter(deps: CommandPorts & Pick<HandlingEach, 'deadlineMs'>): RecordWriter {
  return {
    async write(changes, context, delivery) {
      const outcomes = Array.from<RecordOutcome>({ length: changes.length });
      const commands = new Map<string, NumberedIntent[]>();
      const allChecked = await runInTurns(checkInSteps(changes));
      for (const [index, change] of changes.entries()) {
        const checked = allChecked[index]!;
        if (checked.kind === 'rejected') {
          outcomes[index] = checked;
          continue;
        }
        const stream = recordStream(change.resource, checked.id);
        if (delivery?.stored.has(stream) === true) {
          outcomes[index] = { kind: 'unchanged' };
          continue;
        }
        const command = {
          intent: checked.intent,
          causedBy: change.causedBy,
          index,
          number: delivery?.numbers[index] ?? index,
        };
        commands.set(stream, [...(commands.get(stream) ?? []), command]);
      }
      const commandId = delivery?.commandId ?? deps.identifiers.next();
      const handled = await handleEach({ ...deps, commandId, context, claim: delivery?.claim }, commands);
      for (const [index, outcome] of handled) outcomes[index] = outcome;
      return outcomes;
    },
  };
}
