import { afterAll, beforeAll, expect, test } from 'vitest';
import { openClientPool } from '../../infra/postgresql/connection/client-pool.ts';
import { createSharedCounts } from '../../infra/postgresql/counters/counts.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

let database: TestDatabase;
let transactor: ReturnType<typeof openClientPool>;
beforeAll(async () => {
  database = await startTestDatabase();
  transactor = openClientPool({ dsn: database.url, purpose: 'test' }, 4);
});
afterAll(async () => {
  await transactor.close();
  await database.close();
});

const process = () => createSharedCounts(transactor, randomIdentifiers.next());
const rows = async () =>
  (
    await transactor.transaction((transaction) =>
      transaction.query<{ start: number }>({
        text: 'select window_start as start from civic.public_counts',
        values: [],
      }),
    )
  ).rows.map(({ start }) => start);

test('a process gets the counts of the others for its keys in that window, and not its own', async () => {
  const [one, two, three] = [process(), process(), process()];
  expect(
    await one.exchange(
      60_000,
      new Map([
        ['op a', 5],
        ['op b', 1],
      ]),
    ),
  ).toEqual(new Map());
  expect(await two.exchange(60_000, new Map([['op a', 7]]))).toEqual(new Map([['op a', 5]]));
  expect(await one.exchange(60_000, new Map([['op a', 6]]))).toEqual(new Map([['op a', 7]]));
  expect(
    await three.exchange(
      60_000,
      new Map([
        ['op a', 1],
        ['op b', 1],
        ["op 'c", 1],
      ]),
    ),
  ).toEqual(
    new Map([
      ['op a', 13],
      ['op b', 1],
    ]),
  );
  expect(await three.exchange(120_000, new Map([['op a', 1]]))).toEqual(new Map());
});

test('many processes that exchange the same names at once do not block each other', async () => {
  const names = Array.from({ length: 500 }, (_, number) => `op ${number}`);
  const responses = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const own = process();
      const order = index % 2 === 0 ? names : names.toReversed();
      await own.exchange(180_000, new Map(order.map((name) => [name, 1])));
      return own;
    }),
  );
  for (const own of responses) expect([...(await own.exchange(180_000, new Map([['op 7', 1]]))).values()]).toEqual([7]);
});

test('exactly the windows that started before a time are removed', async () => {
  const one = process();
  for (const window of [240_000, 300_000]) await one.exchange(window, new Map([['op', 1]]));
  await one.forget(300_000);
  expect(new Set(await rows())).toEqual(new Set([300_000]));
});
