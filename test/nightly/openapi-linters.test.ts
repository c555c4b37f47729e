import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildOpenApiDocument } from '../../src/edge/documents/openapi.ts';
import { inRoot, lintTotals, redocly, runTool } from '../support/redocly.ts';

const document = buildOpenApiDocument('https://records.test');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'civic-openapi-'));
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(document, null, 2));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Two routes are always closed: they have no success, and the linters must not require one. */
const CLOSED = ['get', 'post'].map((method) => `#/paths/~1api~1mcp/${method}/responses`);

const run = (...command: readonly string[]) => runTool(folder, ...command);

test('Spectral reports nothing', async () => {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset({ extends: [[spectralRulesets.oas, 'recommended']] } as Parameters<
    typeof spectral.setRuleset
  >[0]);
  const results = await spectral.run(JSON.parse(JSON.stringify(document)) as Record<string, unknown>);
  const problems = results.map(({ code, path, message }) => ({ code, at: path.join(' '), message }));
  const closed = ({ code, at }: { code: unknown; at: string }) =>
    code === 'operation-success-response' && /^paths \/api\/mcp (get|post) /.test(at);
  expect(problems.filter((result) => !closed(result))).toEqual([]);
  expect(problems.filter(closed)).toHaveLength(CLOSED.length);
});

test('Redocly reports nothing', async () => {
  const ignored = { 'openapi.json': { 'operation-2xx-response': CLOSED } };
  await writeFile(join(folder, '.redocly.lint-ignore.yaml'), JSON.stringify(ignored));
  const result = await redocly(folder, 'lint', 'openapi.json', '--extends=recommended', '--format=json');
  expect({ code: result.code, totals: lintTotals(result) }).toEqual({
    code: 0,
    totals: { errors: 0, warnings: 0, ignored: CLOSED.length },
  });
});

test('Redocly scores examples, errors and identifiers 100, and the whole above 75', async () => {
  const { code, output } = await redocly(folder, 'score', 'openapi.json', '--format=json');
  expect(code).toBe(0);
  const report = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)) as {
    agentReadiness: number;
    subscores: Record<string, number>;
  };
  expect(report.subscores).toMatchObject({ exampleCoverage: 1, errorClarity: 1, identifierClarity: 1 });
  expect(report.agentReadiness).toBeGreaterThanOrEqual(75);
});

test('a type generator reads it without a message and produces valid TypeScript', async () => {
  const generator = inRoot('node_modules/openapi-typescript/bin/cli.js');
  const hook = inRoot('tools/client/old-typescript.mjs');
  const result = await run('--import', hook, generator, 'openapi.json', '-o', 'types.ts');
  expect({ code: result.code, warned: /warn|⚠|error/i.test(result.output) }).toEqual({ code: 0, warned: false });
  await writeFile(
    join(folder, 'use.ts'),
    `import type { operations } from './types.ts';
type Page = operations['readCivicChanges']['responses'][200]['content']['application/json'];
export const slugs = (page: Page): string[] =>
  page.data.items.flatMap((item) => (item.operation === 'upsert' && item.resource === 'topics' ? [item.data.slug] : []));
export const codes: operations['readCivicChanges']['responses'][410]['content']['application/json']['error']['code'][] = ['cursor_expired'];
`,
  );
  const options = [
    '--noEmit',
    '--ignoreConfig',
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2025',
    '--module',
    'nodenext',
  ];
  const checked = await run(
    inRoot('node_modules/typescript/bin/tsc'),
    ...options,
    '--allowImportingTsExtensions',
    'use.ts',
  );
  expect(checked).toEqual({ code: 0, output: '' });
  expect(await readFile(join(folder, 'types.ts'), 'utf8')).toContain('readCivicChanges');
});
