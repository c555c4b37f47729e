import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTraffic, openDatabase } from '../../infra/postgresql/open-database.ts';
import { createProcessorStore } from '../../infra/postgresql/processor-store.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { openTestCivic, type TestCivic, untilTrue } from '../support/civic.ts';
import { upsert } from '../support/civic-records.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { untilReached } from '../support/until-reached.ts';

const RECORDS = 400;
const BATCH = 4;
const READS = 150;

let server: TestDatabase;
let civic: TestCivic;

beforeAll(async () => {
  server = await startTestDatabase();
  civic = await openTestCivic(server.url, { batchSize: BATCH });
  await civic.writer.write(
    Array.from({ length: RECORDS }, (_, index) => upsert('topics', index, 1)),
    {},
  );
});

afterAll(async () => {
  await server?.close();
});

test('reads and handled events count as use of the database, and a rebuild of hundreds of batches does not', async () => {
  civic.startProjector([recordHistory]);
  await civic.caughtUp(undefined, [recordHistory.name]);
  const traffic = createTraffic(civic.database.read);
  const start = await traffic.uses();
  for (let nth = 0; nth < READS; nth++) await civic.changes({ limit: 1, maxResponseBytes: 1_000_000 });
  await untilReached('the reads are counted', start + READS, () => traffic.uses());

  const store = createProcessorStore(civic.database.transactor);
  const read = await traffic.uses();
  const { token } = (await store.acquireReactor('counted', 'test', 0, 1_000_000))!;
  for (let nth = 0; nth < READS; nth++) await store.renew({ name: 'counted', owner: 'test', token }, 1_000_000 + nth);
  await untilReached('the moves of a reactor are counted', read + READS, () => traffic.uses());

  const { generation } = await civic.generations.create(recordHistory, 'building', Date.now());
  await untilTrue('the rebuilt generation serves', async () => (await civic.live(recordHistory.name)) === generation);
  const folded = (await civic.generations.list()).find((row) => row.generation === generation)!.folded;
  expect(folded / BATCH).toBeGreaterThan(90);
  // A backend that has ended has told all that it counted.
  await civic.close();
  const database = await openDatabase({ dsn: server.url, statementTimeoutMs: 60_000 });
  try {
    const folding = `select count(*)::text from pg_stat_activity where datname = current_database() and application_name like '%transactions'`;
    const open = async () => (await database.read.texts({ text: folding, values: [] }))[0]![0];
    await untilTrue('the backends of the rebuild have ended', async () => (await open()) === '0');
    expect(await createTraffic(database.read).uses()).toBeLessThan(read + 2 * READS + 40);
  } finally {
    await database.close();
  }
});
