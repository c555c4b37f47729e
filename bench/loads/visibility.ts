import { atMost, type Bench, type Load, type Row } from '../rig/bench.ts';
import { median, percentile } from '../rig/measure.ts';
import { startWorker } from '../rig/processes.ts';
import { serve } from '../rig/service.ts';
import type { Visibility } from '../rig/visibility-jobs.ts';
import { scoped } from '../rig/scoped.ts';

const PER_SECOND = 500;

const run = (bench: Bench): Promise<readonly Row[]> =>
  scoped(async (use) => {
    const { dataDir, key } = await bench.datasets.of(bench.sizes[1]);
    const service = use(await serve(dataDir));
    const worker = use(
      startWorker(new URL('../rig/visibility-jobs.ts', import.meta.url), {
        CIVIC_DATA_DIR: dataDir,
        CIVIC_SAMPLE: 'off',
      }),
    );
    const seconds = bench.size === 'full' ? 10 : 3;
    const rounds: Visibility[] = [];
    for (let round = 0; round <= bench.rounds; round++) {
      // Past every record of every data set.
      const from = 10_000_000 + round * PER_SECOND * seconds;
      const measured = await worker.ask<Visibility>({ url: service.url, key, perSecond: PER_SECOND, seconds, from });
      if (round > 0) rounds.push(measured);
    }
    const medianOf = (p: number, of: keyof Visibility) => median(rounds.map((round) => percentile(round[of], p)));
    const ms = (p: number) => medianOf(p, 'fromSent').toFixed(1);
    return [
      {
        load: `append to visible in the feed at ${PER_SECOND} appends/s`,
        ours: `p50 ${ms(0.5)}, p95 ${ms(0.95)}, p99 ${ms(0.99)} ms`,
        yardstick: '',
        ...atMost(medianOf(0.95, 'fromSent'), 100, ' ms'),
        details: {
          p95OfEachTurn: rounds.map(({ fromSent }) => percentile(fromSent, 0.95)),
          sinceAcknowledged: [0.5, 0.95, 0.99].map((p) => medianOf(p, 'fromAcknowledged')),
        },
      },
    ];
  });

export const visibility: Load = {
  name: 'visibility',
  title: 'from an append to its sight in the feed, 500 a second',
  run,
};
