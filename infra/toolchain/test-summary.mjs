import { readFileSync } from 'node:fs';

/**
 * `node test-summary.mjs RESULTS STATUS`: prints the last line of a test run from vitest's JSON results, and fails when anything failed, when
 * nothing ran, or when the run itself ended with another status than 0.
 */
const [file = '', status = '1'] = process.argv.slice(2);

function readResults() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

const results = readResults();
const passed = results?.numPassedTests ?? 0;
// A file that could not be loaded has no tests that could fail, so it counts as one.
const broken = (results?.testResults ?? []).filter((suite) => suite.status === 'failed' && suite.assertionResults.length === 0).length;
const seen = (results?.numFailedTests ?? 0) + broken;
const failed = seen === 0 && status !== '0' ? 1 : seen;
const skipped = (results?.numPendingTests ?? 0) + (results?.numTodoTests ?? 0);
if (failed > 0 || passed === 0) process.exitCode = 1;
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
