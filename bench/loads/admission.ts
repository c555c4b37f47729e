import { type Bench, count, type Load, type Row } from '../rig/bench.ts';
import type { Generated } from '../rig/load-generator.ts';
import { alternate } from '../rig/measure.ts';
import { startWorker, type Worker } from '../rig/processes.ts';
import { environmentOf, serve } from '../rig/service.ts';
import { scoped } from '../rig/scoped.ts';
import { startYardstick } from '../rig/yardstick-program.ts';

const GENERATOR = new URL('../rig/load-generator.ts', import.meta.url);
/** The smallest request there is: what admission costs weighs most in it. */
const PATH = '/api/v1/data/changes?limit=1';

/** Requests a second. */
const asker =
  (worker: Worker, url: string, key: string, connections: number, requests: number) => async (): Promise<number> => {
    const headers = `Authorization: Bearer ${key}\r\n`;
    const job = { kind: 'repeat', url, method: 'GET', path: PATH, headers, bodies: [], connections, requests };
    return requests / (await worker.ask<Generated>(job)).seconds;
  };

const run = (bench: Bench): Promise<readonly Row[]> =>
  scoped(async (use) => {
    const { dataDir, key } = await bench.datasets.of(bench.sizes[0]);
    const service = use(await serve(dataDir));
    const uncounted = use(
      await startYardstick('uncounted-admission.ts', environmentOf(dataDir, { CIVIC_LOG_LEVEL: 'warn' })),
    );
    const worker = use(startWorker(GENERATOR));
    const rows: Row[] = [];
    for (const connections of [1, 32]) {
      const requests = (connections === 1 ? 1500 : 15_000) * (bench.size === 'full' ? 4 : 1);
      const compared = await alternate(
        bench.rounds,
        asker(worker, service.url, key, connections, requests),
        asker(worker, uncounted.url, key, connections, requests),
      );
      const { ours, yardstick, ratio, ratios } = compared;
      const cost = 1e6 / ours - 1e6 / yardstick;
      bench.say(`${connections} connections: ${count(ours)} against ${count(yardstick)} req/s (${ratios.join(' ')})`);
      rows.push({
        load: `a feed page of one item, admitted and charged, ${connections} connection${connections === 1 ? '' : 's'}`,
        ours: `${count(ours)} req/s, ${cost.toFixed(0)} us of it for the counters`,
        yardstick: `key looked up, nothing counted: ${count(yardstick)} req/s`,
        figure: ratio,
        reach: '',
        reached: null,
        details: { ratios },
      });
    }
    return rows;
  });

export const admission: Load = {
  name: 'admission',
  title: 'a request with and without the counters of admission',
  run,
};
