import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { atLeast, type Bench, count, type Load, type Row } from '../rig/bench.ts';
import { growthExponent, median } from '../rig/measure.ts';
import { writeImportFile } from '../rig/records.ts';
import { civic, serve } from '../rig/service.ts';
import { scoped } from '../rig/scoped.ts';

/** Measured on two cores. */
const RECORDS_A_SECOND = 4_000;

interface Imported {
  readonly appended: number;
  readonly seconds: number;
}

/** Wall milliseconds from spawning the command to its end, by when everything is visible in the feed. */
async function importFile(dataDir: string, file: string, expected: number): Promise<number> {
  const { value, ms } = await civic(dataDir, ['records', 'import', file]);
  const { appended } = value as Imported;
  if (appended !== expected) throw new Error(`${appended} of ${expected} records were appended`);
  return ms;
}

type Mode = 'alone' | 'served';

/** Milliseconds of each round, with and without a running service. The first round of each warms up. */
const measure = (bench: Bench, records: number): Promise<Readonly<Record<Mode, readonly number[]>>> =>
  scoped(async (use) => {
    const [alone, served, work] = [bench.datasets.folder(), bench.datasets.folder(), bench.datasets.folder()];
    use(await serve(served));
    const times = { alone: [] as number[], served: [] as number[] };
    for (let round = 0; round <= bench.rounds; round++) {
      const file = join(work, 'records.ndjson');
      await writeImportFile(file, round * records, records);
      const ms = { alone: await importFile(alone, file, records), served: await importFile(served, file, records) };
      bench.say(`import: alone ${Math.round(ms.alone)} ms, with a service ${Math.round(ms.served)} ms`);
      if (round > 0) for (const mode of ['alone', 'served'] as const) times[mode].push(ms[mode]);
    }
    return times;
  });

async function growth(bench: Bench): Promise<number> {
  const points = [];
  for (const size of bench.sizes) {
    const file = join(bench.datasets.folder(), 'records.ndjson');
    await writeImportFile(file, 0, size);
    points.push({ size, cost: await importFile(bench.datasets.folder(), file, size) });
    rmSync(file);
  }
  return growthExponent(points);
}

async function run(bench: Bench): Promise<readonly Row[]> {
  const records = bench.size === 'full' ? 50_000 : 20_000;
  const times = await measure(bench, records);
  const row = (load: string, mode: Mode): Row => {
    const rate = Math.round((records / median(times[mode])) * 1000);
    return {
      load,
      ours: `${count(rate)} records/s`,
      yardstick: '',
      ...atLeast(rate, RECORDS_A_SECOND),
      details: { records, ms: times[mode].map(Math.round) },
    };
  };
  return [
    { ...row('bulk import, no service running', 'alone'), exponent: await growth(bench) },
    row('bulk import into a running service', 'served'),
  ];
}

export const bulkImport: Load = {
  name: 'import',
  title: 'civic records import, from spawn to visible in the feed',
  run,
};
