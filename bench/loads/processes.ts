import { type Bench, count, type Load, type Row } from '../rig/bench.ts';
import { holdDatabase } from '../rig/database.ts';
import type { Generated } from '../rig/load-generator.ts';
import { median } from '../rig/measure.ts';
import { cpuSeconds, postgresqlProcesses, startWorker } from '../rig/processes.ts';
import { scoped } from '../rig/scoped.ts';
import { type Service, serve } from '../rig/service.ts';
import { unreadPaths } from '../rig/unread-paths.ts';

const [PROCESSES, READERS, LIMIT] = [3, 8, 500];

const processorSeconds = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);

/** Measures several API processes on one database, each with the same number of readers: total throughput and processor use. */
const run = (bench: Bench): Promise<readonly Row[]> =>
  scoped(async (use) => {
    const records = bench.sizes[1];
    const { dataDir, key } = await bench.datasets.of(records);
    const database = use(await holdDatabase(dataDir));
    const settings = { DATABASE_URL: database.url };
    const services: Service[] = [];
    for (let started = 0; started < PROCESSES; started++)
      services.push(use(await serve(dataDir, [], settings, ['--role', 'api'])));
    const workers = services.map(() => use(startWorker(new URL('../rig/load-generator.ts', import.meta.url))));
    const pages = Math.ceil(records / LIMIT);
    const paths = unreadPaths('/api/v1/data/changes', LIMIT, READERS);
    const headers = `Authorization: Bearer ${key}\r\n`;
    const measured = async (number: number) => {
      const rates = [];
      const [serving, storing] = [services.slice(0, number).map(({ pid }) => pid), () => postgresqlProcesses(dataDir)];
      let [service, postgresql, answered] = [0, 0, 0];
      for (let round = 0; round <= bench.rounds; round++) {
        const before = [processorSeconds(serving), processorSeconds(storing())] as const;
        const answers = await Promise.all(
          services.slice(0, number).map(({ url }, at) =>
            workers[at]!.ask<Generated>({
              kind: 'replay',
              url,
              path: paths(),
              headers,
              readers: READERS,
              parse: false,
              pages,
            }),
          ),
        );
        if (round === 0) continue;
        rates.push(answers.reduce((sum, { requests, seconds }) => sum + requests / seconds, 0));
        service += processorSeconds(serving) - before[0];
        postgresql += processorSeconds(storing()) - before[1];
        answered += answers.reduce((sum, { requests }) => sum + requests, 0);
      }
      const milliseconds = (seconds: number) => (seconds * 1000) / answered;
      return { rate: median(rates), service: milliseconds(service), postgresql: milliseconds(postgresql) };
    };
    const [one, all] = [await measured(1), await measured(PROCESSES)];
    return [
      {
        load: `feed page of ${LIMIT}, ${PROCESSES} API processes, ${READERS} readers each`,
        ours: `${count(all.rate)} pages/s; per page ${all.service.toFixed(2)} ms of API processes, ${all.postgresql.toFixed(2)} ms of PostgreSQL`,
        yardstick: `one process ${count(one.rate)} pages/s; ${one.service.toFixed(2)} ms, ${one.postgresql.toFixed(2)} ms`,
        figure: all.rate / one.rate,
        reach: '',
        reached: null,
        details: { one, all },
      },
    ];
  });

export const processes: Load = {
  name: 'processes',
  title: 'one and three API processes on one database, and the processor time of a page',
  run,
};
