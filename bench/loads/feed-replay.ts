import { atLeast, type Bench, count, type Load, type Row, withoutTarget } from '../rig/bench.ts';
import type { Generated } from '../rig/load-generator.ts';
import { alternate, type Compared, growthExponent, median } from '../rig/measure.ts';
import { startPlainFeed } from '../rig/plain-feed.ts';
import { startWorker, type Worker } from '../rig/processes.ts';
import { serve } from '../rig/service.ts';
import { scoped } from '../rig/scoped.ts';
import { unreadPaths } from '../rig/unread-paths.ts';

const GENERATOR = new URL('../rig/load-generator.ts', import.meta.url);
const READERS = 8;
/** Share of plain Fastify and pg for pages of 500; pages of 100 have no target. */
const LEAST_SHARE = 0.6;

interface Replay {
  readonly limit: number;
  readonly readers: number;
  readonly parse: boolean;
}

/** Items per second over all readers, each of which replays the whole feed. `isUnread`: the service has not read these pages before. */
const replayer =
  (worker: Worker, records: number, url: string, path: string, headers: string) =>
  (replay: Replay, isUnread: boolean) => {
    const { limit, ...job } = replay;
    const paths = isUnread ? unreadPaths(path, limit, job.readers) : () => `${path}?limit=${limit}`;
    return async (): Promise<number> => {
      const { seconds } = await worker.ask<Generated>({
        kind: 'replay',
        url,
        path: paths(),
        headers,
        ...job,
        pages: records,
      });
      return (records * job.readers) / seconds;
    };
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
    const against = (replay: Replay, isUnread = false) =>
      alternate(bench.rounds, ours(replay, isUnread), yardstick(replay, isUnread));
    for (const limit of [500, 100] as const) {
      const read = await against({ limit, readers: READERS, parse: false });
      const unread = await against({ limit, readers: READERS, parse: false }, true);
      const parsed = await against({ limit, readers: READERS, parse: true });
      const alone = await against({ limit, readers: 1, parse: false }, true);
      bench.say(
        `page ${limit}: parsing ${parsed.ratio.toFixed(2)}, one reader, never read before ${alone.ratio.toFixed(2)}`,
      );
      const row = (what: string, { ours: rate, yardstick: plain, ratio, ratios }: Compared, details = {}): Row => {
        bench.say(`page ${limit}, ${what}: ${count(rate)} against ${count(plain)} items/s (${ratios.join(' ')})`);
        return {
          load: `feed replay over HTTP, page ${limit}, ${count(records)} records, ${READERS} readers, ${what}`,
          ours: `${count(rate)} items/s`,
          yardstick: `plain ${count(plain)} items/s`,
          ...(limit === 500 ? atLeast(ratio, LEAST_SHARE) : withoutTarget(ratio)),
          details: { ratios, ...details },
        };
      };
      rows.push(
        row('read before', read, { clientThatParses: parsed }),
        row('never read before', unread, { oneReader: alone }),
      );
    }
    return rows;
  });

/** Seconds in which one reader replays the whole feed, in pages that were never read before. */
const secondsAt = (bench: Bench, size: number): Promise<number> =>
  scoped(async (use) => {
    const { dataDir, key } = await bench.datasets.of(size);
    const service = use(await serve(dataDir));
    const worker = use(startWorker(GENERATOR));
    const replay = replayer(worker, size, service.url, '/api/v1/data/changes', `Authorization: Bearer ${key}\r\n`);
    const rate = replay({ limit: 500, readers: 1, parse: false }, true);
    const rates = [];
    for (let turn = 0; turn < 4; turn++) rates.push(await rate());
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

export const feedReplay: Load = {
  name: 'replay',
  title: 'feed replay over HTTP, pages of 500 and 100, against plain Fastify and pg',
  run,
};
