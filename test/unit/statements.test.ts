import { expect, test } from 'vitest';
import { columnList, sql, verbatim } from '../../infra/postgresql/connection/statements.ts';

test('each value of a statement becomes a parameter, in the order of the text', () => {
  expect(sql`update t set a = ${1}, b = ${null} where c = any (${['x', 'y']}::text[])`).toEqual({
    text: 'update t set a = $1, b = $2 where c = any ($3::text[])',
    values: [1, null, ['x', 'y']],
  });
});

test('a statement within a statement gets the numbers that follow, at each place', () => {
  const isOwner = sql`owner = ${'me'} and token = ${7}`;
  expect(sql`update t set a = ${1} where ${isOwner} or not (${isOwner}) and b = ${2}`).toEqual({
    text: 'update t set a = $1 where owner = $2 and token = $3 or not (owner = $4 and token = $5) and b = $6',
    values: [1, 'me', 7, 'me', 7, 2],
  });
});

test('columns and text of the program are inserted without a parameter, and backslashes stay', () => {
  const row = columnList({ id: 't.id', total: 'count(*)' });
  expect(sql`select ${row} from ${verbatim('civic.t')} where a ~ '\\d'`).toEqual({
    text: String.raw`select t.id as "id", count(*) as "total" from civic.t where a ~ '\d'`,
    values: [],
  });
});
