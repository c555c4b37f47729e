import { Client, types } from 'pg';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openClientPool } from '../../infra/postgresql/connection/client-pool.ts';
import { type Database, openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { openStatementPool } from '../../infra/postgresql/connection/statement-pool.ts';
import { openTypedReads } from '../../infra/postgresql/connection/typed-reads.ts';
import { DatabaseUnavailable, DeadlineExceeded } from '../../domain/ports/database.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { STALL_MS } from '../support/until-reached.ts';

let home: TestDatabase;
let database: Database;
/** A database with short deadlines; those of the others do not pass on a busy machine. */
let brief: Database;
let admin: Client;
const parserBefore = types.getTypeParser(types.builtins.INT8);
beforeAll(async () => {
  home = await startTestDatabase();
  admin = new Client(home.url);
  await admin.connect();
  await admin.query('create table t (n bigint primary key); create table parent (id int primary key)');
  database = await openDatabase({ dsn: home.url, statementTimeoutMs: STALL_MS });
  brief = await openDatabase({ dsn: home.url, statementTimeoutMs: 300, foldTimeoutMs: 400, idleInTransactionMs: 200 });
});
afterAll(async () => {
  await Promise.all([database.close(), brief.close()]);
  await admin.end();
  await home.close();
});

const rowsOf = async (text: string, name?: string, { read } = database) =>
  await read.rows<Record<string, unknown>>({ text, values: [], ...(name === undefined ? {} : { name }) });
async function disconnect(purpose: string): Promise<number> {
  const end = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()`;
  return (await admin.query(end, [`civic-${purpose}`])).rowCount ?? 0;
}

const pidsOf = async (purpose: string): Promise<unknown[]> =>
  (
    await admin.query(
      'select pid from pg_stat_activity where application_name = $1 and datname = current_database() order by 1',
      [`civic-${purpose}`],
    )
  ).rows;

describe('hot reads', () => {
  test('return rows with named columns and do not change the global parsers of pg', async () => {
    const text = `select 1::bigint as a, 2.50::numeric as b, null as c, '{"a":1}'::json as d, true as e, array[1,2] as f`;
    expect(await rowsOf(text)).toEqual([{ a: 1, b: '2.50', c: null, d: { a: 1 }, e: true, f: [1, 2] }]);
    expect(types.getTypeParser(types.builtins.INT8)).toBe(parserBefore);
  });

  test('return to each of many concurrent statements its own rows, also beside failing ones', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 300 }, async (_, n) =>
        n % 7 === 0
          ? await rowsOf('select 1 / 0')
          : await database.read.rows({
              name: `echo_${n % 3}`,
              text: `select $1::text || '${n % 3}' as echo`,
              values: [String(n)],
            }),
      ),
    );
    for (const [n, answer] of answers.entries()) {
      if (n % 7 === 0) expect(answer).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
      else expect(answer).toEqual({ status: 'fulfilled', value: [{ echo: `${n}${n % 3}` }] });
    }
  });

  test('end at their deadline, and the connection remains usable', async () => {
    const before = await pidsOf('hot-reads');
    await expect(rowsOf('select pg_sleep(600)', undefined, brief)).rejects.toBeInstanceOf(DeadlineExceeded);
    await expect.poll(() => rowsOf('select 1 as n', undefined, brief).catch(() => 'not in time')).toEqual([{ n: 1 }]);
    expect(await pidsOf('hot-reads')).toEqual(expect.arrayContaining(before));
  });

  test('fail as unavailable when the connection is lost, and later ones reconnect', async () => {
    const pending = [rowsOf('select pg_sleep(600)'), rowsOf('select pg_sleep(600)')].map(
      async (each) => await each.catch((error: unknown) => error),
    );
    await expect.poll(async () => await disconnect('hot-reads')).toBeGreaterThan(0);
    for (const outcome of await Promise.all(pending)) expect(outcome).toBeInstanceOf(DatabaseUnavailable);
    await expect.poll(() => rowsOf('select 2 as n', 'again').catch(() => 'not yet')).toEqual([{ n: 2 }]);
    expect(await rowsOf('select 2 as n', 'again')).toEqual([{ n: 2 }]);
  });

  test('run in sessions with the settings of this program: UTC, one process each, read committed', async () => {
    const settings = await rowsOf(
      `select current_setting('timezone') as timezone, current_setting('max_parallel_workers_per_gather') as workers, current_setting('jit') as jit`,
    );
    expect(settings).toEqual([{ timezone: 'UTC', workers: '0', jit: 'off' }]);
    expect(
      await rowsOf(
        `select current_setting('application_name') as name, current_setting('transaction_isolation') as isolation`,
      ),
    ).toEqual([{ name: 'civic-hot-reads', isolation: 'read committed' }]);
  });
});

test('a session that has not prepared a named statement runs it, as behind a pooler', async () => {
  const pool = openStatementPool({ dsn: home.url, purpose: 'pooled', statementTimeoutMs: STALL_MS }, 1);
  const named = { name: 'pooled', text: 'select $1::int as n', values: [1] };
  const forget = { text: 'deallocate all', values: [] };
  const answers = [await pool.query(named), await pool.query(forget), await pool.query(named), await pool.query(named)];
  await pool.close();
  expect(answers.map(({ rows }) => rows)).toEqual([[{ n: 1 }], [], [{ n: 1 }], [{ n: 1 }]]);
});

describe('typed reads', () => {
  const numbers = sql.type(z.object({ n: z.number().int() }));

  test('return validated rows with 64-bit numbers as numbers', async () => {
    expect(await database.read.many(numbers`select 9007199254740991::bigint as n`)).toEqual([{ n: 9007199254740991 }]);
    expect(await database.read.many(numbers`select 1 as n where false`)).toEqual([]);
  });

  test('refuse a row that does not match its schema', async () => {
    await expect(database.read.many(numbers`select 'x' as n`)).rejects.toThrow(/schema/i);
  });

  test('end at their deadline, and work again after a lost connection', async () => {
    await expect(brief.read.many(numbers`select 1 as n from pg_sleep(600)`)).rejects.toBeInstanceOf(DeadlineExceeded);
    await disconnect('reads');
    await expect
      .poll(async () => await brief.read.many(numbers`select 3 as n`).catch(() => 'not yet'))
      .toEqual([{ n: 3 }]);
  });
});

describe('a transaction', () => {
  const insert = (n: number) => ({ name: 'insert_t', text: 'insert into t values ($1)', values: [n] });
  const count = async () => (await admin.query<{ n: string }>('select count(*) as n from t')).rows[0]!.n;

  test('commits when its work resolves and rolls back when it throws', async () => {
    const before = Number(await count());
    const result = await database.transactor.transaction(
      async (transaction) => (await transaction.query(insert(1))).count,
    );
    expect([result, Number(await count())]).toEqual([1, before + 1]);
    const failing = database.transactor.transaction(async (transaction) => {
      await transaction.query(insert(2));
      throw new Error('on second thought');
    });
    await expect(failing).rejects.toThrow('on second thought');
    expect(Number(await count())).toBe(before + 1);
  });

  test('keeps the code of an error that is a defect', async () => {
    const twice = database.transactor.transaction(async (transaction) => {
      await transaction.query(insert(10));
      await transaction.query(insert(10));
    });
    await expect(twice).rejects.toMatchObject({ code: '23505' });
  });

  test('that is idle loses its row locks before a lease would end', async () => {
    const idle = brief.transactor.transaction(async (transaction) => {
      await transaction.query(insert(20));
      await expect
        .poll(
          async () =>
            (
              await admin.query(
                `select from pg_stat_activity
                  where datname = current_database() and application_name = 'civic-transactions' and state = 'idle in transaction'`,
              )
            ).rowCount,
        )
        .toBe(0);
      await transaction.query(insert(21));
    });
    await expect(idle).rejects.toBeInstanceOf(DatabaseUnavailable);
    expect((await admin.query('select from t where n in (20, 21)')).rowCount).toBe(0);
  });

  test('that is lost in the middle fails as unavailable, and the next one works', async () => {
    const broken = database.transactor.transaction(async (transaction) => {
      await transaction.query(insert(30));
      await disconnect('transactions');
      await transaction.query(insert(31));
    });
    await expect(broken).rejects.toBeInstanceOf(DatabaseUnavailable);
    await database.transactor.transaction(async (transaction) => await transaction.query(insert(32)));
    expect((await admin.query('select from t where n between 30 and 39')).rowCount).toBe(1);
  });
});

test('a timeout while waiting for a free connection is reported as such, not as a lost database', async () => {
  const one = openClientPool({ dsn: home.url, purpose: 'one' }, 1);
  const { promise, resolve: finish } = Promise.withResolvers<void>();
  const holding = one.transaction(async () => await promise);
  const waiting = await one.transaction(async () => undefined).catch((error: unknown) => error);
  finish();
  await holding;
  await one.close();
  expect(waiting).toBeInstanceOf(DatabaseUnavailable);
  expect((waiting as Error).message).toBe('no connection to the database was free in time: every one was in use');
});

test('typed reads that wait for a connection until their deadline are late, and the database is not called lost', async () => {
  const one = await openTypedReads({ dsn: home.url, purpose: 'one', statementTimeoutMs: 200 }, 1);
  const slow = sql.type(z.object({ n: z.number() }))`select 1 as n from pg_sleep(600)`;
  const waiting = await Promise.allSettled(Array.from({ length: 12 }, () => one.many(slow)));
  expect(one.use().waiting).toBeGreaterThan(0);
  await one.close();
  for (const each of waiting) expect(each).toMatchObject({ reason: expect.any(DeadlineExceeded) as unknown });
});

test('a database that cannot be reached is reported as unavailable', async () => {
  await expect(openDatabase({ dsn: 'postgres://x@127.0.0.1:1/civic', statementTimeoutMs: 100 })).rejects.toBeInstanceOf(
    DatabaseUnavailable,
  );
});
