import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'civic-summary-'));
const script = fileURLToPath(new URL('../../tools/test-summary.mjs', import.meta.url));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function summary(results: object | undefined, status: string): { readonly line: string; readonly fails: boolean } {
  const file = join(folder, 'results.json');
  rmSync(file, { force: true });
  if (results !== undefined) writeFileSync(file, JSON.stringify(results));
  const run = spawnSync(process.execPath, [script, file, status], { encoding: 'utf8' });
  return { line: run.stdout, fails: run.status !== 0 };
}

const counts = (numPassedTests: number, numFailedTests: number, numPendingTests: number, testResults: object[] = []) => ({
  numPassedTests,
  numFailedTests,
  numPendingTests,
  numTodoTests: 0,
  testResults,
});

test.for([
  { what: 'all passed', results: counts(3, 0, 1), status: '0', line: '3 passed, 0 failed, 1 skipped\n', fails: false },
  { what: 'one failed', results: counts(3, 1, 0), status: '1', line: '3 passed, 1 failed, 0 skipped\n', fails: true },
  { what: 'nothing ran', results: counts(0, 0, 4), status: '0', line: '0 passed, 0 failed, 4 skipped\n', fails: true },
  { what: 'no results', results: undefined, status: '0', line: '0 passed, 0 failed, 0 skipped\n', fails: true },
  { what: 'a run that broke after its tests', results: counts(3, 0, 0), status: '1', line: '3 passed, 1 failed, 0 skipped\n', fails: true },
  {
    what: 'a file that could not be loaded',
    results: counts(3, 0, 0, [{ status: 'failed', assertionResults: [] }]),
    status: '1',
    line: '3 passed, 1 failed, 0 skipped\n',
    fails: true,
  },
])('the last line of a run counts its tests: $what', ({ results, status, line, fails }) => {
  expect(summary(results, status)).toEqual({ line, fails });
});

test.for([
  {
    what: 'both passed',
    engines: { passed: 2, failed: 0, skipped: 1 },
    status: '0',
    line: '5 passed, 0 failed, 2 skipped\n',
    fails: false,
  },
  { what: 'one failed', engines: { passed: 1, failed: 1, skipped: 0 }, status: '1', line: '4 passed, 1 failed, 1 skipped\n', fails: true },
  { what: 'the run broke', engines: undefined, status: '1', line: '3 passed, 1 failed, 1 skipped\n', fails: true },
])('the last line counts the tests against real servers: $what', ({ engines, status, line, fails }) => {
  const [file, counted] = [join(folder, 'results.json'), join(folder, 'engines.json')];
  writeFileSync(file, JSON.stringify(counts(3, 0, 1)));
  rmSync(counted, { force: true });
  if (engines !== undefined) writeFileSync(counted, JSON.stringify(engines));
  const run = spawnSync(process.execPath, [script, file, '0', counted, status], { encoding: 'utf8' });
  expect({ line: run.stdout, fails: run.status !== 0 }).toEqual({ line, fails });
});
