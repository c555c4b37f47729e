import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { parseAst } from 'rolldown/parseAst';
import { adversarialTexts } from './adversarial-texts.ts';
import { processorTime } from './processor-time.ts';
import type { ExpressionsRequest, SlowExpression } from './slow-expressions.ts';

/** Measures every regular expression of the program: the literals of its sources, and those that its modules make when they are loaded. */
const { root, folders, limitMs, exceptions } = workerData as ExpressionsRequest;
const files = globSync(
  folders.map((folder) => `${folder}/**/*.ts`),
  { cwd: root },
);
const expressions = new Map<string, { readonly pattern: RegExp; readonly file: string }>();
const Native = RegExp;

function add(pattern: RegExp, file: string): void {
  expressions.set(String(pattern), { pattern, file });
}

function addLiterals(node: unknown, file: string): void {
  if (typeof node !== 'object' || node === null) return;
  const { regex } = node as { readonly regex?: { readonly pattern: string; readonly flags: string } };
  if (regex !== undefined) add(new Native(regex.pattern, regex.flags), file);
  for (const child of Object.values(node)) addLiterals(child, file);
}

globalThis.RegExp = new Proxy(Native, {
  construct(target, args: [string, string?]) {
    const pattern = Reflect.construct(target, args);
    const maker = new Error().stack!.split('\n')[2]!;
    const at = maker.indexOf(root);
    if (at >= 0 && !maker.includes('node_modules')) add(pattern, maker.slice(at + root.length).replace(/:.*/, ''));
    return pattern;
  },
});
for (const file of files) {
  const source = readFileSync(join(root, file), 'utf8');
  addLiterals(parseAst(source, { lang: 'ts' }, file).body, file);
  if (source.includes('new RegExp(')) await import(pathToFileURL(join(root, file)).href);
}
globalThis.RegExp = Native;

/** Uses an expression on all of a text, as its flags allow. */
function use(pattern: RegExp, text: string): void {
  pattern.lastIndex = 0;
  if (pattern.global) while (pattern.exec(text)?.[0] === '') pattern.lastIndex += 1;
  if (pattern.global) text.replaceAll(pattern, '');
  else pattern.exec(text);
}

/** A quarter of the length that takes so little time takes less than the limit at the whole length, even where it grows with the cube. */
const SCREEN_MS = limitMs / 80;
const whole = adversarialTexts();
const quarter = adversarialTexts(whole[0]!.text.length / 4);
const slow: SlowExpression[] = [];
for (const { pattern, file } of expressions.values()) {
  parentPort!.postMessage(`${file}: ${String(pattern)}`);
  const cut = exceptions.find(({ start }) => pattern.source.startsWith(start))?.readsAtMost;
  for (const [index, { kind, text }] of (cut === undefined ? whole : adversarialTexts(cut)).entries()) {
    const began = performance.now();
    use(pattern, quarter[index]!.text.slice(0, cut));
    if (performance.now() - began < SCREEN_MS) continue;
    const spent = processorTime(() => use(pattern, text), limitMs);
    if (spent <= limitMs) continue;
    slow.push({ file, expression: String(pattern), kind, spentMs: spent });
    break;
  }
}
parentPort!.postMessage({ measured: expressions.size, slow });
