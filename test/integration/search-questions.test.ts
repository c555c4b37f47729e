import { beforeEach, describe, expect, test } from 'vitest';
import { withFacts } from '../../domain/agenda/item-facts.ts';
import { cursorText } from '../../domain/cursor.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import { agendaId } from '../support/agenda-events.ts';
import { at, itemIds, useTestSearch } from '../support/agenda-search.ts';

const search = await useTestSearch();
const { events } = search;

const item = (name: string, meeting: string, title: string, more: object = {}) =>
  events.item(name, meeting, withFacts({ title: `${name} ${title}`, text: null, agendaNumber: '1', ...more }));

/** The first words of the titles that were found, in order. */
const titlesFor = async (query: string, more: object = {}): Promise<readonly string[]> =>
  (await search.search({ query, ...more })).results.map(({ title }) => title.split(' ')[0]!);
const guidanceOf = async (query: string): Promise<string> => (await search.search({ query })).guidance;

/** The test's time is Thursday, January 1, 2026. */
beforeEach(async () => {
  search.clock.time = Date.parse(at(0));
  await search.fold([
    events.jurisdiction('big-elm', { name: 'City of Big Elm' }),
    events.body('big-elm', { name: 'City Council' }),
    events.body('big-elm-plan', {
      jurisdictionId: agendaId('jurisdictions', 'big-elm'),
      slug: 'plan',
      name: 'Planning and Zoning Commission',
    }),
    events.jurisdiction('rice', { name: 'Rice' }),
    events.body('rice', { name: 'City Council' }),
    events.meeting('last', 'big-elm', at(-3)),
    events.meeting('next', 'big-elm', at(6)),
    events.meeting('plan', 'big-elm-plan', at(6)),
    events.meeting('rice', 'rice', at(6)),
  ]);
});

describe('a question', () => {
  test('about a council and next week finds what is on there', async () => {
    await search.fold([
      item('old', 'last', 'Data center on Elm Street'),
      item('plan', 'plan', 'Data center on Elm Street'),
      item('apart', 'next', 'Real-time crime center and data integration'),
      item('good', 'next', `Zoning ${'of a large piece of land '.repeat(5)} for a data center`),
      item('rice', 'rice', 'Data center of a company in Big Elm'),
    ]);
    const query = 'what will Big Elm council decide about data centers next week?';
    expect(await titlesFor(query)).toEqual(['good', 'apart']);
    const guidance = await guidanceOf(query);
    expect(guidance).toContain('"next week" as meetings from January 5, 2026 to January 11, 2026');
    expect(guidance).toContain('"Big Elm council" as the City Council of City of Big Elm');
    expect(await titlesFor('data centers at the Big Elm planning and zoning commission')).toEqual(['plan']);
    expect((await titlesFor('data centers at the Big Elm library board')).toSorted()).not.toEqual([]);
  });

  test('without other words finds everything of those days', async () => {
    await search.fold([item('old', 'last', 'Levy'), item('new', 'next', 'Levy'), item('rice', 'rice', 'Fee')]);
    expect((await titlesFor("what's on the agenda next week?")).toSorted()).toEqual(['new', 'rice']);
    expect(await titlesFor('Big Elm council next week')).toEqual(['new']);
    expect((await titlesFor('Big Elm council')).toSorted()).toEqual(['new', 'old']);
  });

  test('whose filters leave nothing says so, and that other items match', async () => {
    await search.fold([item('old', 'last', 'Levy')]);
    expect(await titlesFor('levy next month')).toEqual([]);
    const guidance = await guidanceOf('levy next month');
    expect(guidance).toContain('"next month" as meetings from February 1, 2026 to February 28, 2026');
    expect(guidance).toContain('No agenda item matches within these filters. Items outside them match');
    expect(await guidanceOf('quarry next month')).not.toContain('Items outside them match');
  });

  test('keeps the days of its first page, and those of its arguments', async () => {
    await search.fold(['a', 'b', 'c'].map((name) => item(name, 'next', 'Levy')));
    const query = 'levy next week';
    const first = await search.search({ query, limit: 1 });
    search.clock.time += 7 * DAY_MS;
    const rest = await search.search({ query, cursor: first.nextCursor! });
    expect([...first.results, ...rest.results].map(({ itemId }) => itemId).toSorted()).toEqual(
      itemIds('a', 'b', 'c').toSorted(),
    );
    expect(await titlesFor(query)).toEqual([]);
    search.clock.time -= 7 * DAY_MS;
    expect(await titlesFor(query, { fromDate: '2026-01-08' })).toEqual([]);
    expect(await titlesFor(query, { toDate: '2026-01-07' })).toHaveLength(3);
  });

  test('counts its days in the zone of the region', async () => {
    search.clock.time = Date.parse('2026-01-05T04:00:00.000Z');
    await search.fold([item('a', 'next', 'Levy')]);
    expect(await guidanceOf('levy today')).toContain('meetings on January 4, 2026');
  });

  test('with a cursor of an earlier version continues after the item of the cursor', async () => {
    await search.fold(['a', 'b', 'c'].map((name) => item(name, 'next', 'Levy')));
    const all = (await search.search({ query: 'levy' })).results.map(({ itemId }) => itemId);
    const { nextCursor } = await search.search({ query: 'levy', limit: 1 });
    const payload = Buffer.from(nextCursor!, 'base64url').subarray(2, -8);
    // The rank of another scale.
    payload.writeInt32BE(1, 17);
    const cursor = cursorText('search', payload);
    const { results } = await search.search({ query: 'levy', cursor });
    expect(results.map(({ itemId }) => itemId)).toEqual(all.slice(1));
    await search.fold([events.withdraw('agenda_items', 'a'), item('a', 'next', 'Fee')]);
    expect((await search.search({ query: 'levy', cursor })).results.length).toBeGreaterThan(0);
  });
});

describe('a place in a query', () => {
  test('comes first, and items that have its name follow', async () => {
    await search.fold([
      item('there', 'rice', 'Big Elm levy levy levy'),
      item('here', 'next', `Levy ${'of a large building and its land '.repeat(5)}`),
      item('street', 'rice', 'Levy on Elm and Big Street'),
    ]);
    expect(await titlesFor('levy in Big Elm')).toEqual(['here', 'there', 'street']);
    expect(await guidanceOf('levy in Big Elm')).toContain('Read "Big Elm" as a place');
    expect(await search.all({ query: 'levy in Big Elm', limit: 1 })).toEqual(itemIds('here', 'there', 'street'));
    expect(await titlesFor('levy in Big Elm, TX')).toEqual(['here', 'there', 'street']);
  });

  test('that has no such item is named', async () => {
    await search.fold([item('there', 'rice', 'Fee for a road to Big Elm')]);
    expect(await titlesFor('fee in Big Elm')).toEqual(['there']);
    expect(await guidanceOf('fee in Big Elm')).toContain('No item of this place matches');
    expect(await guidanceOf('fee in Rice')).not.toContain('No item of this place matches');
  });

  test('is a word where it names a company or a street', async () => {
    await search.fold([item('company', 'next', 'Levy on Rice Construction'), item('town', 'rice', 'Levy')]);
    expect((await titlesFor('levy Rice construction')).slice(0, 1)).toEqual(['company']);
    expect(await titlesFor('"Rice Construction"')).toEqual(['company']);
    expect(await guidanceOf('levy on Rice Street')).not.toContain('as a place');
    expect(await titlesFor('levy', { jurisdictionSlug: 'rice' })).toEqual(['town']);
    expect(await guidanceOf('levy "Rice"')).not.toContain('as a place');
  });
});

describe('a fact in a query', () => {
  test('an amount leaves items whose amount is in the range', async () => {
    await search.fold([
      item('small', 'next', 'Contract with Acme in an amount not to exceed $250,000'),
      item('large', 'next', 'Contract with Bolt in an amount not to exceed $1,200,000'),
      item('huge', 'next', 'Contract with Crane', { text: 'In an amount not to exceed $35,000,000.00.' }),
      item('none', 'next', 'Contract with Dune'),
    ]);
    expect((await titlesFor('contracts above $1 million')).toSorted()).toEqual(['huge', 'large']);
    expect(await titlesFor('contracts under $1 million')).toEqual(['small']);
    expect(await titlesFor('contracts between $1 million and $2 million')).toEqual(['large']);
    expect(await titlesFor('contracts over $99 million')).toEqual([]);
    expect(await guidanceOf('contracts over $99 million')).toContain('Items outside them match');
    expect(await guidanceOf('contracts "above $1 million"')).not.toContain('Filters were read');
  });

  test('an outcome and a district come first, and items that have the words follow', async () => {
    await search.fold([
      item('word', 'next', 'Denied denied levy'),
      item('denied', 'next', `Levy ${'of a large building '.repeat(5)}`, { outcome: 'denied' }),
      item('other', 'next', 'Levy', { outcome: 'approved' }),
      item('llc', 'next', 'Fee of District 10 LLC'),
      item('ten', 'next', `Fee ${'of a large building '.repeat(5)} in Council Districts 8 and 10`),
      item('nine', 'next', 'Fee in Council District 9'),
    ]);
    expect(await titlesFor('denied levy')).toEqual(['denied', 'word']);
    expect(await titlesFor('which levies were rejected?')).toEqual(['denied']);
    expect(await guidanceOf('denied levy')).toContain('"denied" as an outcome');
    expect(await titlesFor('fee in district 10')).toEqual(['ten', 'llc']);
    expect(await titlesFor('fee of "District 10 LLC"')).toEqual(['llc']);
  });

  test('a month of a year comes first as the time of meetings, and reports about it follow', async () => {
    await search.fold([
      item('report', 'rice', 'Levy report of December 2025, December 2025'),
      item('then', 'last', `Levy ${'of a large building '.repeat(5)}`),
    ]);
    expect(await titlesFor('levy December 2025')).toEqual(['then', 'report']);
    expect(await titlesFor('levy in December 2025')).toEqual(['then']);
    expect(await titlesFor('December 2025')).toEqual(['then']);
  });

  test('an amount is not read from tables of version 8', async () => {
    await search.fold([item('small', 'next', 'Contract in an amount not to exceed $250,000')]);
    const { entries } = AGENDA_SEARCH.at(search.generation);
    const rename = (from: string, to: string) =>
      search.execute({ text: `alter table ${entries} rename column ${from} to ${to}`, values: [] });
    await rename('amount', 'absent');
    await rename('forms', 'missing');
    try {
      expect(await titlesFor('contract above $1 million')).toEqual(['small']);
      expect(await guidanceOf('contract above $1 million')).not.toContain('as amounts');
    } finally {
      await rename('absent', 'amount');
      await rename('missing', 'forms');
    }
  });
});
