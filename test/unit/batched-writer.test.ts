import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RecordChange, RecordWriter } from '../../commands/records/write-records.ts';
import { BatchedWriter } from '../../src/sources/batched-writer.ts';

const BATCH = 500;
const remove = (id: string): RecordChange => ({ op: 'remove', resource: 'topics', id });
const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** Times at which a batch began and ended, in order, of two batches that contain these ids. */
async function writtenTimes(first: string, second: string): Promise<readonly string[]> {
  const times: string[] = [];
  let batches = 0;
  const writer: RecordWriter = {
    write: async (changes) => {
      const batch = (batches += 1);
      times.push(`begin ${batch}`);
      await nextTurn();
      times.push(`end ${batch}`);
      return changes.map(() => ({ kind: 'unchanged' }));
    },
  };
  const batched = new BatchedWriter(writer, 2, () => undefined);
  await batched.add([remove(first), ...Array.from({ length: BATCH - 1 }, (_, number) => remove(idOf(number)))]);
  await batched.add([remove(second)]);
  await batched.flush();
  return times;
}

test('changes of one record are written in order, whichever case its id has', async () => {
  const id = 'aaaaaaaa-0000-4000-8000-000000000000';
  expect(await writtenTimes(id.toUpperCase(), id)).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2']);
  expect(await writtenTimes(idOf(BATCH), id)).toEqual(['begin 1', 'begin 2', 'end 1', 'end 2']);
});
