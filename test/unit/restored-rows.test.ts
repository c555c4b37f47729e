import { expect, test } from 'vitest';
import type { SavedTable } from '../../domain/ports/stores.ts';
import { createRowBatches } from '../../src/cli/backup/restore-archive.ts';

async function restore(rows: readonly (readonly [SavedTable, string])[], asCopy = false) {
  const restored: string[] = [];
  const restore = async (table: SavedTable, saved: readonly string[]) =>
    void restored.push(...saved.map((text) => `${table} ${text}`));
  const batches = createRowBatches({ put: restore }, { asCopy });
  for (const [table, text] of rows) await batches.add(table, text);
  await batches.flush();
  return restored;
}

const versions = Array.from({ length: 150 }, (_, nth) => String(nth));
const documents = [
  ...versions.map((text) => ['texts', text] as const),
  ...versions.toReversed().map((text) => ['addresses', text] as const),
];

test('the text of a document is restored before the addresses that serve it', async () => {
  const restored = await restore(documents);
  expect(restored).toHaveLength(300);
  expect(versions.filter((text) => restored.indexOf(`texts ${text}`) > restored.indexOf(`addresses ${text}`))).toEqual(
    [],
  );
});

test('a copy gets the documents of the original, and none of its payments', async () => {
  const restored = await restore([['payments', 'a'], ...documents, ['unclassified', 'b']], true);
  expect(restored.toSorted()).toEqual(documents.map(([table, text]) => `${table} ${text}`).toSorted());
});
