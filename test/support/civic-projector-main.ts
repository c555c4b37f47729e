import { openEventLog } from '../../infra/postgresql/log/event-log.ts';
import { createGenerationStore } from '../../infra/postgresql/read-models/generations.ts';
import { openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { startProjector } from '../../src/processors/projector/projector.ts';
import { ALL_PROJECTIONS } from './civic-projections.ts';
import { dumpTables, foldAtRandom, hashOf } from './projection-spec.ts';
import { randomFrom } from './civic-records.ts';

/**
 * A process that folds. `run`: until it is killed, and says when it has begun. `replay`: the whole log once, from zero,
 * into scratch tables, and says the hash of every projection's tables. Its warnings go to stderr.
 */
const [mode, url, number] = process.argv.slice(2) as [string, string, string];
// A process that may be frozen has a short transaction timeout; a replay locks no row that others need, and has none.
const idleInTransactionMs = mode === 'run' ? 200 : 60_000;
const database = await openDatabase({ dsn: url, statementTimeoutMs: 20_000, idleInTransactionMs });
const log = openEventLog({ dsn: url, statementTimeoutMs: 20_000 });
const say = (fields: object, message: string) => void process.stderr.write(`${message} ${JSON.stringify(fields)}\n`);
const logger = { debug: () => undefined, info: () => undefined, warn: say, error: say };
const dependencies = {
  log,
  transactor: database.transactor,
  generations: createGenerationStore(database.transactor),
  leaseClock: systemClock,
  logger,
  owner: `child-${process.pid}`,
  leaseMs: 400,
  keptMs: 3_600_000,
  batchSize: mode === 'run' ? Number(number) : 100,
};
if (mode === 'run') {
  startProjector(dependencies, ALL_PROJECTIONS);
  process.stdout.write('begun\n');
} else {
  const hashes: Record<string, string> = {};
  for (const projection of ALL_PROJECTIONS) {
    const generation = await foldAtRandom(dependencies, projection, randomFrom(Number(number)));
    hashes[projection.name] = hashOf(await dumpTables(dependencies, projection, generation));
  }
  process.stdout.write(`${JSON.stringify(hashes)}\n`);
  await log.close();
  await database.close();
}
