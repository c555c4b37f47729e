import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { folderInMemory } from './test/support/folder-in-memory.ts';
import { LongestFirst } from './test/support/longest-first.ts';

const MINUTE_MS = 60_000;

const lane = (name: string, include: string[], globalSetup: string[]) => ({
  test: {
    name,
    include,
    // These end what hangs. No test relies on them: they are far beyond the time of the slowest test on a machine that is five times slower.
    testTimeout: 15 * MINUTE_MS,
    hookTimeout: 10 * MINUTE_MS,
    expect: { poll: { timeout: 2 * MINUTE_MS } },
    pool: 'forks' as const,
    globalSetup,
    // No file leaves anything behind in its process: sharing one halves the time of the short ones.
    isolate: false,
  },
});

/** One PostgreSQL server a lane; `startTestDatabase()` makes databases on it. */
const server = ['test/support/test-server-setup.ts'];

// The processes that tests start are many: compiled code is kept between them.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/tests');

// Hundreds of databases are made and removed, which takes a quarter of the time in memory.
const folder = process.env['TMPDIR'] === undefined ? folderInMemory() : null;
if (folder !== null) process.env['TMPDIR'] = folder;

/** Four lanes by cost: `npm run check` runs `fast` and the tests of stored events in `contract`, `npm test` runs them all. */
export default defineConfig({
  test: {
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      lane('fast', ['test/unit/**/*.test.ts', 'test/architecture/**/*.test.ts'], []),
      lane('contract', ['test/contract/**/*.test.ts'], server),
      lane('service', ['test/{integration,conformance,property,regression}/**/*.test.ts'], server),
      lane('fault', ['test/fault/**/*.test.ts'], server),
      // Only `npm run test:engines` asks for it.
      ...(process.env['TEST_ENGINES'] === 'on' ? [lane('engines', ['test/engines/*.test.ts'], server)] : []),
    ],
  },
});
