import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SOURCES } from '../../src/sources/sources.ts';

test('the page for operators says what is read of each platform', () => {
  const page = readFileSync(new URL('../../docs/operators/operate.md', import.meta.url), 'utf8');
  const named = [...page.matchAll(/^\| `([a-z-]+)` \| .+ \| .+ \|$|^`civic sources sync ([a-z]+) --client \w+`/gm)].map(
    ([, row, command]) => row ?? command,
  );
  expect(Object.keys(SOURCES).filter((name) => !named.includes(name))).toEqual([]);
});
