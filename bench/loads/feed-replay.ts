import { atLeast, type Bench, count, type Load, type Row } from '../rig/bench.ts';
import type { Generated, ReplayJob } from '../rig/load-generator.ts';
import { alternate, growthExponent, median } from '../rig/measure.ts';
import { startPlainFeed } from '../rig/plain-feed.ts';
import { startWorker, type Worker } from '../rig/processes.ts';
import { serve } from '../rig/service.ts';
import { scoped } from '../rig/scoped.ts';

const GENERATOR = new URL('../rig/load-generator.ts', import.meta.url);
const READERS = 8;
const REACH = { 500: 0.85, 100: 0.7 } as const;

type Replay = Omit<ReplayJob, 'kind' | 'url' | 'path' | 'headers'> & { readonly limit: number };

/** Items a second over the readers; each replays the whole feed, or as many pages as it is told to. */
const replayer = (worker: Worker, records: number, url: string, path: string, headers: string) => async (replay: Replay) => {
  const { limit, ...job } = replay;
  const { seconds, requests } = await worker.ask<Generated>({ kind: 'replay', url, path: `${path}?limit=${limit}`, headers, ...job });
  const items = Math.min(requests * limit, records * job.readers);
  return items / seconds;
};

const compare = (bench: Bench, records: number): Promise<readonly Row[]> =>
  scoped(async (use) => {
    const { dataDir, key } = await bench.datasets.of(records);
    const service = use(await serve(dataDir));
    const plain = use(await startPlainFeed(dataDir));
    const worker = use(startWorker(GENERATOR));
    const ours = replayer(worker, records, service.url, '/api/v1/data/changes', `Authorization: Bearer ${key}\r\n`);
    const yardstick = replayer(worker, records, plain.url, '/changes', '');
    const rows: Row[] = [];
    for (const limit of [500, 100] as const) {
      const pages = Math.ceil(records / limit);
      const text = await alternate(bench.rounds, ...both(ours, yardstick, { limit, readers: READERS, parse: false, pages }));
      bench.say(`page ${limit}: ${count(text.ours)} against ${count(text.yardstick)} items/s (${text.ratios.join(' ')})`);
      const parsed = await alternate(bench.rounds, ...both(ours, yardstick, { limit, readers: READERS, parse: true, pages }));
      const alone = await alternate(bench.rounds, ...both(ours, yardstick, { limit, readers: 1, parse: false, pages }));
      bench.say(`page ${limit}: parsing ${parsed.ratio.toFixed(2)}, one reader ${alone.ratio.toFixed(2)}`);
      rows.push({
        load: `feed replay over HTTP, page ${limit}, ${count(records)} records, ${READERS} readers`,
        ours: `${count(text.ours)} items/s`,
        yardstick: `plain ${count(text.yardstick)} items/s`,
        ...atLeast(text.ratio, REACH[limit]),
        details: { text, clientThatParses: parsed, oneReader: alone },
      });
    }
    return rows;
  });

type Rate = (replay: Replay) => Promise<number>;
const both = (ours: Rate, yardstick: Rate, replay: Replay): [() => Promise<number>, () => Promise<number>] => [
  () => ours(replay),
  () => yardstick(replay),
];

/** Seconds of one reader's whole replay. */
const secondsAt = (bench: Bench, size: number): Promise<number> =>
  scoped(async (use) => {
    const { dataDir, key } = await bench.datasets.of(size);
    const service = use(await serve(dataDir));
    const worker = use(startWorker(GENERATOR));
    const rate = replayer(worker, size, service.url, '/api/v1/data/changes', `Authorization: Bearer ${key}\r\n`);
    const rates = [];
    for (let turn = 0; turn < 4; turn++) rates.push(await rate({ limit: 500, readers: 1, parse: false, pages: Math.ceil(size / 500) }));
    return size / median(rates.slice(1));
  });

async function growth(bench: Bench): Promise<number> {
  const points = [];
  for (const size of bench.sizes) points.push({ size, cost: await secondsAt(bench, size) });
  return growthExponent(points);
}

async function run(bench: Bench): Promise<readonly Row[]> {
  const rows = await compare(bench, bench.size === 'full' ? 50_000 : 10_000);
  const exponent = await growth(bench);
  return rows.map((row, index) => (index === 0 ? { ...row, exponent } : row));
}

export const feedReplay: Load = { name: 'replay', title: 'feed replay over HTTP, pages of 500 and 100, against plain Fastify and pg', run };
