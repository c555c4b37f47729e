import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const README_BYTES = 8_192;
const FOLDERS = /^(domain|contract|commands|queries|projections|infra|client|src|test|tools|bench|docs|\.ci)\//;

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const pages = spawnSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', '*.md'],
  {
    cwd: ROOT,
    encoding: 'utf8',
  },
)
  .stdout.split('\n')
  .filter((path) => path !== '' && existsSync(join(ROOT, path)));

const withoutBlocks = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

/** The anchor of a heading on GitHub: lower case, without punctuation, hyphens for spaces. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
const anchorsIn = (path: string): readonly string[] =>
  [...withoutBlocks(read(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));

const linksOf = (page: string) =>
  [...withoutBlocks(read(page)).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, path, anchor]) => ({
    target: path === '' ? page : join(dirname(page), path!),
    anchor,
  }));

/** Paths in code spans that begin with a folder of the repository and contain no `<name>` or `*`. */
const pathsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`\s]+)`/g)]
    .map(([, code]) => code!)
    .filter((code) => FOLDERS.test(code) && !/[<>*{}…]/.test(code));

describe('the pages', () => {
  test.each(pages)('%s has no link to a page or heading that does not exist', (page) => {
    const broken = linksOf(page).filter(
      ({ target, anchor }) =>
        !existsSync(join(ROOT, target)) ||
        (anchor !== undefined && !(statSync(join(ROOT, target)).isFile() && anchorsIn(target).includes(anchor))),
    );
    expect(broken).toEqual([]);
  });

  test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names no path that does not exist', (page) => {
    const paths = pathsIn(read(page));
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test(`README.md has at most ${README_BYTES} bytes`, () => {
    expect(Buffer.byteLength(read('README.md'))).toBeLessThanOrEqual(README_BYTES);
  });
});

test('the README links to every page of docs, directly or by another page', () => {
  const reached = new Set(['README.md']);
  for (const page of reached) {
    if (!page.endsWith('.md')) continue;
    for (const { target } of linksOf(page)) if (existsSync(join(ROOT, target))) reached.add(target);
  }
  const unreached = pages.filter(
    (page) => page.startsWith('docs/') && !page.startsWith('docs/decisions/') && !reached.has(page),
  );
  expect(unreached).toEqual([]);
});
