import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { lintTotals, redocly } from '../support/redocly.ts';
import { type Sandbox, startSandbox } from '../support/sandbox.ts';

const DOCUMENT = 'arazzo.json';
let folder: string;
let sandbox: Sandbox;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'civic-workflows-'));
  sandbox = await startSandbox();
  await writeFile(join(folder, DOCUMENT), await (await fetch(`${sandbox.service}/arazzo.json`)).text());
});
afterAll(async () => {
  await sandbox?.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => sandbox.ask('DELETE', '/failures'));

interface Executed {
  readonly type: string;
  readonly stepId: string;
  readonly response?: { readonly statusCode: number };
  readonly executedSteps?: readonly Executed[];
}
const stepsIn = (executed: readonly Executed[]): readonly string[] =>
  executed.flatMap(({ stepId, response, executedSteps }) =>
    executedSteps === undefined ? [`${stepId} ${response?.statusCode}`] : stepsIn(executedSteps),
  );

/** Runs a workflow; resolves to its steps with the statuses of their answers. Each answer is compared with its schema. */
async function run(workflowId: string, inputs: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const inputArgs = Object.entries({ key: sandbox.key, ...inputs }).flatMap(([name, value]) => [
    '--input',
    `${name}=${value}`,
  ]);
  const report = `${workflowId}.json`;
  const { code, output } = await redocly(
    folder,
    'respect',
    DOCUMENT,
    '--workflow',
    workflowId,
    ...inputArgs,
    '--json-output',
    report,
  );
  expect({ code, output }).toMatchObject({ code: 0 });
  const { files } = JSON.parse(await readFile(join(folder, report), 'utf8')) as {
    files: Record<string, { executedWorkflows: readonly Executed[] }>;
  };
  return stepsIn(files[DOCUMENT]!.executedWorkflows);
}
const firstCursor = async (): Promise<string> => {
  const page = await sandbox.fetch('/api/v1/data/changes?limit=1');
  return ((await page.json()) as { meta: { nextCursor: string } }).meta.nextCursor;
};
const COPIED = ['takeSnapshot 201', 'readFirstPage 200'];

test('Redocly reports nothing', async () => {
  const result = await redocly(folder, 'lint', DOCUMENT, '--extends=recommended', '--format=json');
  expect({ code: result.code, totals: lintTotals(result) }).toEqual({
    code: 0,
    totals: { errors: 0, warnings: 0, ignored: 0 },
  });
});

test('a snapshot is read page by page to its end, and then the feed', async () => {
  const steps = await run('snapshotThenFollow', { resource: 'jurisdictions' });
  expect(steps).toEqual([...COPIED, 'readNextPage 200', 'readNextPage 200', 'readChanges 200']);
});

test('a cursor that is retained is read on to the head', async () => {
  const steps = await run('recoverFromExpiredCursor', { resource: 'meetings', cursor: await firstCursor() });
  expect(steps[0]).toBe('readStoredCursor 200');
  expect(steps.length).toBeGreaterThan(3);
  expect(new Set(steps.slice(1))).toEqual(new Set(['readChanges 200']));
});

test.each([
  ['a moved clock', '/clock', { advance: 'P31D' }],
  ['a renewed feed', '/feed/renew', {}],
])('a cursor that is expired by %s leads to a new snapshot and back to the feed', async (_, path, body) => {
  const cursor = await firstCursor();
  await sandbox.ask('POST', path, body);
  const steps = await run('recoverFromExpiredCursor', { resource: 'meetings', cursor });
  expect(steps).toEqual(['readStoredCursor 410', ...COPIED, 'readChanges 200']);
});

test('a report that is refused for the time being is sent again, and exists once', async () => {
  await sandbox.ask('POST', '/failures', { operation: 'submitDataReport', answer: 503, times: 2 });
  const report = { sourceUrl: 'https://example.org/agendas/42', expectedRecord: 'Agenda of 14 April' };
  const steps = await run('reportAndRetry', { idempotencyKey: 'workflow-1', ...report });
  expect(steps.slice(-3)).toEqual(['submit 202', 'submitAgain 202', 'readStatus 200']);
  expect(await sandbox.ask('GET', '')).toMatchObject({ failures: [] });
});
