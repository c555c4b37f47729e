import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FuzzResult, runFuzz } from '../fuzz/run-fuzz.ts';
import { type AttackedProcess, startAttackedProcess } from '../support/attacked-process.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

/** `FUZZ_COUNT=100000 FUZZ_SEED=7 npm run test:nightly -- test/nightly/fuzz.test.ts` is the long run. */
const COUNT = Number(process.env['FUZZ_COUNT'] ?? 3_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
const HEAP_MB = 512;
const MAX_MS = 300_000 + COUNT * 20;

describe(`a process under attack by ${COUNT} conversations (seed ${SEED})`, { timeout: MAX_MS }, () => {
  let database: TestDatabase;
  let attacked: AttackedProcess;
  let result: FuzzResult;
  let errors: readonly string[];
  beforeAll(async () => {
    database = await startTestDatabase();
    attacked = await startAttackedProcess(database.url, { heapMb: HEAP_MB });
    const facts = await attacked.makeFacts();
    result = await runFuzz(attacked, {
      seed: SEED,
      facts,
      count: COUNT,
      batch: 1_000,
      onBatch: (message) => process.stderr.write(`${message}\n`),
    });
    errors = await attacked.stop();
  }, MAX_MS);
  afterAll(async () => {
    await attacked?.stop();
    await database?.close();
  });

  test('answers every client in valid HTTP and envelopes, and is unchanged after each batch', () => {
    expect(result.findings).toEqual([]);
  });

  test('runs every conversation', () => {
    expect(result.sent).toBeGreaterThanOrEqual(COUNT);
  });

  test('logs no error for what clients do', () => {
    expect(errors).toEqual([]);
  });
});
