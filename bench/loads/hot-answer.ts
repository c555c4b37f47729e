import { agendaSize, serveAgenda } from '../rig/agenda.ts';
import { type Bench, count, type Load, type Row, withoutTarget } from '../rig/bench.ts';
import type { Generated } from '../rig/load-generator.ts';
import { alternate, median } from '../rig/measure.ts';
import { cpuSeconds, startWorker, type Worker } from '../rig/processes.ts';
import { scoped } from '../rig/scoped.ts';
import { startYardstick } from '../rig/yardstick-program.ts';

const GENERATOR = new URL('../rig/load-generator.ts', import.meta.url);
const PATH = '/api/v1/public/agenda-hits';
const CONNECTIONS = 32;

/** Requests a second; notes in `busy` the share of a core that the server was at work for. */
const asker =
  (
    worker: Worker,
    requests: number,
    server: { readonly url: string; readonly pid: number },
    path: string,
    busy: number[],
  ) =>
  async (): Promise<number> => {
    const before = cpuSeconds(server.pid);
    const job = {
      kind: 'repeat',
      url: server.url,
      method: 'GET',
      path,
      headers: '',
      bodies: [],
      connections: CONNECTIONS,
      requests,
    };
    const { seconds } = await worker.ask<Generated>(job);
    busy.push((cpuSeconds(server.pid) - before) / seconds);
    return requests / seconds;
  };

const run = (bench: Bench): Promise<readonly Row[]> =>
  scoped(async (use) => {
    const service = use(await serveAgenda(await bench.datasets.hits(agendaSize(bench.size))));
    const body = await (await fetch(`${service.url}${PATH}`)).text();
    const plain = use(await startYardstick('prebuilt-string.ts', { BODY: body }));
    const worker = use(startWorker(GENERATOR));
    const requests = bench.size === 'full' ? 300_000 : 150_000;
    const busy = { ours: [] as number[], yardstick: [] as number[] };
    const { ours, yardstick, ratio, ratios } = await alternate(
      bench.rounds,
      asker(worker, requests, service, PATH, busy.ours),
      asker(worker, requests, plain, '/', busy.yardstick),
    );
    const shares = { ours: median(busy.ours), yardstick: median(busy.yardstick) };
    bench.say(
      `hot: ratios ${ratios.join(' ')}; cores at work ${shares.ours.toFixed(2)} against ${shares.yardstick.toFixed(2)}`,
    );
    return [
      {
        load: `hot public GET, ${count(Buffer.byteLength(body))} bytes, ${CONNECTIONS} readers`,
        ours: `${count(ours)} req/s`,
        yardstick: `prebuilt string ${count(yardstick)} req/s`,
        ...withoutTarget(ratio),
        details: { ratios, coresAtWork: shares, ratioOfWork: ratio * (shares.yardstick / shares.ours) },
      },
    ];
  });

export const hotAnswer: Load = {
  name: 'hot',
  title: 'a hot public answer against Fastify sending a prebuilt string of its size',
  run,
};
