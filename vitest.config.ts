import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { folderInMemory } from './test/support/folder-in-memory.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { REPEATED_TESTS } from './test/support/test-runs.ts';

const MINUTE_MS = 60_000;

const lane = (name: string, include: string[], globalSetup: string[], env: Record<string, string> = {}) => ({
  test: {
    name,
    include,
    env,
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

/** Cases of a random test in the nightly run, as a multiple of those of `npm test`. */
const NIGHTLY_RUNS = '8';

const everyday = [
  lane('fast', ['test/unit/**/*.test.ts', 'test/architecture/**/*.test.ts'], []),
  lane('contract', ['test/contract/**/*.test.ts'], server),
  lane('service', ['test/{integration,conformance,property,regression}/**/*.test.ts'], server),
  lane('fault', ['test/fault/**/*.test.ts'], server),
];

/** Lanes that run alone, each by a script of its own. */
const alone: Record<string, ReturnType<typeof lane>> = {
  nightly: lane('nightly', ['test/nightly/**/*.test.ts', ...REPEATED_TESTS], server, {
    TEST_RUNS: process.env['TEST_RUNS'] ?? NIGHTLY_RUNS,
  }),
  // The contract of a port runs in `npm test` too, against what that starts itself.
  engines: lane(
    'engines',
    ['test/engines/*.test.ts', 'test/contract/{event-log.postgresql,event-log.kurrentdb,kafka-broker}.test.ts'],
    server,
  ),
};

const named = process.env['TEST_LANE'];

/** Four lanes by cost: `npm run check` runs `fast` and the tests of stored events in `contract`, `npm test` runs all four. */
export default defineConfig({
  test: {
    // Tests wait for processes and databases about a fifth of the time: six workers keep two cores busy.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    projects: named === undefined ? everyday : [alone[named]!],
  },
});
