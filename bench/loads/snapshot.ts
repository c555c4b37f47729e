import { atMost, type Bench, count, type Load, type Row } from '../rig/bench.ts';
import type { Generated } from '../rig/load-generator.ts';
import { growthExponent, median, percentile } from '../rig/measure.ts';
import { startWorker } from '../rig/processes.ts';
import { serve } from '../rig/service.ts';
import { scoped } from '../rig/scoped.ts';

const GENERATOR = new URL('../rig/load-generator.ts', import.meta.url);
const MAX_MS = 100;

/** Milliseconds of taking a snapshot at each size. The services of all sizes run at the same time and are measured in turns. */
const run = (bench: Bench): Promise<readonly Row[]> =>
  scoped(async (use) => {
    const worker = use(startWorker(GENERATOR));
    const measured = [];
    for (const size of bench.sizes) {
      const { dataDir, key } = await bench.datasets.of(size);
      const { url } = use(await serve(dataDir));
      const job = {
        kind: 'repeat',
        url,
        method: 'POST',
        path: '/api/v1/data/snapshots',
        bodies: [],
        connections: 1,
        requests: 10,
      };
      measured.push({
        size,
        job: { ...job, headers: `Authorization: Bearer ${key}\r\n` },
        medians: [] as number[],
        times: [] as number[],
      });
    }
    for (let round = 0; round <= bench.rounds; round++) {
      for (const { job, medians, times } of measured) {
        const answer = await worker.ask<Generated>(job);
        if (round === 0) continue;
        medians.push(median(answer.times));
        times.push(...answer.times);
      }
    }
    const [small, , large] = measured;
    const ms = measured.map(({ medians }) => median(medians));
    const ratio = median(large!.medians.map((cost, round) => cost / small!.medians[round]!));
    const figures = {
      ours: `${ms[2]!.toFixed(1)} ms`,
      yardstick: `at ${count(small!.size)}: ${ms[0]!.toFixed(1)} ms`,
      exponent: growthExponent(measured.map(({ size }, index) => ({ size, cost: ms[index]! }))),
      details: { ms, p95: measured.map(({ times }) => percentile(times, 0.95)) },
    };
    return [
      { load: `taking a snapshot at ${count(large!.size)} records`, ...figures, ...atMost(ratio, 1.5) },
      { load: 'the same, in milliseconds', ...figures, ...atMost(ms[2]!, MAX_MS, ' ms') },
    ];
  });

export const snapshot: Load = { name: 'snapshot', title: 'taking a snapshot at three sizes', run };
