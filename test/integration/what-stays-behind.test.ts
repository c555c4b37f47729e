import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const README = readFileSync(root('README.md'), 'utf8');
const table = README.slice(README.indexOf('### What stays behind'), README.indexOf('## Door 4'));
const rows = table
  .split('\n')
  .filter((line) => /^\| (?!event \|)/.test(line))
  .map((line) => line.slice(2, -2).split(' | '));

/** A file of the tests and the beginning of a title in it. */
const proofs = (cell: string): readonly (readonly [string, string])[] =>
  cell.split(' · ').map((entry) => {
    const [, file, title] = /^`([\w./-]+)` (.+)$/.exec(entry) ?? [];
    if (file === undefined || title === undefined) throw new Error(`no file and title: ${entry}`);
    return [`test/${file}.test.ts`, title];
  });

/** Titles of the tests that a file runs: one that is skipped or only planned proves nothing. */
const titlesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\b(?:test|it)(?:\.each\((?:\[[\s\S]*?\]|\w+)(?: as const)?\)|\.skipIf\(\w+\))?\(\s*(['`])([\s\S]*?)\1,/g)].map(
    ([, , title]) => title!,
  );

test('every promise about what stays behind names at least one test', () => {
  expect(rows.length).toBeGreaterThan(20);
  for (const cells of rows) {
    expect([cells[0], cells.length]).toEqual([cells[0], 3]);
    expect(proofs(cells[2]!).length).toBeGreaterThan(0);
  }
});

test.each(rows.flatMap(([event, , cell]) => proofs(cell!).map(([file, title]) => [event!, file, title] as const)))(
  '%s: %s has a test whose title begins with "%s"',
  (_event, file, title) => {
    expect(existsSync(root(file))).toBe(true);
    const found = titlesIn(readFileSync(root(file), 'utf8')).filter((each) => each.startsWith(title));
    expect(found).toHaveLength(1);
  },
);

test.each([
  ["test('a title', () => {", ['a title']],
  ["test.each([1, 2])(\n  'of many',\n  async () => {", ['of many']],
  ["test.skip('not run', () => {", []],
  ["test.todo('not written');", []],
])('of %j the titles are %j', (text, titles) => expect(titlesIn(text)).toEqual(titles));
