import { z } from 'zod';
import type { CommandContext } from '../decider.ts';
import type { CommandPorts } from '../handle.ts';
import { handleEach, type HandlingEach, type NumberedIntent, type RecordOutcome } from './handle-each.ts';
import type { RecordIntent } from './record-decider.ts';
import { issueText, PLAINLY } from '../../domain/plain-issues.ts';
import { text, uuid } from '../../domain/records/fields.ts';
import { isResource, RECORD_SCHEMAS, type Resource, RESOURCES } from '../../domain/records/resources.ts';
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

function describeIssues({ issues }: z.ZodError): string {
  const lines = issues.slice(0, 3).map(issueText);
  return issues.length > 3 ? `${lines.join('; ')}; and ${issues.length - 3} more` : lines.join('; ');
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
  const parsed = RECORD_SCHEMAS[change.resource].safeParse(content, PLAINLY);
  if (!parsed.success) return rejected(describeIssues(parsed.error));
  return { kind: 'command', id, intent: { type: 'PublishRecord', id, content: parsed.data } };
}

export function checkChange(change: RecordChange): CheckedChange {
  const id = uuid.safeParse(change.id);
  if (!id.success) return rejected('id must be a uuid');
  if (change.op === 'upsert') return checkUpsert(change, id.data);
  const reason = reasonText.safeParse(change.reason ?? null, PLAINLY);
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

/** A command that is repeated after a crash or by another process; it is stored once. */
interface Delivery {
  /** The same in each attempt. */
  readonly commandId: string;
  /** A number for each change, the same in each attempt; event ids derive from it. */
  readonly numbers: readonly number[];
  /** Streams whose changes an earlier try has stored: they are passed over. */
  readonly stored: ReadonlySet<string>;
  readonly claim: NonNullable<HandlingEach['claim']>;
}

export interface RecordWriter {
  /**
   * Outcomes in the order of the changes. Several changes of one record are applied in their order; those of different records are stored in
   * theirs too, except after a conflict and where `order` is `any`, which costs the log less.
   */
  write(
    changes: readonly RecordChange[],
    context: CommandContext,
    delivery?: Delivery,
    order?: 'kept' | 'any',
  ): Promise<readonly RecordOutcome[]>;
}

/** Writes record changes as one command. Throws `DeadlineExceeded` when the deadline passes, and what the log throws. */
export function createRecordWriter(deps: CommandPorts & Pick<HandlingEach, 'deadlineMs'>): RecordWriter {
  // After records that were all new, as in a first import, the next are tried without reading their streams: half the calls of the log.
  let wereNew = false;
  return {
    async write(changes, context, delivery, order = 'kept') {
      const outcomes = Array.from<RecordOutcome>({ length: changes.length });
      const commands = new Map<string, NumberedIntent[]>();
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
      const areLikelyNew = wereNew && order === 'any';
      const handled = await handleEach({ ...deps, commandId, context, areLikelyNew, claim: delivery?.claim }, commands);
      wereNew = handled.wereNew && commands.size > 0;
      for (const [index, outcome] of handled.outcomes) outcomes[index] = outcome;
      return outcomes;
    },
  };
}
