import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface SourceFile {
  readonly path: string;
  /** The unchanged text. */
  readonly text: string;
  /** The text without comments; every line keeps its number. */
  readonly code: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

const blank = (comment: string): string => comment.replaceAll(/[^\n]/g, ' ');

/** Comments of TypeScript begin at the start of a line or after a space; `//` inside a URL does not. */
const withoutComments = (text: string): string =>
  text.replaceAll(/^\s*\/\*[\s\S]*?\*\/|\s\/\*\*[\s\S]*?\*\//gm, blank).replaceAll(/(^|\s)\/\/ .*$/gm, blank);

const withoutSqlComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, blank).replaceAll(/--.*$/gm, blank);

/** The checkout's files under the folders, by their ending, tracked or not yet. */
export function sourceFiles(
  folders: readonly string[],
  endings: readonly string[] = ['ts', 'mjs'],
): readonly SourceFile[] {
  const patterns = folders.flatMap((folder) => endings.map((ending) => `${folder}/*.${ending}`));
  const listed = spawnSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', ...patterns],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  const paths = listed.stdout.split('\n').filter((path) => path !== '');
  return paths.flatMap((path) => {
    try {
      const text = readFileSync(join(root, path), 'utf8');
      return { path, text, code: path.endsWith('.sql') ? withoutSqlComments(text) : withoutComments(text) };
    } catch {
      // Listed by git, and removed by hand a moment ago.
      return [];
    }
  });
}

/** `path:line: text` of every line of code that matches. */
export const linesWith = (files: readonly SourceFile[], pattern: RegExp): readonly string[] =>
  files.flatMap(({ path, code, text }) => {
    const lines = text.split('\n');
    return code
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${lines[index]!.trim()}`] : []));
  });
