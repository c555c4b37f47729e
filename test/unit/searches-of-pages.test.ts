import { beforeEach, expect, test } from 'vitest';
import { searchAgenda } from '../../contract/tools/search-agenda.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { search } from '../../src/app/modules/search.ts';
import type { Platform } from '../../src/app/platform.ts';

/** The answer of the database for a query without words, which ends the search. */
const WORDLESS = { queries: [[]], words: [], periods: [], places: [], bodies: null, topic: null };

const running: (() => void)[] = [];
const read: string[] = [];
beforeEach(() => {
  running.length = read.length = 0;
});

function createSearch(concurrency: number) {
  const rows = async (build: Parameters<LiveReads['rows']>[0]) => {
    read.push(/(greedy|other|visitor)\d*/.exec(JSON.stringify(build(() => 1).values))![0]);
    await new Promise<void>((resolve) => running.push(resolve));
    return [{ context: WORDLESS }];
  };
  const { searchPages } = search({
    settings: { CIVIC_SEARCH_CONCURRENCY: concurrency },
    reads: { through: () => ({ rows }) },
    clock: { now: () => 0, sleep: () => new Promise(() => undefined) },
    deadlineMs: 10_000,
  } as unknown as Platform);
  return (query: string, address: string) => searchPages(searchAgenda.input.parse({ query }), address);
}

test('the searches of one client wait for each other and not before that of another one', async () => {
  const ask = createSearch(1);
  const searches = [...Array.from({ length: 5 }, (_, n) => ask(`greedy${n}`, '192.0.2.1')), ask('other', '192.0.2.2')];
  for (let ended = 0; ended < searches.length; ended += 1) {
    await expect.poll(() => running.length).toBe(ended + 1);
    running[ended]!();
  }
  await Promise.all(searches);
  expect(read).toEqual(['greedy0', 'other', 'greedy1', 'greedy2', 'greedy3', 'greedy4']);
});

test('a visitor is answered in turn beside 1,000 other clients, and has at most one search at a time', async () => {
  const ask = createSearch(4);
  const others = Array.from({ length: 1_000 }, (_, n) => ask(`other${n}`, `client ${n}`));
  const own = Array.from({ length: 20 }, (_, n) => ask(`visitor${n}`, 'a visitor'));
  for (let ended = 0; ended < others.length + own.length; ended += 1) {
    await expect.poll(() => running.length, { interval: 0 }).toBeGreaterThan(ended);
    running[ended]!();
  }
  await Promise.all([...others, ...own]);
  expect(read.filter((query) => query.startsWith('visitor'))).toHaveLength(20);
});
