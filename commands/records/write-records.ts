import { recordStream } from '../../domain/streams.ts';
import { handleEach, type StreamCommand } from '../handle-each.ts';
import { checkChange } from './check-change.ts';
import { recordDecider, type RecordIntent } from './record-decider.ts';
import type { RecordOutcome, RecordWriter } from './record-writer.ts';
import type { CommandPorts } from '../handle.ts';

export interface WriteRecordsDependencies extends CommandPorts {
  /** How long a change is decided again after conflicts and lost connections, in milliseconds. */
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
