import { expect, test } from 'vitest';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { findNearWords } from '../../queries/search/search-units.ts';

test('near words are looked for of eight words of a query at most', async () => {
  const words = Array.from({ length: 40 }, (_, n) => `zq${String.fromCharCode(97 + (n % 26))}${n < 26 ? 'x' : 'y'}`);
  const parameters: unknown[] = [];
  const rows = async (build: Parameters<LiveReads['rows']>[0]) => {
    parameters.push(build(() => 1).values?.[0]);
    return [];
  };
  const near = await findNearWords({ rows } as Pick<LiveReads, 'rows'> as LiveReads, words);
  expect(parameters).toEqual([words.slice(0, 8)]);
  expect([...near]).toEqual(words.map((word) => [word, null]));
});
