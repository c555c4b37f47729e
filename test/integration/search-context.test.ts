import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dayOfDate } from '../../domain/local-day.ts';
import { type SearchContext, searchContext } from '../../queries/search/search-context.ts';
import { searchQuery } from '../../queries/search/search-query.ts';
import { at, itemIds, meetingWithItems, openTestSearch, type TestSearch } from '../support/agenda-search.ts';

let search: TestSearch;

beforeAll(async () => {
  search = await openTestSearch();
  const { events, fold } = search;
  await fold([
    ...events.place('dallas'),
    events.topic('zoning'),
    ...meetingWithItems(events, 'm', 'dallas', at(0), ['one Orchard levy', 'two Orchard']),
  ]);
  await search.execute({ text: `insert into civic.agenda_search_periods_g${search.generation} values (1, 1000000)`, values: [] });
});
afterAll(async () => search?.close());

type Limits = Partial<Parameters<typeof searchContext>[2]>;
const PLAIN = { jurisdictionSlug: null, topicSlug: null, fromDay: null, toDay: null, after: null, limit: 10, scale: 0 };

async function contextOf(query: string, limits: Limits = {}): Promise<SearchContext> {
  const rows = await search.reads.texts(() => searchContext(search.generation, searchQuery(query, 2026), { ...PLAIN, ...limits }));
  return JSON.parse(rows[0]![0]!) as SearchContext;
}

/** How many records have a word, whatever the records are. */
const count = (word: string, records: number) =>
  search.execute({
    text: `insert into civic.agenda_search_words_g${search.generation} (word, stem, records) values ($1, $1, $2)
      on conflict (word) do update set records = excluded.records`,
    values: [word, records],
  });

describe('the query that the database makes of the parts', () => {
  test('of nothing but dates wants the meetings of the day, not the words of the date', async () => {
    const day = ` d${dayOfDate('2025-11-12')}`;
    expect((await contextOf('on 2025-11-12')).query).toBe(`( '${day}' )`);
    const { query } = await contextOf('zoning 2025-11-12');
    expect(query).toContain(`( 'zone' ) & ( ( `);
    expect(query).toContain(`) | ( '${day}' ) )`);
  });

  test('has the operators that were typed, and then no parts that an item may lack', async () => {
    expect(await contextOf('orchard -levy or "elm street"')).toMatchObject({
      query: "( 'orchard' ) & !( 'levi' ) | ( 'elm' <-> 'street' )",
      units: [],
      pairs: [],
    });
    expect((await contextOf('orchard levy')).units).toEqual(["'orchard'", "'levi'"]);
    expect(await contextOf('the of')).toMatchObject({ query: '', anyWord: '', units: [], page: null });
  });

  test('can be reduced to any of its words, without marks', async () => {
    expect((await contextOf('"elm street" I-35 245-177 trash')).anyWord.split(' | ').toSorted()).toEqual(
      expect.arrayContaining(["'elm'", "'street'", "'trash'"]),
    );
    expect((await contextOf('elm-street')).anyWord).toBe("'elm' | 'elm-street' | 'street'");
    expect((await contextOf('I-35')).anyWord).toBe('');
  });

  test('looks for words side by side, not across a word that is not searched, an operator or the eighth pair', async () => {
    expect((await contextOf('orchard levy elm')).pairs).toEqual(["( 'orchard' ) <-> ( 'levi' )", "( 'levi' ) <-> ( 'elm' )"]);
    expect((await contextOf('orchard the levy')).pairs).toEqual([]);
    expect((await contextOf('orchard -levy elm')).pairs).toEqual([]);
    expect((await contextOf('orchard trash')).pairs).toEqual([]);
    const many = Array.from({ length: 12 }, (_, index) => `w${'abcdefghijkl'[index]}x`).join(' ');
    expect((await contextOf(many)).pairs).toHaveLength(8);
  });
});

describe('the page of few matches', () => {
  const idsOf = ({ page }: SearchContext) => page?.rows.map(([id]) => id!);

  test('is read with the context where few records have the rarest word, or few are likely to have all words', async () => {
    const isRead = async (query: string) => (await contextOf(query)).page !== null;
    for (const [records, expected] of [
      [3000, true],
      [3001, false],
    ] as const) {
      await count('orchard', records);
      expect([records, await isRead('orchard')]).toEqual([records, expected]);
    }
    await count('levi', 1000);
    expect(await isRead('orchard levy')).toBe(true);
    await count('orchard', 50_000);
    await count('levi', 50_000);
    expect(await isRead('orchard levy')).toBe(true);
    await count('levi', 100_000);
    expect(await isRead('orchard levy')).toBe(false);
    await count('orchard', 50_001);
    expect(await isRead('orchard levy')).toBe(false);
    await count('orchard', 2);
    await count('levi', 1);
  });

  test('has no error for many words of which chance would leave none, or for words of more records than entries', async () => {
    const ligatures = Array.from({ length: 26 }, (_, index) => `ﬃ${String.fromCharCode(97 + index)}`);
    const kana = Array.from({ length: 26 }, (_, index) => String.fromCharCode(0x3300 + index));
    const entries = (number: number) =>
      search.execute({
        text: `update civic.agenda_search_periods_g${search.generation} set entries = $1 where period = 1`,
        values: [number],
      });
    await entries(1_000_000_000_000);
    const { likely, page } = await contextOf([...kana, ...ligatures].join(' '));
    expect([likely! < 1, page?.rows]).toEqual([true, []]);
    await entries(1);
    await count('orchard', 1_000_000_000);
    expect((await contextOf('orchard')).likely).toBe(3);
    await entries(1_000_000);
    await count('orchard', 2);
  });

  test('is not read for a word of a name, which many items have, an operator, an unknown filter or a search that went on leniently', async () => {
    expect((await contextOf('dallas')).page).toBeNull();
    expect((await contextOf('orchard -levy')).page).toBeNull();
    expect(await contextOf('orchard', { jurisdictionSlug: 'nowhere' })).toMatchObject({ page: null, bodies: null });
    expect(await contextOf('orchard', { topicSlug: 'nothing' })).toMatchObject({ page: null, topic: null });
    const after = { leniency: 1, rank: 1, startsAt: 1, itemId: itemIds('one')[0]! };
    expect((await contextOf('orchard', { after })).page).toBeNull();
  });

  test('keeps to the filters and the days, and goes on after a place', async () => {
    const day = Math.floor(Date.parse(at(0)) / 86_400_000);
    expect(idsOf(await contextOf('orchard', { jurisdictionSlug: 'dallas' }))?.toSorted()).toEqual(itemIds('one', 'two').toSorted());
    expect(idsOf(await contextOf('orchard', { topicSlug: 'zoning' }))).toEqual([]);
    expect(idsOf(await contextOf('orchard', { fromDay: day + 1 }))).toEqual([]);
    expect(idsOf(await contextOf('orchard', { toDay: day - 2 }))).toEqual([]);
    const first = await contextOf('orchard', { limit: 1 });
    expect(first.page).toMatchObject({ hasMore: true, limitReached: false });
    const [itemId, rank, startsAt] = first.page!.rows[0]!;
    const after = { leniency: 0, rank: Number(rank), startsAt: Number(startsAt), itemId: itemId! };
    const next = await contextOf('orchard', { limit: 1, after });
    expect(next.page).toMatchObject({ hasMore: false });
    expect([itemId!, ...idsOf(next)!].toSorted()).toEqual(itemIds('one', 'two').toSorted());
  });
});

test('the statement is planned again when the number of entries has another order of magnitude', async () => {
  for (let times = 0; times < 2; times++) await search.search({ query: 'orchard' });
  const names = search.sent.flatMap(({ name }) => (name?.startsWith('search') ? [name] : []));
  expect(names.slice(-2)).toEqual(['_s0_', '_s10_'].map((scale) => expect.stringContaining(scale)));
});

test('entries of version 2 of the read model, which have no marks of days, are said to have none', async () => {
  expect((await contextOf('orchard')).isDated).toBe(true);
  await search.execute({ text: `alter table civic.agenda_search_entries_g${search.generation} drop column matter`, values: [] });
  expect(await contextOf('orchard')).toMatchObject({ isDated: false, page: { rows: [expect.any(Array), expect.any(Array)] } });
});
