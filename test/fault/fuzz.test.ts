import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FuzzResult, runFuzz } from '../fuzz/run-fuzz.ts';
import { type AttackedProcess, startAttackedProcess } from '../support/attacked-process.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

/** `FUZZ_COUNT=100000 FUZZ_SEED=7 vitest run --project fault test/fault/fuzz.test.ts` is the long run. */
const COUNT = Number(process.env['FUZZ_COUNT'] ?? 3_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
const HEAP_MB = 512;
const LONGEST_MS = 300_000 + COUNT * 20;

describe(`a process that ${COUNT} conversations attack (seed ${SEED})`, { timeout: LONGEST_MS }, () => {
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
      onBatch: (told) => process.stderr.write(`${told}\n`),
    });
    errors = await attacked.stop();
  }, LONGEST_MS);
  afterAll(async () => {
    await attacked?.stop();
    await database?.close();
  });

  test('it answers every client in HTTP and in the envelope, fails at none, and is as before after each batch', () => {
    expect(result.findings).toEqual([]);
  });

  test('every conversation was sent', () => {
    expect(result.sent).toBeGreaterThanOrEqual(COUNT);
  });

  test('it logs no error for what clients do', () => {
    expect(errors).toEqual([]);
  });
});
