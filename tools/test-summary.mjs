import { readFileSync } from 'node:fs';

/**
 * `node test-summary.mjs RESULTS STATUS [RESULTS STATUS …]`: prints the last line of a run, the sum of its parts. RESULTS is vitest's JSON or
 * `{passed, failed, skipped}`. Fails when anything failed, when a part ended with another status than 0, or when a part passed no test.
 */
function read(name) {
  try {
    return JSON.parse(readFileSync(name, 'utf8'));
  } catch {
    return {};
  }
}

function countsOf(results) {
  if (results.numPassedTests === undefined) return { passed: 0, failed: 0, skipped: 0, ...results };
  // A file that could not be loaded has no tests that could fail, so it counts as one.
  const broken = results.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + broken.length,
    skipped: results.numPendingTests + results.numTodoTests,
  };
}

const total = { passed: 0, failed: 0, skipped: 0 };
for (let at = 2; at < process.argv.length; at += 2) {
  const { passed, failed, skipped } = countsOf(read(process.argv[at]));
  const hasBroken = failed === 0 && (process.argv[at + 1] !== '0' || passed === 0);
  total.passed += passed;
  total.failed += hasBroken ? 1 : failed;
  total.skipped += skipped;
}

if (total.failed > 0 || total.passed === 0) process.exitCode = 1;
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
