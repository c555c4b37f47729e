import { expect, test } from 'vitest';
import { health } from '../../contract/read-civic-health.ts';
import { HEALTH_PARTS, type HealthPart } from '../../domain/health.ts';
import { createReadCivicHealth } from '../../queries/feed/read-civic-health.ts';

/** The health of a new service whose named parts fail. */
function healthWithout(...failing: readonly HealthPart[]) {
  const answer = (part: HealthPart, value: unknown) => async () => {
    if (failing.includes(part)) throw new Error('it was asked to fail');
    return value;
  };
  const clock = { now: () => 0, sleep: () => new Promise(() => undefined) };
  return createReadCivicHealth({
    reads: { one: answer('feed', null), maybeOne: answer('feed', null), many: answer('sources', []) },
    generations: { list: answer('projections', []) },
    processorStore: { listReactors: answer('reactors', []) },
    log: { head: answer('log', 0n) },
    handles: new Map(),
    follows: new Map(),
    unclassified: { count: answer('reactors', 0) },
    history: { doubt: () => null },
    logger: { warn: () => undefined },
    clock,
    leaseClock: clock,
    deadlineMs: 1000,
  } as unknown as Parameters<typeof createReadCivicHealth>[0])();
}
const NOTHING = { pendingWork: null, failedWork: null };

test.each<[readonly HealthPart[], object]>([
  [['sources'], { lagEvents: 0, lagSeconds: 0, pendingWork: 0, failedWork: 0 }],
  [['reactors'], { lagEvents: 0, lagSeconds: 0, ...NOTHING }],
  [['projections'], { lagEvents: null, lagSeconds: null, ...NOTHING }],
  [HEALTH_PARTS, { lagEvents: null, lagSeconds: null, ...NOTHING }],
])('health without %j states no number that needs them', async (failing, numbers) => {
  const answer = await healthWithout(...failing);
  expect(health.parse(answer).pipeline).toMatchObject({ ...numbers, projections: [] });
  expect(answer.pipeline.unanswered).toEqual(expect.arrayContaining([...failing]));
  expect(answer.pipeline).not.toHaveProperty('oldestPendingAt');
});
