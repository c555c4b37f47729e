import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReadDatabase } from '../../domain/ports/database.ts';
import { createTraffic } from '../../infra/postgresql/open-database.ts';
import { execute } from '../../infra/postgresql/pipelined-connection.ts';
import { createProcessorStore } from '../../infra/postgresql/processor-store.ts';
import { clientConfig } from '../../infra/postgresql/sessions.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { openTestCivic, untilTrue } from '../support/civic.ts';
import { upsert } from '../support/civic-records.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { untilReached } from '../support/until-reached.ts';

const RECORDS = 400;
const BATCH = 4;
const READS = 150;

let server: TestDatabase;

beforeAll(async () => {
  server = await startTestDatabase();
  const civic = await openTestCivic(server.url);
  await civic.writer.write(
    Array.from({ length: RECORDS }, (_, index) => upsert('topics', index, 1)),
    {},
  );
  civic.startProjector([recordHistory]);
  await civic.caughtUp(undefined, [recordHistory.name]);
  await civic.close();
});

afterAll(async () => {
  await server?.close();
});

/** What all clients have counted, once those before have ended: a backend that has ended has told all. */
async function usesSoFar(): Promise<number> {
  const client = new Client(clientConfig({ dsn: server.url, purpose: 'watch' }));
  await client.connect();
  const texts: ReadDatabase['texts'] = async (statement) => (await execute(client, statement)).rows;
  const others = `select count(*)::text from pg_stat_activity
    where datname = current_database() and application_name like 'civic-%' and application_name <> 'civic-watch'`;
  const open = async () => (await texts({ text: others, values: [] }))[0]![0];
  try {
    await untilTrue('the backends before have ended', async () => (await open()) === '0');
    return await createTraffic({ texts } as ReadDatabase).uses();
  } finally {
    await client.end();
  }
}

test('reads and handled events count as use of the database', async () => {
  const civic = await openTestCivic(server.url);
  try {
    const traffic = createTraffic(civic.database.read);
    const start = await traffic.uses();
    for (let nth = 0; nth < READS; nth++) await civic.changes({ limit: 1, maxResponseBytes: 1_000_000 });
    await untilReached('the reads are counted', start + READS, () => traffic.uses());
    const store = createProcessorStore(civic.database.transactor);
    const read = await traffic.uses();
    const { token } = (await store.acquireReactor('counted', 'test', 0, 1_000_000))!;
    for (let nth = 0; nth < READS; nth++) await store.renew({ name: 'counted', owner: 'test', token }, 1_000_000 + nth);
    const counted = async () => {
      // A backend that stays idle tells what it counted only after ten seconds.
      await store.listReactors();
      return traffic.uses();
    };
    await untilReached('the moves of a reactor are counted', read + READS, counted);
  } finally {
    await civic.close();
  }
});

test('a rebuild of a hundred batches and polls for a read model do not', async () => {
  const before = await usesSoFar();
  const civic = await openTestCivic(server.url, { batchSize: BATCH });
  civic.startProjector([recordHistory]);
  const { generation } = await civic.generations.create(recordHistory, 'building', Date.now());
  await untilTrue('the rebuilt generation serves', async () => (await civic.live(recordHistory.name)) === generation);
  const folded = (await civic.generations.list()).find((row) => row.generation === generation)!.folded;
  expect(folded / BATCH).toBeGreaterThanOrEqual(RECORDS / BATCH);
  for (let nth = 0; nth < READS; nth++) await civic.progress.reached(recordHistory.name, '9', 0);
  await civic.close();
  expect((await usesSoFar()) - before).toBeLessThan(50);
});
