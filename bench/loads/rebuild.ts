import { readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { atLeast, type Bench, count, type Load, type Row } from '../rig/bench.ts';
import { holdDatabase } from '../rig/database.ts';
import type { Dataset } from '../rig/datasets.ts';
import { alternate, growthExponent, median } from '../rig/measure.ts';
import { civic } from '../rig/service.ts';
import { scoped } from '../rig/scoped.ts';

const STATEMENT = readFileSync(new URL('../yardsticks/fold-record-history.sql', import.meta.url), 'utf8');

interface Rebuilt {
  readonly generation: number;
  readonly folded: number;
  readonly seconds: number;
}

/** Seconds as the command reports them: from the request to the switched generation, without the start of the process. */
const rebuild = async (dataDir: string): Promise<Rebuilt> =>
  ((await civic(dataDir, ['projections', 'rebuild', 'record_history'])).value as readonly Rebuilt[])[0]!;

const COLUMNS = 'position, resource, record_id, version, removed, changed_at, superseded_at, digest, envelope, body';

/** Seconds of the one statement, and that it wrote what the projection holds. */
async function foldByStatement(client: Client, live: string): Promise<number> {
  await client.query('drop table if exists yardstick_history');
  await client.query(`create table yardstick_history (like ${live} including indexes)`);
  const started = performance.now();
  await client.query(STATEMENT);
  const seconds = (performance.now() - started) / 1000;
  const differs = `(select ${COLUMNS} from yardstick_history except select ${COLUMNS} from ${live})`;
  const { rows } = await client.query<{ n: string }>(
    `select (select count(*) from ${differs} d) + abs((select count(*) from yardstick_history) - (select count(*) from ${live})) as n`,
  );
  if (rows[0]!.n !== '0') throw new Error(`the yardstick's fold differs from the projection in ${rows[0]!.n} rows`);
  await client.query('drop table yardstick_history');
  return seconds;
}

const compare = (bench: Bench, { dataDir, records }: Dataset) =>
  scoped(async (use) => {
    const database = use(await holdDatabase(dataDir));
    let live = '';
    return await alternate(
      bench.rounds,
      async () => {
        const { generation, folded, seconds } = await rebuild(dataDir);
        live = RECORD_HISTORY.at(generation).history;
        bench.say(`rebuild of ${records}: ${seconds} s`);
        return folded / seconds;
      },
      async () => {
        const seconds = await foldByStatement(database.client, live);
        bench.say(`one statement: ${seconds.toFixed(3)} s`);
        return records / seconds;
      },
    );
  });

const secondsAt = (bench: Bench, size: number): Promise<number> =>
  scoped(async (use) => {
    const { dataDir } = await bench.datasets.of(size);
    use(await holdDatabase(dataDir));
    const seconds = [];
    for (let turn = 0; turn < 3; turn++) seconds.push((await rebuild(dataDir)).seconds);
    return median(seconds);
  });

async function run(bench: Bench): Promise<readonly Row[]> {
  const largest = await bench.datasets.of(bench.sizes[2]);
  const { ours, yardstick, ratio, ratios } = await compare(bench, largest);
  const points = [{ size: largest.records, cost: largest.records / ours }];
  for (const size of bench.sizes.slice(0, 2)) points.push({ size, cost: await secondsAt(bench, size) });
  return [
    {
      load: `rebuild of the record history, ${count(largest.records)} events`,
      ours: `${count(ours)} events/s`,
      yardstick: `one statement ${count(yardstick)} events/s`,
      ...atLeast(ratio, 0.5),
      exponent: growthExponent(points),
      details: { ratios, points },
    },
  ];
}

export const rebuildHistory: Load = {
  name: 'rebuild',
  title: 'rebuild of the record history against one SQL statement doing the same fold',
  run,
};
