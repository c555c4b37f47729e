import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

interface Node {
  readonly type?: string;
  readonly regex?: object;
  readonly callee?: { readonly name?: string };
  readonly declaration?: {
    readonly type: string;
    readonly id?: { readonly name: string };
    readonly declarations?: readonly Declared[];
  };
}
interface Declared {
  readonly id: { readonly name: string };
  readonly init?: { readonly type: string };
}

function hasExpression(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const { type, regex, callee } = node as Node;
  return (
    regex !== undefined ||
    (type === 'NewExpression' && callee?.name === 'RegExp') ||
    (type === 'CallExpression' && callee?.name === 'pattern') ||
    Object.values(node).some(hasExpression)
  );
}

function exportedFunctions({ type, declaration }: Node): readonly string[] {
  if (type !== 'ExportNamedDeclaration' || declaration == null) return [];
  if (declaration.type === 'FunctionDeclaration') return [declaration.id!.name];
  return (declaration.declarations ?? []).flatMap(({ id, init }) =>
    init?.type.includes('Function') === true ? id.name : [],
  );
}

/** The names of the exported functions of each module that has a regular expression and exports a function, by its path. */
export function modulesWithExpressions(
  root: string,
  folders: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const modules = new Map<string, readonly string[]>();
  for (const path of globSync(
    folders.map((folder) => `${folder}/**/*.ts`),
    { cwd: root },
  )) {
    const { body } = parseAst(readFileSync(join(root, path), 'utf8'), { lang: 'ts' }, path);
    const names = (body as readonly Node[]).flatMap(exportedFunctions);
    if (names.length > 0 && hasExpression(body)) modules.set(path, names);
  }
  return modules;
}
