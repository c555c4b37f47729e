import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { randomFrom } from './civic-records.ts';

/** TEST_SEED, or a seed from the title of the test, so that a failed run can be repeated. */
export function testSeed(): number {
  const configuredSeed = process.env['TEST_SEED'];
  if (configuredSeed !== undefined) return Number(configuredSeed);
  return createHash('sha256')
    .update(expect.getState().currentTestName ?? '')
    .digest()
    .readUInt32BE();
}

/** Runs work with a seeded generator; a failure names the seed. */
export async function withSeed(work: (random: () => number) => Promise<void>): Promise<void> {
  const seed = testSeed();
  try {
    await work(randomFrom(seed));
  } catch (error) {
    throw new Error(`with TEST_SEED=${seed}: ${(error as Error).message}`, { cause: error });
  }
}
