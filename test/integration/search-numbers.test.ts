import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Statement, Transactor } from '../../domain/ports/database.ts';
import { agendaSearch } from '../../projections/agenda-search/projection.ts';
import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import { at, openTestSearch, type TestSearch } from '../support/agenda-search.ts';
import { dumpTables, foldInto } from '../support/projection-spec.ts';

let search: TestSearch;

beforeAll(async () => {
  search = await openTestSearch();
});
afterAll(async () => search?.close());

/** Folds, and returns the texts of the statements. */
async function statementsOf(
  generation: number,
  batch: ReturnType<TestSearch['events']['place']>,
  turn: number,
): Promise<readonly string[]> {
  const { database } = search;
  const texts: string[] = [];
  const transaction: Transactor['transaction'] = (work, ...rest) =>
    database.transactor.transaction(
      (inner) => {
        const query = <Row>(statement: Statement) => {
          texts.push(statement.text);
          return inner.query<Row>(statement);
        };
        return work({ ...inner, query });
      },
      ...rest,
    );
  await foldInto({ transactor: { ...database.transactor, transaction } }, agendaSearch, generation, batch, turn);
  return texts;
}

test('a batch in turns writes the numbers of words and periods once, and the same rows as a batch in one', async () => {
  const { events } = search;
  const titles = ['Levy and rezoning', 'Rezoning of a street', 'Street lights', 'Levy', 'Street levy', 'Rezoning'];
  const first = [
    ...events.place('dallas'),
    events.meeting('m', 'dallas', at(0)),
    ...titles.map((title, index) => events.item(`i${index}`, 'm', { title })),
  ];
  const second = [
    events.item('i0', 'm', { title: 'Parks' }),
    events.withdraw('agenda_items', 'i2'),
    events.item('i5', 'm', { title: 'Rezoning of parks' }),
    events.item('i0', 'm', { title: 'Lights in parks' }),
  ];
  const dumps: (readonly string[])[] = [];
  for (const turn of [100, 2, 1]) {
    const generation = await search.scratch();
    const { words, periods } = AGENDA_SEARCH.at(generation);
    for (const batch of [first, second]) {
      const texts = await statementsOf(generation, batch, turn);
      const changing = (table: string) =>
        texts.filter((text) => new RegExp(String.raw`(update|into) ${table}\b`).test(text));
      expect({ turn, words: changing(words).length, periods: changing(periods).length }).toEqual({
        turn,
        words: 1,
        periods: 1,
      });
    }
    dumps.push(await dumpTables(search.database, agendaSearch, generation));
  }
  expect(dumps[0]).toContainEqual(expect.stringMatching(/^\(levy,levi,2\)$/));
  expect(dumps[1]).toEqual(dumps[0]);
  expect(dumps[2]).toEqual(dumps[0]);
});

test('many words are counted in several statements, so that none is compared with all others', async () => {
  const { events } = search;
  const generation = await search.scratch();
  const { words } = AGENDA_SEARCH.at(generation);
  const letters = (number: number): string =>
    number
      .toString(26)
      .padStart(5, '0')
      .replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!);
  const text = (from: number): string =>
    Array.from({ length: 6_000 }, (_, index) => `kl${letters(from + index)}`).join(' ');
  const items = [0, 6_000, 12_000, 12_000].map((from, index) =>
    events.item(`long${index}`, 'm', { title: 'Long', text: text(from) }),
  );
  const texts = await statementsOf(generation, [...events.place('far'), ...items], 2);
  expect(texts.filter((each) => each.includes(`update ${words}`))).toHaveLength(2);
  const { rows } = await search.execute<{ records: number; count: number }>({
    text: `select records, count(*) from ${words} where word like 'kl%' group by 1 order by 1`,
    values: [],
  });
  expect(rows.map(({ records, count }) => [records, count])).toEqual([
    [1, 12_000],
    [2, 6_000],
  ]);
});
