import { encodeFeedCursor } from '../../domain/cursor.ts';
import { atMost, type Bench, count, type Load, type Row } from '../rig/bench.ts';
import { holdDatabase } from '../rig/database.ts';
import type { Generated } from '../rig/load-generator.ts';
import { growthExponent, median } from '../rig/measure.ts';
import { startWorker } from '../rig/processes.ts';
import { serve } from '../rig/service.ts';
import { scoped } from '../rig/scoped.ts';

const GENERATOR = new URL('../rig/load-generator.ts', import.meta.url);
const PAGE = 500;

const readFeedId = (dataDir: string): Promise<string> =>
  scoped(async (use) => {
    const database = use(await holdDatabase(dataDir));
    const { rows } = await database.client.query<{ id: string }>(
      `select data->>'feedId' as id from civic.events order by position limit 1`,
    );
    return rows[0]!.id;
  });

/** The cost of a page at each depth, measured in turns on one feed. */
const run = (bench: Bench): Promise<readonly Row[]> =>
  scoped(async (use) => {
    const records = bench.sizes[2];
    const { dataDir, key } = await bench.datasets.of(records);
    const feedId = await readFeedId(dataDir);
    const depths = [0, records / 100, records / 10, records - 5 * PAGE];
    const service = use(await serve(dataDir));
    const worker = use(startWorker(GENERATOR));
    const costs = depths.map((): number[] => []);
    const requests = 60;
    for (let round = 0; round <= bench.rounds; round++) {
      for (const [index, depth] of depths.entries()) {
        const cursor = encodeFeedCursor({ feedId, position: depth, fingerprint: null, binding: 'nothing' });
        const path = `/api/v1/data/changes?limit=${PAGE}&cursor=${cursor}`;
        const job = { kind: 'repeat', url: service.url, method: 'GET', path, bodies: [], connections: 1, requests };
        const { times } = await worker.ask<Generated>({ ...job, headers: `Authorization: Bearer ${key}\r\n` });
        if (round > 0) costs[index]!.push(median(times));
      }
    }
    const ms = costs.map(median);
    const ratio = median(costs.at(-1)!.map((cost, round) => cost / costs[0]![round]!));
    return [
      {
        load: `feed page of ${PAGE} at depth ${count(depths.at(-1)!)}`,
        ours: `${ms.at(-1)!.toFixed(2)} ms`,
        yardstick: `at the start ${ms[0]!.toFixed(2)} ms`,
        ...atMost(ratio, 1.2),
        exponent: growthExponent(depths.slice(1).map((depth, index) => ({ size: depth, cost: ms[index + 1]! }))),
        details: { depths, ms },
      },
    ];
  });

export const feedDepth: Load = { name: 'depth', title: 'a feed page at depth against one at the start', run };
