import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { MAIN } from '../support/service.ts';
import { sourceFiles } from '../support/source-text.ts';

const FOLDERS = ['domain', 'contract', 'src', 'commands', 'projections', 'queries', 'infra'];

/** Without what differs where the same text is written in another way. */
const bare = (text: string): string =>
  text.replaceAll(/\\u([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))).replaceAll(/\\n|[\\'"`\s]/g, '');

/** The texts of several words in a program of TypeScript, as they are written: messages, statements, descriptions. */
function textsIn(program: string): readonly string[] {
  const texts: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, raw, value } = node as { readonly type?: string; readonly raw?: string; readonly value?: { readonly raw: string } };
    if (type === 'Literal') texts.push(raw!);
    if (type === 'TemplateElement') texts.push(value!.raw);
    for (const part of Object.values(node)) visit(part);
  };
  visit(parseAst(program, { lang: 'ts' }).body);
  return texts.filter((text) => /\w \w/.test(text));
}

test('the bundler leaves no message, statement or description of the source out', () => {
  const folder = join(dirname(MAIN), /'\.\/(\w+)\//.exec(readFileSync(MAIN, 'utf8'))![1]!);
  const files = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
  const built = bare(files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n'));
  const sources = sourceFiles(FOLDERS, ['ts']).map(({ path, text }) => ({ path, texts: textsIn(text) }));
  expect(sources.reduce((sum, { texts }) => sum + texts.length, 0)).toBeGreaterThan(3000);
  expect(
    sources.flatMap(({ path, texts }) => texts.filter((text) => !built.includes(bare(text))).map((text) => `${path}: ${text}`)),
  ).toEqual([]);
});
