import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { columnArrays } from '../../infra/postgresql/column-arrays.ts';
import { type Database, openDatabase } from '../../infra/postgresql/open-database.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

let home: TestDatabase;
let database: Database;
beforeAll(async () => {
  home = await startTestDatabase();
  database = await openDatabase({ dsn: home.url, statementTimeoutMs: 10_000 });
});
afterAll(async () => {
  await database.close();
  await home.close();
});

/** The values that the server read, in the order in which they were sent. */
async function received(type: string, column: Buffer, shown = 'v::text'): Promise<(string | null)[]> {
  const text = `select ${shown} from unnest($1::${type}[]) with ordinality u(v, n) order by n`;
  return (await database.read.texts({ text, values: [column] })).map(([value]) => value!);
}

/** Well-formed text of any script without U+0000, which PostgreSQL cannot store. */
const anyText = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '').toWellFormed());
const withNulls = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<(Value | null)[]> =>
  fc.array(fc.option(value, { freq: 4 }), { maxLength: 50 });

describe('a column sent as a binary array', () => {
  test('of texts is read unchanged, for any script, quotes, length and nulls', async () => {
    await fc.assert(
      fc.asyncProperty(withNulls(anyText), async (values) => {
        expect(await received('text', columnArrays.texts(values))).toEqual(values);
      }),
    );
    const hard = ['', 'NULL', '{a,"b"}', "it's", 'back\\slash', 'line\nfeed', '𝄞 ß ﷽', 'x'.repeat(1_000_000)];
    expect(await received('text', columnArrays.texts(hard))).toEqual(hard);
  });

  test('of whole numbers arrives unchanged, as numbers and as bigints', async () => {
    await fc.assert(
      fc.asyncProperty(withNulls(fc.oneof(fc.maxSafeInteger(), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n))), async (values) => {
        expect(await received('bigint', columnArrays.bigints(values))).toEqual(
          values.map((value) => (value === null ? null : String(value))),
        );
      }),
    );
    expect(() => columnArrays.bigints([1.5])).toThrow(RangeError);
    expect(() => columnArrays.bigints([2 ** 53])).toThrow(RangeError);
  });

  test('of uuids arrives unchanged, and an invalid uuid is refused', async () => {
    await fc.assert(
      fc.asyncProperty(withNulls(fc.uuid()), async (values) => {
        expect(await received('uuid', columnArrays.uuids(values))).toEqual(values);
      }),
    );
    const id = '6a1c9c5e-0d6f-5d6b-9d51-3f7c2b1f8e1A';
    expect(await received('uuid', columnArrays.uuids([id]))).toEqual([id.toLowerCase()]);
    const wrong = Array.from(id).flatMap((_, at) => ['g', '\u0130', '-', '0'].map((digit) => id.slice(0, at) + digit + id.slice(at + 1)));
    const invalid = wrong.filter((text) => !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text));
    for (const text of ['not-a-uuid', '', `${id}0`, ...invalid]) expect(() => columnArrays.uuids([text])).toThrow(RangeError);
  });

  test('of booleans and of bytes arrives unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean()), withNulls(fc.uint8Array()), async (booleans, bytes) => {
        expect(await received('boolean', columnArrays.booleans(booleans))).toEqual(booleans.map(String));
        const hex = bytes.map((each) => (each === null ? null : Buffer.from(each).toString('hex')));
        expect(await received('bytea', columnArrays.bytes(bytes), `encode(v, 'hex')`)).toEqual(hex);
      }),
    );
  });

  test('of json keeps the exact text', async () => {
    const values = ['{"b":1, "a" : 1.0e5}', '"\\u0041"', '[12345678901234567890123]', 'null'];
    expect(await received('json', columnArrays.jsons(values))).toEqual(values);
  });
});
