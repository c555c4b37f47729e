import type { RecordChange, RecordOutcome, RecordWriter } from '../../../commands/records/record-writer.ts';
import type { Position } from '../../../domain/ports/event-log.ts';
import { type InputLine, readLines, MAX_LINE_BYTES } from './read-lines.ts';
import { parseChange } from '../../../commands/records/parse-change.ts';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The change in a line, or why the line is refused. */
function changeOf({ bytes, length, number }: InputLine): RecordChange | string {
  if (length > MAX_LINE_BYTES) return `the line is ${length} bytes long; at most ${MAX_LINE_BYTES} are read`;
  const isMarked = number === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return parseChange(isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes, 'line');
}

const CHANGES_A_BATCH = 500;
const BATCHES_IN_FLIGHT = 3;

export interface ImportTally {
  readonly read: number;
  readonly appended: number;
  readonly unchanged: number;
  readonly rejected: number;
  /** Position of the newest event that the import appended, null when it appended none. */
  readonly last: Position | null;
}

export interface ImportRecords {
  readonly input: AsyncIterable<Uint8Array>;
  readonly writer: RecordWriter;
  /** Called for every refused line; awaited, so that a slow disk slows down the import. */
  readonly onRejected: (line: InputLine, reason: string) => Promise<void>;
  readonly onProgress: (read: number) => void;
}

interface Batch {
  readonly lines: InputLine[];
  readonly changes: RecordChange[];
  readonly records: Set<string>;
}

const newBatch = (): Batch => ({ lines: [], changes: [], records: new Set() });

/**
 * Reads one change per line and writes batches, a few concurrently. Changes of one record keep their order: a batch waits for an earlier
 * one with the same record. An invalid line does not stop the import.
 */
export async function importRecords({ input, writer, onRejected, onProgress }: ImportRecords): Promise<ImportTally> {
  const tally = { read: 0, appended: 0, unchanged: 0, rejected: 0, last: null as Position | null };
  const underWay = new Map<Batch, Promise<void>>();
  const reject = async (line: InputLine, reason: string) => {
    tally.rejected += 1;
    await onRejected(line, reason);
  };
  const count = async (batch: Batch, outcomes: readonly RecordOutcome[]) => {
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.kind === 'rejected') await reject(batch.lines[index]!, outcome.reason);
      else tally[outcome.kind] += 1;
      if (outcome.kind === 'appended' && (tally.last === null || outcome.position > tally.last)) tally.last = outcome.position;
    }
    onProgress(tally.read);
  };
  const send = async (batch: Batch) => {
    while (underWay.size >= BATCHES_IN_FLIGHT) await Promise.race(underWay.values());
    for (const [other, done] of underWay) {
      if (!batch.records.isDisjointFrom(other.records)) await done;
    }
    const writing = writer
      .write(batch.changes, {})
      .then((outcomes) => count(batch, outcomes))
      .finally(() => underWay.delete(batch));
    writing.catch(() => undefined);
    underWay.set(batch, writing);
  };

  let batch = newBatch();
  for await (const line of readLines(input)) {
    tally.read += 1;
    const change = changeOf(line);
    if (typeof change === 'string') {
      await reject(line, change);
      continue;
    }
    batch.lines.push(line);
    batch.changes.push(change);
    batch.records.add(`${change.resource} ${change.id.toLowerCase()}`);
    if (batch.changes.length === CHANGES_A_BATCH) {
      await send(batch);
      batch = newBatch();
    }
  }
  if (batch.changes.length > 0) await send(batch);
  await Promise.all(underWay.values());
  return tally;
}
