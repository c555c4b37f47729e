import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../contract/operations.ts';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = ['README.md', 'docs/developers/rest.md', 'docs/developers/replicate.md', 'docs/operators/operate.md'];
const TEXT = PAGES.map((page) => readFileSync(join(CHECKOUT, page), 'utf8')).join('\n');

test('docs/developers/rest.md and the README name exactly the served operations', () => {
  const served = new Set<string>(Object.values(OPERATIONS).map(({ path }) => path));
  const named = new Set([...TEXT.matchAll(/`(?:(?:GET|POST|DELETE) )?(\/api\/[^`?]+)`/g)].map(([, path]) => path!));
  expect([...named].filter((path) => !served.has(path))).toEqual([]);
  expect([...served].filter((path) => !named.has(path))).toEqual([]);
});
