import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const rows = readFileSync(root('docs/guarantees.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| G/.test(line))
  .map((line) => line.slice(2, -2).split(' | '));

interface Proof {
  readonly file: string;
  /** The beginning of the title of the test; empty if the whole file is the proof. */
  readonly title: string;
}

const proofs = (cell: string): readonly Proof[] =>
  cell.split(' · ').map((entry) => {
    const [, file, title] = /^`(test\/[\w./-]+\.test\.ts)`(?: (.+))?$/.exec(entry) ?? [];
    if (file === undefined) throw new Error(`no path of a test: ${entry}`);
    return { file, title: title ?? '' };
  });

/** Titles of the tests that a file runs, without tests that are skipped or todo. */
const titlesIn = (text: string): readonly string[] =>
  [
    ...text.matchAll(
      /\b(?:test|it)(?:\.each\((?:\[[\s\S]*?\]|\w+)(?: as const)?\)|\.skipIf\(\w+\))?\(\s*(['`])([\s\S]*?)\1,/g,
    ),
  ].map(([, , title]) => title!);

test('guarantees are numbered from G1 without a gap, each with a statement of its own and a test of `npm test`', () => {
  expect(rows.length).toBeGreaterThan(50);
  expect(new Set(rows.map(([, statement]) => statement)).size).toBe(rows.length);
  expect(rows.map(([number, , , ...rest]) => [number, rest])).toEqual(rows.map((_, index) => [`G${index + 1}`, []]));
  for (const [number, statement = '', cell = ''] of rows) {
    expect([number, statement]).toEqual([number, expect.stringMatching(/^[`A-Z].*\.$/)]);
    // The nightly run proves nothing alone: a change must fail before it lands.
    expect([number, proofs(cell).every(({ file }) => file.startsWith('test/nightly/'))]).toEqual([number, false]);
  }
});

test.each(rows.flatMap(([number, , cell]) => proofs(cell!).map(({ file, title }) => [number!, file, title] as const)))(
  '%s: %s exists and has one test whose title begins with "%s"',
  (_number, file, title) => {
    expect(existsSync(root(file))).toBe(true);
    if (title === '') return;
    const titles = titlesIn(readFileSync(root(file), 'utf8')).filter((each) => each.startsWith(title));
    expect(titles).toHaveLength(1);
  },
);

test.each([
  ["test('a title', () => {", ['a title']],
  ["test.each([1, 2])(\n  'of many',\n  async () => {", ['of many']],
  ["test.skip('not run', () => {", []],
  ["test.todo('not written');", []],
])('of %j the titles are %j', (text, titles) => expect(titlesIn(text)).toEqual(titles));
