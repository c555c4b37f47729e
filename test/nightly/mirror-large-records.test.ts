import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { compareMirror } from '../../client/mirror/compare-mirror.ts';
import { openMirrorStore } from '../../client/mirror/open-store.ts';
import { mirrorPlaces } from '../support/mirror-places.ts';
import { cityFeed, cityItem, write } from '../support/mirrored-records.ts';
import { runMirror } from '../support/run-mirror.ts';
import { plainEnvironment, runProgram } from '../support/service.ts';

const KEEP = fileURLToPath(new URL('../support/mirror-folder-main.ts', import.meta.url));
/** All records together are half as large again. */
const [HEAP_MEBIBYTES, RECORDS] = [64, 96];

const places = mirrorPlaces();
afterEach(() => vi.restoreAllMocks());

test('a folder keeps more than fits into memory', async () => {
  const node = [process.execPath, `--max-old-space-size=${HEAP_MEBIBYTES}`];
  const { exitCode, stdout } = await runProgram([...node, KEEP, places.folder, String(RECORDS)], {
    cwd: places.folder,
    env: plainEnvironment(),
  }).ended;
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: JSON.stringify({ inJournal: true, inFile: true }) });
});

test('a database is read in pages of fewer records where they are large, and none is left out', async () => {
  const service = cityFeed();
  for (let at = 0; at < 150; at += 1) {
    write(
      service,
      'agenda_items',
      `large ${at}`,
      cityItem('coming', { text: at % 4 === 0 ? 'a'.repeat(1_000_000) : 'short' }),
    );
  }
  const store = await openMirrorStore(places.databaseUrl);
  await runMirror(service, store);
  const query = vi.spyOn(Client.prototype, 'query');
  expect(await compareMirror(store, service.digests(service.changes.length), null)).toEqual({
    equal: true,
    different: [],
  });
  await store.close();
  const limits = query.mock.calls.flatMap(([text]) => {
    const [, limit] = /from "agenda_items" .*limit (\d+)$/.exec(text) ?? [];
    return limit === undefined ? [] : [Number(limit)];
  });
  expect(limits.length).toBeGreaterThanOrEqual(3);
  expect(limits[0]).toBe(100);
  expect(limits[1]).toBeLessThan(60);
});
