import { atMost, type Bench, count, type Load, type Row } from '../rig/bench.ts';
import { headCursor } from '../rig/feed-head.ts';
import type { Generated } from '../rig/load-generator.ts';
import { median, percentile } from '../rig/measure.ts';
import { residentMb, startWorker } from '../rig/processes.ts';
import { serve } from '../rig/service.ts';
import { scoped } from '../rig/scoped.ts';

const run = (bench: Bench): Promise<readonly Row[]> =>
  scoped(async (use) => {
    const { dataDir, key } = await bench.datasets.of(bench.sizes[1]);
    const readers = bench.size === 'full' ? 1000 : 200;
    const seconds = bench.size === 'full' ? 20 : 5;
    const service = use(await serve(dataDir));
    const worker = use(startWorker(new URL('../rig/load-generator.ts', import.meta.url)));
    const path = `/api/v1/data/changes?limit=500&cursor=${await headCursor(service.url, key)}`;
    const job = { kind: 'poll', url: service.url, path, headers: `Authorization: Bearer ${key}\r\n`, everyMs: 1000 };
    const p99: number[] = [];
    const alone: number[] = [];
    const memory: number[] = [];
    for (let round = 0; round <= bench.rounds; round++) {
      // One reader with enough requests for a percentile.
      const single = await worker.ask<Generated>({ ...job, readers: 1, everyMs: 20, seconds: 2 });
      const many = await worker.ask<Generated>({ ...job, readers, seconds });
      memory.push(residentMb(service.pid));
      if (round === 0) continue;
      alone.push(percentile(single.times, 0.99));
      p99.push(percentile(many.times, 0.99));
    }
    const growth = memory.at(-1)! - memory[0]!;
    return [
      {
        load: `${count(readers)} readers polling the head once a second`,
        ours: `p99 ${median(p99).toFixed(1)} ms`,
        yardstick: `one reader ${median(alone).toFixed(1)} ms`,
        ...atMost(median(p99), 50, ' ms'),
        details: { p99, alone },
      },
      {
        load: `memory of the service over ${bench.rounds} turns of it`,
        ours: `${memory[0]} to ${memory.at(-1)} MB`,
        yardstick: '',
        ...atMost(growth, 10, ' MB more'),
        details: { memory },
      },
    ];
  });

export const pollingReaders: Load = { name: 'readers', title: 'many readers polling the head of a quiet feed', run };
