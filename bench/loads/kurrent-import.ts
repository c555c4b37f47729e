import { join } from 'node:path';
import type { Appended } from '../rig/append-jobs.ts';
import { atLeast, count, type Load } from '../rig/bench.ts';
import { median } from '../rig/measure.ts';
import { startWorker } from '../rig/processes.ts';
import { writeImportFile } from '../rig/records.ts';
import { scoped } from '../rig/scoped.ts';
import { civic } from '../rig/service.ts';
import { startProgram } from '../rig/yardstick-program.ts';

/** The same number as the import with the log in PostgreSQL, because the start of the command takes a second. */
const RECORDS = 20_000;
const CALLERS = 256;
/** Lowest share of the rate of the client alone. */
const REACH = 0.5;

/** Uses the server of `EVENTSTORE_URL`, which must be empty, or the test peer, which stores in memory. */
export const kurrentImport: Load = {
  name: 'kurrent-import',
  title: 'civic records import with the log on KurrentDB, against the client alone',
  run: (bench) =>
    scoped(async (use) => {
      const server = process.env['EVENTSTORE_URL'];
      const peer =
        server === undefined
          ? use(await startProgram(new URL('../rig/kurrent-peer-main.ts', import.meta.url), {}))
          : undefined;
      const dsn = server ?? `${peer!.url.replace('http', 'esdb')}?tls=false`;
      const client = use(startWorker(new URL('../yardsticks/kurrent-append.ts', import.meta.url)));
      const dataDir = bench.datasets.folder();
      let turn = 0;
      const importRecords = async (): Promise<number> => {
        const file = join(bench.datasets.folder(), 'records.ndjson');
        await writeImportFile(file, RECORDS * turn++, RECORDS);
        const { value } = await civic(dataDir, ['records', 'import', file], [], { EVENTSTORE_URL: dsn });
        const { appended, seconds } = value as { readonly appended: number; readonly seconds: number };
        if (appended !== RECORDS) throw new Error(`${appended} of ${RECORDS} records were appended`);
        return appended / seconds;
      };
      const raw = async (): Promise<number> => {
        turn += 1;
        const job = { dsn, callers: CALLERS, batch: 1, seconds: 2, turn: `${process.pid}_${turn}` };
        return (await client.ask<Appended>(job)).eventsPerSecond;
      };
      // First all imports: the program refuses a log with events of another program.
      const rates: number[] = [];
      for (let round = 0; round <= bench.rounds; round++) rates.push(await importRecords());
      const raws: number[] = [];
      for (let round = 0; round <= bench.rounds; round++) raws.push(await raw());
      const [imported, appended] = [median(rates.slice(1)), median(raws.slice(1))];
      return [
        {
          load: `bulk import, log on ${server === undefined ? 'the KurrentDB peer of the tests' : 'KurrentDB'}`,
          ours: `${count(imported)} records/s`,
          yardstick: `its client alone ${count(appended)} appends/s`,
          ...atLeast(imported / appended, REACH),
          details: { rates, raws },
        },
      ];
    }),
};
