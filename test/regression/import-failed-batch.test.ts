import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RecordWriter } from '../../commands/records/write-records.ts';
import { importRecords } from '../../src/sources/ndjson/import-records.ts';

/** 600 changes: one full batch, and a rest that is read after the batch has failed. */
async function* lines(): AsyncGenerator<Uint8Array> {
  for (let number = 0; number < 600; number += 1) {
    const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    yield Buffer.from(`${JSON.stringify({ op: 'remove', resource: 'topics', id })}\n`);
    if (number >= 500) await nextTurn();
  }
}

test('an import fails with the error of a batch that fails while later lines are read', async () => {
  let batches = 0;
  const writer: RecordWriter = {
    write: async (changes) => {
      batches += 1;
      if (batches === 1) throw new Error('the store is away');
      return changes.map(() => ({ kind: 'unchanged' }));
    },
  };
  const importing = importRecords({ input: lines(), writer, onRejected: async () => undefined });
  await expect(importing).rejects.toThrow('the store is away');
});
