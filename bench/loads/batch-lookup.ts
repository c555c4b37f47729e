import { atLeast, type Bench, bound, count, type Load, type Row } from '../rig/bench.ts';
import type { Generated } from '../rig/load-generator.ts';
import { alternate, type Compared, growthExponent, median } from '../rig/measure.ts';
import { startLeastAnswers, startPlainFeed } from '../rig/plain-feed.ts';
import { startWorker, type Worker } from '../rig/processes.ts';
import { uuidOf } from '../rig/records.ts';
import { serve } from '../rig/service.ts';
import { scoped } from '../rig/scoped.ts';

const GENERATOR = new URL('../rig/load-generator.ts', import.meta.url);
const IDS = 100;
const CONNECTIONS = 8;
/** A turn: so many that what is measured is compiled code. */
const REQUESTS = 2_000;

/** Bodies that ask for ids spread over all records. */
const bodies = (records: number): readonly string[] =>
  Array.from({ length: 50 }, (_, body) => {
    const ids = Array.from({ length: IDS }, (_, id) => uuidOf('item', (body * 7919 + id * 104_729) % records));
    return JSON.stringify({ requests: [{ resource: 'agenda_items', ids: [...new Set(ids)] }] });
  });

/** Records a second. */
const asker =
  (worker: Worker, records: number, url: string, path: string, headers: string) => async (): Promise<number> => {
    const job = {
      kind: 'repeat',
      url,
      method: 'POST',
      path,
      headers,
      bodies: bodies(records),
      connections: CONNECTIONS,
      requests: REQUESTS,
    };
    const { seconds } = await worker.ask<Generated>(job);
    return (REQUESTS * IDS) / seconds;
  };

interface AtSize {
  readonly compared: { readonly program: Compared; readonly least: Compared } | undefined;
  /** Seconds a record of ours alone. */
  readonly cost: number;
}

const measure = (bench: Bench, size: number): Promise<AtSize> =>
  scoped(async (use) => {
    const { dataDir, key } = await bench.datasets.of(size);
    const service = use(await serve(dataDir));
    const worker = use(startWorker(GENERATOR));
    const batchOf = ({ url }: { readonly url: string }) =>
      asker(worker, size, url, '/api/v1/data/batch', `Authorization: Bearer ${key}\r\n`);
    const ours = batchOf(service);
    const rates = [await ours(), await ours(), await ours(), await ours()];
    const cost = 1 / median(rates.slice(1));
    if (size !== bench.sizes[1]) return { compared: undefined, cost };
    const plain = use(await startPlainFeed(dataDir));
    const least = use(await startLeastAnswers(dataDir));
    const yardstick = asker(worker, size, plain.url, '/batch', '');
    const program = await alternate(bench.rounds, ours, yardstick);
    return { compared: { program, least: await alternate(bench.rounds, batchOf(least), yardstick) }, cost };
  });

async function run(bench: Bench): Promise<readonly Row[]> {
  const points = [];
  let compared: AtSize['compared'];
  for (const size of bench.sizes) {
    const at = await measure(bench, size);
    compared ??= at.compared;
    points.push({ size, cost: at.cost });
  }
  const { program, least } = compared!;
  const { ours, yardstick, ratio, ratios } = program;
  return [
    {
      load: `batch of ${IDS} ids, ${count(bench.sizes[1])} records, ${CONNECTIONS} readers`,
      ours: `${count(ours)} records/s`,
      yardstick: `plain ${count(yardstick)} records/s`,
      ...atLeast(ratio, 0.8),
      exponent: growthExponent(points),
      details: { ratios, points },
    },
    bound(`batch of ${IDS} ids, ${count(bench.sizes[1])} records`, 'records/s', least),
  ];
}

export const batchLookup: Load = {
  name: 'batch',
  title: 'batch of 100 ids against a plain Fastify and pg lookup',
  run,
};
