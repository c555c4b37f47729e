import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const MINUTE_MS = 60_000;

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the brokers that the tests start. */
    kafkaVersion: string;
  }
}

/** The tests against real servers that they start; `main.ts` runs them. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['test/engines/*.test.ts'],
    testTimeout: 15 * MINUTE_MS,
    hookTimeout: 10 * MINUTE_MS,
    pool: 'forks',
    maxWorkers: 1,
    globalSetup: ['test/support/test-server-setup.ts'],
    provide: { kafkaVersion: process.env['KAFKA_VERSION'] ?? '' },
  },
});
