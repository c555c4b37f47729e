import { beforeAll, describe, expect, test } from 'vitest';
import { runSoak, type SoakResult } from '../soak/run-soak.ts';
import { shortSoak } from '../soak/plans.ts';
import { soakTable } from '../soak/soak-table.ts';

/** `npm run soak -- --minutes 10 --seed 7` is the long run; docs/contributors/soak.md. */
const SEED = Number(process.env['SOAK_SEED'] ?? Date.now() % 1_000_000);
const MAX_MS = 900_000;

describe(`a soak test of the whole service in its short form (seed ${SEED})`, { timeout: MAX_MS }, () => {
  const plan = shortSoak(SEED);
  let result: SoakResult;
  beforeAll(async () => {
    result = await runSoak(plan, { onFault: () => undefined });
  }, MAX_MS);

  test('loses, repeats and contradicts nothing, refuses nothing without a reason, and leaks nothing', () => {
    expect(result.failures.length === 0 ? [] : soakTable(plan, result).split('\n')).toEqual([]);
  });

  test('causes every kind of fault, and recovers after each', () => {
    expect(result.suffered.map(({ kind }) => kind).toSorted()).toEqual([...plan.kinds].toSorted());
    expect(result.suffered.filter(({ readyAfterMs }) => readyAfterMs === null)).toEqual([]);
  });

  test('runs every actor', () => {
    const { done } = result;
    const idle = [
      'pages read by mirrors',
      'files imported',
      'changes acknowledged',
      'polls of subscriptions',
      'tool calls',
      'reports with a receipt',
    ];
    expect(idle.filter((what) => !(done[what]! > 0))).toEqual([]);
    expect(done['snapshots compared with the feed']).toBe(done['snapshots taken']);
    expect(done['feed positions']).toBeGreaterThan(500);
  });

  test('keeps the connections of its clients', () => {
    expect(result.done['requests sent']).toBeGreaterThan(5 * result.done['connections that they were sent on']!);
  });
});
