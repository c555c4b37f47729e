import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyKeyedRows, copyLines } from '../yardsticks/copy-rows.ts';
import { atLeast, type Bench, count, type Load, type Row } from '../rig/bench.ts';
import { holdDatabase } from '../rig/database.ts';
import { growthExponent, median } from '../rig/measure.ts';
import { agendaItemContent, uuidOf, writeImportFile } from '../rig/records.ts';
import { civic, serve } from '../rig/service.ts';
import { scoped } from '../rig/scoped.ts';

const REACH = 0.25;

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

function writeCopyFile(path: string, from: number, rows: number): void {
  const lines: string[] = [];
  for (let index = from; index < from + rows; index++) {
    const data = JSON.stringify(agendaItemContent(index)).replaceAll('\\', '\\\\');
    lines.push(`agenda_items\t${uuidOf('item', index)}\t${data}`);
  }
  writeFileSync(path, `${lines.join('\n')}\n`);
}

interface Times {
  readonly alone: number[];
  readonly served: number[];
  readonly lines: number[];
  readonly keyed: number[];
}

const compare = (bench: Bench, records: number): Promise<Times> =>
  scoped(async (use) => {
    const [alone, served, work] = [bench.datasets.folder(), bench.datasets.folder(), bench.datasets.folder()];
    const database = use(await holdDatabase(bench.datasets.folder()));
    use(await serve(served));
    const times: Times = { alone: [], served: [], lines: [], keyed: [] };
    for (let round = 0; round <= bench.rounds; round++) {
      const file = join(work, 'records.ndjson');
      const copyFile = join(work, 'records.copy');
      await writeImportFile(file, round * records, records);
      writeCopyFile(copyFile, round * records, records);
      const turn = {
        alone: await importFile(alone, file, records),
        lines: await copyLines(database.client, file),
        served: await importFile(served, file, records),
        keyed: await copyKeyedRows(database.client, copyFile),
      };
      bench.say(
        `import: alone ${Math.round(turn.alone)} ms, with a service ${Math.round(turn.served)} ms, COPY ${Math.round(turn.lines)} ms`,
      );
      if (round > 0) for (const name of ['alone', 'served', 'lines', 'keyed'] as const) times[name].push(turn[name]);
    }
    return times;
  });

async function run(bench: Bench): Promise<readonly Row[]> {
  const records = bench.size === 'full' ? 50_000 : 20_000;
  const times = await compare(bench, records);
  const points = [];
  for (const size of bench.sizes) {
    const file = join(bench.datasets.folder(), 'records.ndjson');
    await writeImportFile(file, 0, size);
    const cost = await importFile(bench.datasets.folder(), file, size);
    points.push({ size, cost });
    rmSync(file);
  }
  const rate = (ms: readonly number[]) => (records / median(ms)) * 1000;
  const row = (load: string, mode: 'alone' | 'served', extra: Partial<Row>): Row => ({
    load,
    ours: `${count(rate(times[mode]))} records/s`,
    yardstick: `COPY ${count(rate(times.lines))} rows/s`,
    ...atLeast(median(times[mode].map((ms, index) => times.lines[index]! / ms)), REACH),
    details: {
      records,
      ms: times[mode].map(Math.round),
      copyMs: times.lines.map(Math.round),
      ratioToCopyWithPrimaryKey: median(times[mode].map((ms, index) => times.keyed[index]! / ms)),
    },
    ...extra,
  });
  return [
    row('bulk import, no service running', 'alone', { exponent: growthExponent(points) }),
    row('bulk import into a running service', 'served', {}),
  ];
}

export const bulkImport: Load = {
  name: 'import',
  title: 'civic records import, from spawn to visible in the feed, against COPY of the file',
  run,
};
