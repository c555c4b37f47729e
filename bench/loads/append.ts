import { migrate } from '../../infra/postgresql/connection/schema-state.ts';
import type { Appended, AppendJob } from '../rig/append-jobs.ts';
import { atLeast, type Bench, count, type Load, type Row } from '../rig/bench.ts';
import { holdDatabase } from '../rig/database.ts';
import { alternate, growthExponent, median } from '../rig/measure.ts';
import { peerProgram } from '../rig/peers.ts';
import { startWorker, type Worker } from '../rig/processes.ts';
import { scoped } from '../rig/scoped.ts';

const program = (path: string): URL => new URL(`../${path}`, import.meta.url);

type Shape = Pick<AppendJob, 'callers' | 'batch'>;

let turns = 0;
const appender = (bench: Bench, dsn: string, worker: Worker, shape: Shape) => async (): Promise<number> => {
  const seconds = bench.size === 'full' ? 3 : 1.5;
  return (await worker.ask<Appended>({ dsn, seconds, turn: `${process.pid}_${++turns}`, ...shape })).eventsPerSecond;
};

const run = (bench: Bench): Promise<readonly Row[]> =>
  scoped(async (use) => {
    const database = use(await holdDatabase(bench.datasets.folder()));
    await migrate(database.url);
    const ours = use(startWorker(program('rig/append-ours.ts')));
    const rows: Row[] = [];
    const against = (rival: Worker, shape: Shape) =>
      alternate(bench.rounds, appender(bench, database.url, ours, shape), appender(bench, database.url, rival, shape));

    const single = { callers: 100, batch: 1 };
    const rivals = [
      { name: 'a transaction an event', path: program('yardsticks/naive-append.ts'), hasTarget: false },
      { name: 'emmett 0.42.0', path: peerProgram('emmett', 'append.mjs', bench.say), hasTarget: true },
    ];
    for (const { name, path, hasTarget } of rivals) {
      const rival = use(startWorker(path));
      const { ours: rate, yardstick, ratio, ratios } = await against(rival, single);
      rows.push({
        load: 'append of single events, 100 concurrent',
        ours: `${count(rate)} events/s`,
        yardstick: `${name} ${count(yardstick)} events/s`,
        ...(hasTarget ? atLeast(ratio, 8) : { figure: ratio, reach: '(8 of emmett)', reached: null }),
        details: { ratios },
      });
    }
    const points = [];
    for (const callers of [1, 10, 100]) {
      const rates = [];
      for (let turn = 0; turn < 3; turn++)
        rates.push(await appender(bench, database.url, ours, { callers, batch: 1 })());
      points.push({ size: callers, cost: callers / median(rates) });
    }
    rows[0] = {
      ...rows[0]!,
      exponent: growthExponent(points),
      details: { ...rows[0]!.details, latencyByCallers: points },
    };

    const copier = use(startWorker(program('yardsticks/copy-events.ts')));
    const batches = { callers: 4, batch: 500 };
    const { ours: rate, yardstick, ratio, ratios } = await against(copier, batches);
    rows.push({
      load: 'append in batches of 500 streams, 4 callers',
      ours: `${count(rate)} events/s`,
      yardstick: `COPY ${count(yardstick)} rows/s`,
      ...atLeast(ratio, 0.7),
      details: { ratios },
    });
    return rows;
  });

export const append: Load = {
  name: 'append',
  title: 'durable appends against a transaction an event, emmett, and COPY',
  run,
};
