import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { checkDirections, typeScriptFiles } from '../../tools/check-directions.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const houses: string[] = [];

/** A small repository of these files, checked like the real one. */
async function violationsOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const house = mkdtempSync(join(tmpdir(), 'civic-house-'));
  houses.push(house);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(house, dirname(path)), { recursive: true });
    writeFileSync(join(house, path), text);
  }
  return (await checkDirections(house)).violations;
}

afterEach(() => houses.splice(0).forEach((house) => rmSync(house, { recursive: true, force: true })));

describe('the source of this repository', () => {
  test('every import is allowed by the architecture page', async () => {
    const { moduleCount, violations } = await checkDirections(root);
    expect(violations).toEqual([]);
    expect(moduleCount).toBe(typeScriptFiles(root).length);
    expect(moduleCount).toBeGreaterThan(200);
  });
});

describe('the import check', () => {
  const port = { 'domain/port.ts': 'export interface Port {}\n' };

  test('counts an import of a type only', async () => {
    const violations = await violationsOf({
      'infra/pg/adapter.ts': 'export interface A {}\n',
      'domain/a.ts': "import type { A } from '../infra/pg/adapter.ts';\nexport type B = A;\n",
    });
    expect(violations.join('\n')).toContain(
      'domain/a.ts -> infra/pg/adapter.ts: only the entry and the composition import infra',
    );
  });

  test('counts a cycle of types as a cycle', async () => {
    const violations = await violationsOf({
      'commands/a.ts': "import type { B } from './b.ts';\nexport interface A { b: B }\n",
      'commands/b.ts': "import type { A } from './a.ts';\nexport interface B { a: A }\n",
    });
    expect(violations).toContain('commands/a.ts -> commands/b.ts: no cycles');
  });

  test('counts a re-export as an import', async () => {
    const violations = await violationsOf({
      ...port,
      'queries/q.ts': 'export const q = 1;\n',
      'commands/c.ts': "export { q } from '../queries/q.ts';\n",
    });
    expect(violations).toHaveLength(1);
  });

  test('counts a dynamic import', async () => {
    const violations = await violationsOf({
      'infra/x/a.ts': 'export const a = 1;\n',
      'src/edge/http/h.ts': "export const h = async () => import('../../../infra/x/a.ts');\n",
    });
    expect(violations.join('\n')).toContain('src/edge/http/h.ts -> infra/x/a.ts');
  });

  test('refuses a library outside its folder, and an unlisted library', async () => {
    const violations = await violationsOf({
      'package.json': '{"dependencies":{"pg":"1","left-pad":"1"}}',
      'node_modules/pg/index.js': 'module.exports = 1;',
      'node_modules/left-pad/index.js': 'module.exports = 1;',
      'src/edge/http/h.ts': "import pg from 'pg';\nimport pad from 'left-pad';\nexport const h = [pg, pad];\n",
    });
    expect(violations.join('\n')).toContain('pg stays in infra/postgresql');
    expect(violations.join('\n')).toContain('a library is listed in the import rules');
    expect(violations).toHaveLength(2);
  });

  test('refuses domain code that imports a module of the machine or the network', async () => {
    const violations = await violationsOf({
      'domain/d.ts': "import { hostname } from 'node:os';\nexport const d = hostname();\n",
    });
    expect(violations).toEqual(['domain/d.ts -> os: domain may import of Node only crypto, module, net, url, zlib']);
  });

  test('refuses a system of infra that imports another one, except the machine', async () => {
    const violations = await violationsOf({
      'infra/a/a.ts': 'export const a = 1;\n',
      'infra/b/b.ts': "import { a } from '../a/a.ts';\nexport const b = a;\n",
    });
    expect(violations).toEqual([
      'infra/b/b.ts -> infra/a/a.ts: a folder of infra imports no other one except infra/system',
    ]);
  });

  test('reports a file that was not read as a violation', async () => {
    const house = mkdtempSync(join(tmpdir(), 'civic-house-'));
    houses.push(house);
    mkdirSync(join(house, 'commands'));
    writeFileSync(join(house, 'commands/a.ts'), "import { b } from './b.ts';\nexport const a = b;\n");
    writeFileSync(join(house, 'commands/b.ts'), 'export const b = 1;\n');
    const { moduleCount, violations } = await checkDirections(house, ['commands/a.ts', 'commands']);
    expect({ moduleCount, violations }).toEqual({ moduleCount: 1, violations: ['commands was not read'] });
  });

  test('fails when the tool finds no import at all', async () => {
    expect(await violationsOf(port)).toEqual(['not a single import was found: the parser is missing']);
  });
});
