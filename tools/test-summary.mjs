import { readFileSync } from 'node:fs';

/**
 * `node test-summary.mjs RESULTS STATUS [ENGINES STATUS]`: prints the last line of a run from vitest's JSON results, and from the counts of the
 * tests against real servers where they are named. Fails when anything failed, when nothing ran, or when a run ended with another status than 0.
 */
const [file = '', status = '1', enginesFile, enginesStatus = '1'] = process.argv.slice(2);

function read(name) {
  try {
    return JSON.parse(readFileSync(name, 'utf8'));
  } catch {
    return undefined;
  }
}

const results = read(file);
const passed = results?.numPassedTests ?? 0;
// A file that could not be loaded has no tests that could fail, so it counts as one.
const broken = (results?.testResults ?? []).filter((suite) => suite.status === 'failed' && suite.assertionResults.length === 0).length;
const seen = (results?.numFailedTests ?? 0) + broken;
const failed = seen === 0 && status !== '0' ? 1 : seen;
const skipped = (results?.numPendingTests ?? 0) + (results?.numTodoTests ?? 0);

const none = { passed: 0, failed: 0, skipped: 0 };
const engines = enginesFile === undefined ? none : { ...none, ...read(enginesFile) };
const enginesFailed = enginesFile !== undefined && engines.failed === 0 && enginesStatus !== '0' ? 1 : engines.failed;

if (failed + enginesFailed > 0 || passed === 0) process.exitCode = 1;
process.stdout.write(`${passed + engines.passed} passed, ${failed + enginesFailed} failed, ${skipped + engines.skipped} skipped\n`);
