import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'civic-summary-'));
const script = fileURLToPath(new URL('../../tools/test-summary.mjs', import.meta.url));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Results of a part, undefined if it wrote none, and the status with which it ended. */
type Part = readonly [results: object | undefined, status: string];

function summary(parts: readonly Part[]): { readonly line: string; readonly fails: boolean } {
  const args = parts.flatMap(([results, status], index) => {
    const file = join(folder, `part-${index}.json`);
    rmSync(file, { force: true });
    if (results !== undefined) writeFileSync(file, JSON.stringify(results));
    return [file, status];
  });
  const run = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  return { line: run.stdout, fails: run.status !== 0 };
}

const vitest = (passed: number, failed: number, skipped: number, testResults: object[] = []) => ({
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: skipped,
  numTodoTests: 0,
  testResults,
});
const counts = (passed: number, failed: number, skipped: number) => ({ passed, failed, skipped });
const unloadable = { status: 'failed', assertionResults: [] };
const good: Part = [vitest(3, 0, 1), '0'];

test.for<[what: string, parts: readonly Part[], line: string, fails: boolean]>([
  ['one part passed', [good], '3 passed, 0 failed, 1 skipped', false],
  ['one test failed', [[vitest(3, 1, 0), '1']], '3 passed, 1 failed, 0 skipped', true],
  ['nothing ran', [[vitest(0, 0, 4), '0']], '0 passed, 1 failed, 4 skipped', true],
  ['no results', [[undefined, '0']], '0 passed, 1 failed, 0 skipped', true],
  ['a run broke after its tests', [[vitest(3, 0, 0), '1']], '3 passed, 1 failed, 0 skipped', true],
  ['a file could not be loaded', [[vitest(3, 0, 0, [unloadable]), '1']], '3 passed, 1 failed, 0 skipped', true],
  ['all parts passed', [good, good, [counts(2, 0, 1), '0']], '8 passed, 0 failed, 3 skipped', false],
  ['the last part failed', [good, good, [counts(1, 1, 0), '1']], '7 passed, 1 failed, 2 skipped', true],
  ['the last part broke', [good, [undefined, '1']], '3 passed, 1 failed, 1 skipped', true],
  ['a part in the middle ran nothing', [good, [vitest(0, 0, 0), '0'], good], '6 passed, 1 failed, 2 skipped', true],
])('the last line of a run sums its parts: %s', ([, parts, line, fails]) => {
  expect(summary(parts)).toEqual({ line: `${line}\n`, fails });
});
