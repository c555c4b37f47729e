import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

/** The log is append-only, also for the owner of the tables, except for the rewriting of an erasure in the same transaction. */
let database: TestDatabase;
let client: Client;
let revision = -1;
let nth = 0;
let stream: string;
let id: string;

beforeAll(async () => {
  database = await startTestDatabase();
  client = new Client(database.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.close();
});
beforeEach(async () => {
  stream = `topics-${(nth += 1)}`;
  id = randomUUID();
  await client.query(
    `select civic.append_one($1, -1, $2, 'RecordPublished', 1, '{"a":"Jané Roe 𝔘 x","b":{"c/d":"Jané"},"n":1}', '{"commandId":"c"}', 5)`,
    [stream, id],
  );
});

const erasureOf = (texts: readonly object[], ofEvent = id) =>
  JSON.stringify({
    reason: 'other',
    by: 'a',
    replacements: ['[x]', 'y'],
    streams: [{ stream, events: [{ id: ofEvent, revision: 0, texts }] }],
  });
const WHOLE_A = [{ path: ['a'], keep: [0, 0], with: 0 }];
const NAME_GONE = [
  { path: ['a'], keep: [0, 4, 2], with: 0 },
  { path: ['b', 'c/d'], keep: [0, 0], with: 1 },
];

const append = (erasure: string) => ({
  text: `select civic.append_one('erasures-civic', $1, gen_random_uuid(), 'ContentErased', 1, $2, '{}', 6)`,
  values: [revision, erasure],
});
const rewrite = (
  erasure: string,
  data: string,
  metadata = `{"commandId":"c","erasures":${revision + 2}}`,
  expected = revision,
) => ({
  text: `select actual, start from civic.append_erasure('erasures-civic', $1, gen_random_uuid(), 'ContentErased', 1, $2, '{}', 6,
    array[$3], array[0::bigint], array[$4::json], array[$5::json])`,
  values: [expected, erasure, stream, data, metadata],
});
async function inTransaction(...statements: (string | { text: string; values?: unknown[] })[]): Promise<void> {
  await client.query('begin');
  try {
    for (const statement of statements) await client.query(statement);
    await client.query('commit');
    revision += 1;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
const data = async (): Promise<string> =>
  (await client.query<{ data: string }>(`select data::text as data from civic.events where stream = $1`, [stream]))
    .rows[0]!.data;

const REFUSED = { code: '42501' };
const CUT = '{"a":"[x] Roe[x] x","b":{"c/d":"y"},"n":1}';

describe('the function that rewrites', () => {
  test('writes the text of the erasure byte for byte and leaves the other columns unchanged', async () => {
    const before = (
      await client.query(
        `select position, revision, id, type, schema_version, time from civic.events where stream = $1`,
        [stream],
      )
    ).rows;
    const erasure = erasureOf([
      { path: ['a'], keep: [0, 8], with: 0 },
      { path: ['b', 'c/d'], keep: [0, 0], with: 1 },
    ]);
    await client.query(rewrite(erasure, '{"a":"[x] Roe 𝔘 x", "b":{"c/d":"y"},"n":1}'));
    revision += 1;
    expect(await data()).toBe('{"a":"[x] Roe 𝔘 x", "b":{"c/d":"y"},"n":1}');
    expect(
      (
        await client.query(
          `select position, revision, id, type, schema_version, time from civic.events where stream = $1`,
          [stream],
        )
      ).rows,
    ).toEqual(before);
  });

  test.each([
    ['another text in a gap', () => rewrite(erasureOf(WHOLE_A), '{"a":"[z]","b":{"c/d":"Jané"},"n":1}')],
    [
      'a change of text that the erasure does not name',
      () => rewrite(erasureOf(WHOLE_A), '{"a":"[x]","b":{"c/d":"Jane"},"n":1}'),
    ],
    ['a change of a number', () => rewrite(erasureOf(WHOLE_A), '{"a":"[x]","b":{"c/d":"Jané"},"n":2}')],
    ['the unchanged text', () => rewrite(erasureOf(WHOLE_A), '{"a":"Jané Roe 𝔘 x","b":{"c/d":"Jané"},"n":1}')],
    [
      'other metadata',
      () => rewrite(erasureOf(WHOLE_A), '{"a":"[x]","b":{"c/d":"Jané"},"n":1}', '{"commandId":"d","erasures":1}'),
    ],
    [
      'an event that the erasure does not name',
      () => rewrite(erasureOf(WHOLE_A, randomUUID()), '{"a":"[x]","b":{"c/d":"Jané"},"n":1}'),
    ],
    [
      'a place without a text',
      () =>
        rewrite(
          erasureOf([{ path: ['n'], keep: [0, 0], with: 0 }]),
          '{"a":"Jané Roe 𝔘 x","b":{"c/d":"Jané"},"n":"[x]"}',
        ),
    ],
  ])('writes nothing, and appends nothing, for %s', async (_, statement) => {
    const before = await data();
    await expect(client.query(statement())).rejects.toMatchObject(REFUSED);
    expect(await data()).toBe(before);
    expect((await client.query(`select from civic.events where stream = 'erasures-civic'`)).rowCount).toBe(
      revision + 1,
    );
  });

  test('answers a conflict and rewrites nothing where another erasure was stored first', async () => {
    const before = await data();
    const { rows } = await client.query(
      rewrite(erasureOf(WHOLE_A), '{"a":"[x]","b":{"c/d":"Jané"},"n":1}', undefined, revision + 7),
    );
    expect(rows).toEqual([{ actual: String(revision), start: '-1' }]);
    expect(await data()).toBe(before);
  });
});

describe('an update by hand', () => {
  const byHand = (to: string, set = `data = '${to}', metadata = metadata::jsonb || '{"erasures":${revision + 2}}'`) =>
    `update civic.events set ${set} where stream = '${stream}'`;

  test('is refused without an erasure, and with one of an earlier transaction', async () => {
    await expect(client.query(byHand('{"a":"[x]","b":{"c/d":"Jané"},"n":1}'))).rejects.toMatchObject(REFUSED);
    await inTransaction(append(erasureOf(WHOLE_A)));
    await expect(
      client.query(`update civic.events set data = '{"a":"[x]","b":{"c/d":"Jané"},"n":1}',
        metadata = '{"commandId":"c","erasures":${revision + 1}}' where stream = '${stream}'`),
    ).rejects.toMatchObject(REFUSED);
  });

  test('beside an erasure is refused for every column except data and metadata', async () => {
    const right = `data = '{"a":"[x]","b":{"c/d":"Jané"},"n":1}', metadata = '{"commandId":"c","erasures":${revision + 2}}'`;
    for (const other of [
      `type = 'Other'`,
      `time = 7`,
      `revision = 9`,
      `position = position + 1000`,
      `schema_version = 2`,
      `stream = 'topics-0'`,
      `id = gen_random_uuid()`,
    ]) {
      await expect(inTransaction(append(erasureOf(WHOLE_A)), byHand('', `${right}, ${other}`))).rejects.toMatchObject(
        REFUSED,
      );
    }
    await expect(inTransaction(append(erasureOf(WHOLE_A)), 'delete from civic.events')).rejects.toMatchObject(REFUSED);
    await expect(inTransaction(append(erasureOf(WHOLE_A)), 'truncate civic.events')).rejects.toMatchObject(REFUSED);
    await expect(
      inTransaction(append(erasureOf(WHOLE_A)), `update civic.events set data = '{}' where false`),
    ).rejects.toMatchObject(REFUSED);
  });

  test('that equals the erasure of its transaction is accepted', async () => {
    await inTransaction(append(erasureOf(WHOLE_A)), byHand('{"a":"[x]","b":{"c/d":"Jané"},"n":1}'));
    expect(await data()).toBe('{"a":"[x]","b":{"c/d":"Jané"},"n":1}');
  });

  test('with gaps of zero length, or of lengths that do not add up, is refused', async () => {
    await expect(client.query(rewrite(erasureOf(NAME_GONE), CUT))).rejects.toMatchObject(REFUSED);
    const nothing = erasureOf([{ path: ['a'], keep: [12, 0], with: 0 }]);
    await expect(
      client.query(rewrite(nothing, '{"a":"Jané Roe 𝔘 x[x]","b":{"c/d":"Jané"},"n":1}')),
    ).rejects.toMatchObject(REFUSED);
  });
});
