import { FAULTS } from './faults/all-faults.ts';
import type { SoakPlan } from './soak-plan.ts';

/**
 * One of each kind: a kill, a freeze, a lost server, connections cut, slow, silent and half open, a clock, an orderly
 * end.
 */
const SHORT_KINDS = [
  'several killed',
  'projector frozen',
  'PostgreSQL killed',
  'connections cut',
  'database slow',
  'link silent',
  'server lost unseen',
  'clock ahead',
  'api drained',
];

/** The form of `npm run test:nightly`: the same code with fewer actors. */
export const shortSoak = (seed: number): SoakPlan => ({
  seed,
  api: 2,
  projectors: 2,
  mirrors: 12,
  replicators: 1,
  importers: 1,
  writers: 2,
  snapshotTakers: 1,
  pollers: 2,
  agents: 1,
  reporters: 2,
  // The nightly run attacks a separate process: test/nightly/fuzz.test.ts.
  fuzz: 0,
  kinds: SHORT_KINDS,
  faultsForMs: 0,
  holds: 0.4,
  pauseMs: [200, 800],
  readyWithinMs: 90_000,
  measuresMemory: false,
});

/** The long form. */
export const longSoak = (seed: number, minutes: number): SoakPlan => ({
  seed,
  api: 4,
  projectors: 2,
  mirrors: 96,
  replicators: 4,
  importers: 2,
  writers: 3,
  snapshotTakers: 2,
  pollers: 6,
  agents: 2,
  reporters: 6,
  fuzz: 100_000,
  faultsForMs: minutes * 60_000,
  kinds: Object.keys(FAULTS),
  holds: 1,
  pauseMs: [1_000, 4_000],
  readyWithinMs: 90_000,
  measuresMemory: minutes >= 5,
});
