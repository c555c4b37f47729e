import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

const lane = (name: string, include: string[], testTimeout: number, globalSetup: string[]) => ({
  // What needs no server keeps nothing either: its files share a process, which halves their time.
  test: { name, include, testTimeout, hookTimeout: 120_000, pool: 'forks' as const, globalSetup, isolate: globalSetup.length > 0 },
});

/** One PostgreSQL server a lane; `startTestDatabase()` makes databases on it. */
const server = ['test/support/test-server-setup.ts'];

// The processes that tests start are many: compiled code is kept between them.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/tests');

/** Four lanes by cost: `fast` is what `npm run check` runs, `npm test` runs them all. */
export default defineConfig({
  test: {
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      lane('fast', ['test/unit/**/*.test.ts', 'test/architecture/**/*.test.ts'], 20_000, []),
      lane('contract', ['test/contract/**/*.test.ts'], 120_000, server),
      lane('service', ['test/{integration,conformance,property,regression}/**/*.test.ts'], 120_000, server),
      lane('fault', ['test/fault/**/*.test.ts'], 300_000, server),
    ],
  },
});
