import { recordStream } from '../../domain/streams.ts';
import { handleEach, type StreamCommand } from '../handle-each.ts';
import { recordDecider, type RecordIntent } from './record-decider.ts';
import type { RecordChange, RecordOutcome, RecordWriter } from './record-writer.ts';
import type { CommandPorts } from '../handle.ts';
import { z } from 'zod';
import { text, uuid } from '../../domain/records/fields.ts';
import { RECORD_SCHEMAS } from '../../domain/records/resources.ts';

interface WriteRecordsDependencies extends CommandPorts {
  /** Milliseconds for which a change is decided again after conflicts and lost connections. */
  readonly deadlineMs: number;
}

/** Writes record changes as one command. Throws `DeadlineExceeded` when the deadline passes, and what the log throws. */
export const createRecordWriter = (deps: WriteRecordsDependencies): RecordWriter => ({
  async write(changes, context, delivery) {
    const outcomes = Array.from<RecordOutcome>({ length: changes.length });
    const commands: StreamCommand<RecordIntent>[] = [];
    const indexes: number[] = [];
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
      commands.push({ stream, command: checked.intent, number: delivery?.numbers[index] ?? index, causedBy: change.causedBy });
      indexes.push(index);
    }
    const commandId = delivery?.commandId ?? deps.identifiers.next();
    const handled = await handleEach({ ...deps, decider: recordDecider, commands, commandId, context, claim: delivery?.claim });
    for (const [at, outcome] of handled.entries()) {
      outcomes[indexes[at]!] = outcome.kind === 'rejected' ? { kind: 'rejected', reason: outcome.rejection.message } : outcome;
    }
    return outcomes;
  },
});

const SERVICE_FIELDS = ['id', 'createdAt', 'updatedAt'] as const;
const reasonText = text
  .max(1000)
  .refine((reason) => reason.isWellFormed() && !reason.includes('\0'), { error: 'lone surrogates and U+0000 are not allowed' })
  .nullable();

type CheckedChange =
  | { readonly kind: 'command'; readonly id: string; readonly intent: RecordIntent }
  | { readonly kind: 'rejected'; readonly reason: string };

const rejected = (reason: string): CheckedChange => ({ kind: 'rejected', reason });

/** The first problems of a failed parse, each with its path. */
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

/** Checks and normalises one change. */
export function checkChange(change: RecordChange): CheckedChange {
  const id = uuid.safeParse(change.id);
  if (!id.success) return rejected('id must be a uuid');
  if (change.op === 'upsert') return checkUpsert(change, id.data);
  const reason = reasonText.safeParse(change.reason ?? null);
  if (!reason.success) return rejected(`reason: ${describeIssues(reason.error)}`);
  return { kind: 'command', id: id.data, intent: { type: 'WithdrawRecord', reason: reason.data } };
}
