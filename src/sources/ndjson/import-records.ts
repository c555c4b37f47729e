import { parseChange, type RecordChange, type RecordWriter } from '../../../commands/records/write-records.ts';
import { BatchedWriter } from '../batched-writer.ts';
import { type InputLine, MAX_LINE_BYTES, readLines } from './read-lines.ts';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The reason where the line is refused. */
function changeOf({ bytes, length, number }: InputLine): RecordChange | string {
  if (length > MAX_LINE_BYTES) return `the line is ${length} bytes long; at most ${MAX_LINE_BYTES} are read`;
  const isMarked = number === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return parseChange(isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes, 'line');
}

const BATCHES_IN_FLIGHT = 3;

interface ImportRecords {
  readonly input: AsyncIterable<Uint8Array>;
  readonly writer: RecordWriter;
  readonly onRejected: (line: InputLine, reason: string) => Promise<void>;
}

/** An invalid line does not stop the import. `last` is the position of the newest event that the import appended, null without one. */
export async function importRecords({ input, writer, onRejected }: ImportRecords) {
  const lineOf = new WeakMap<RecordChange, InputLine>();
  const changes = new BatchedWriter(writer, BATCHES_IN_FLIGHT, (change, reason) =>
    onRejected(lineOf.get(change)!, reason),
  );
  let [read, invalid] = [0, 0];
  for await (const line of readLines(input)) {
    read += 1;
    const change = changeOf(line);
    if (typeof change === 'string') {
      invalid += 1;
      await onRejected(line, change);
    } else {
      lineOf.set(change, line);
      await changes.addOne(change, line.length);
    }
  }
  await changes.flush();
  const { appended, unchanged, rejected, position } = changes;
  return { read, appended, unchanged, rejected: invalid + rejected, last: position };
}
