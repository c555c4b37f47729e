import { expect, test } from 'vitest';
import { searchAgenda } from '../../contract/tools/search-agenda.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { search } from '../../src/modules/search.ts';
import type { Platform } from '../../src/platform.ts';

/** What the database says of a query without words: the search ends with it. */
const WORDLESS = JSON.stringify({ query: '', unknown: [], units: [], periods: [], bodies: null, topic: null });

test('the searches of one address wait for each other and not before that of another one', async () => {
  const read: string[] = [];
  const running: (() => void)[] = [];
  const texts: LiveReads['texts'] = async (build) => {
    read.push(JSON.stringify(build(() => 1).values));
    await new Promise<void>((resolve) => running.push(resolve));
    return [[WORDLESS]];
  };
  const { searchPages } = search({
    settings: { CIVIC_SEARCH_CONCURRENCY: 1 },
    reads: { through: () => ({ texts }) },
    clock: { now: () => 0, sleep: () => new Promise(() => undefined) },
    deadlineMs: 10_000,
  } as unknown as Platform);
  const ask = (query: string, address: string) => searchPages(searchAgenda.input.parse({ query }), address);

  const asked = [...Array.from({ length: 5 }, (_, n) => ask(`greedy${n}`, '192.0.2.1')), ask('other', '192.0.2.2')];
  for (let ended = 0; ended < asked.length; ended += 1) {
    await expect.poll(() => running.length).toBe(ended + 1);
    running[ended]!();
  }
  await Promise.all(asked);
  expect(read.map((values) => /greedy\d|other/.exec(values)![0])).toEqual(['greedy0', 'other', 'greedy1', 'greedy2', 'greedy3', 'greedy4']);
});
