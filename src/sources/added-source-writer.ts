import { readSourceList } from '../../commands/sources/source-list.ts';
import type { RecordWriter } from '../../commands/records/write-records.ts';
import { sourceKey, type SourceRef } from '../../domain/events/source-events.ts';
import type { Identifiers } from '../../domain/identifiers.ts';
import { type EventLog, NO_STREAM } from '../../domain/ports/event-log.ts';
import { recordStream } from '../../domain/streams.ts';

type Changes = Parameters<RecordWriter['write']>[0];

class SourceRemoved extends Error {
  override readonly name = 'SourceRemoved';
}

interface AddedSourceWriterParts {
  readonly log: EventLog;
  readonly identifiers: Identifiers;
  readonly writer: RecordWriter;
  /** Runs under the write lease of the source. */
  readonly whileWriting: <Result>(ref: SourceRef, run: () => Promise<Result>) => Promise<Result>;
}

/**
 * Writes nothing once the source has been removed. A process that is suspended between its check and its append loses the lease. If the removal
 * deleted a record in that time, its revision has changed, which repeats the check. New records are withdrawn by the second check.
 */
export function createAddedSourceWriter(parts: AddedSourceWriterParts, ref: SourceRef): RecordWriter {
  const { log, identifiers, writer, whileWriting } = parts;
  const write: RecordWriter['write'] = async (changes, context) => {
    const newStreams = new Set<string>();
    const delivery = {
      commandId: identifiers.next(),
      numbers: changes.map((_, index) => index),
      stored: new Set<string>(),
      claim: async (revisions: ReadonlyMap<string, number>) => {
        await requireAdded(log, ref);
        for (const [stream, revision] of revisions) if (revision === NO_STREAM) newStreams.add(stream);
      },
    };
    try {
      const outcomes = await writer.write(changes, context, delivery);
      await requireAdded(log, ref);
      return outcomes;
    } catch (error) {
      if (error instanceof SourceRemoved) await withdraw(writer, ref, changes, newStreams);
      throw error;
    }
  };
  return { write: (...batch) => whileWriting(ref, () => write(...batch)) };
}

async function requireAdded(log: EventLog, ref: SourceRef): Promise<void> {
  const added = (await readSourceList(log)).get(sourceKey(ref));
  if (added === undefined || added.isRemoved)
    throw new SourceRemoved(`${sourceKey(ref)} was removed from the added sources while it was read`);
}

/** Removes the records that the batch created. */
async function withdraw(
  writer: RecordWriter,
  ref: SourceRef,
  changes: Changes,
  newStreams: ReadonlySet<string>,
): Promise<void> {
  const reason = removalReason(ref);
  const created = changes.filter(({ resource, id }) => newStreams.has(recordStream(resource, id)));
  await writer.write(
    created.map(({ resource, id }) => ({ op: 'remove' as const, resource, id, reason })),
    {},
  );
}

/** The reason in the change that removes a record together with its source. */
export const removalReason = (ref: SourceRef): string => `the source ${sourceKey(ref)} was removed`;
