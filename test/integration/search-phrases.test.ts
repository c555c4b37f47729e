import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { at, openTestSearch, type SearchArguments, type TestSearch } from '../support/agenda-search.ts';
import { TEST_TIME } from '../support/civic.ts';

let search: TestSearch;
let events: TestSearch['events'];

beforeAll(async () => {
  search = await openTestSearch();
  ({ events } = search);
});
afterAll(async () => search?.close());
beforeEach(async () => {
  await search.clear();
  search.clock.time = TEST_TIME;
  await search.fold([...events.place('dallas'), events.meeting('m', 'dallas', at(0)), events.meeting('next', 'dallas', at(7))]);
});

const item = (name: string, title: string, more: object = {}) => events.item(name, 'm', { title, agendaNumber: '1', ...more });
/** The names of the items in order: the first words of their titles. */
const found = async (query: string, more: Partial<SearchArguments> = {}): Promise<readonly string[]> =>
  (await search.search({ query, ...more })).results.map(({ title }) => title.split(' ')[0]!);

test('words side by side count more than the same words apart', async () => {
  await search.fold([
    item('apart', 'apart Center of data', { text: 'short' }),
    item('side', `side Lease of a data center in ${'a building of the city that is large '.repeat(4)}`),
  ]);
  expect(await found('data centers')).toEqual(['side', 'apart']);
});

test('an item of which the source gives a title and nothing else comes after all others', async () => {
  await search.fold([
    events.item('note', 'm', { title: 'note Levy levy' }),
    item('long', `long ${'Fee for a permit of the city '.repeat(9)} levy`),
  ]);
  expect(await found('levy')).toEqual(['long', 'note']);
  expect(await found('levy quarry')).toEqual(['long', 'note']);
});

test('where no item has all words, a place that is named keeps the items in it, and one word of a name is no place', async () => {
  await search.fold([
    ...events.place('plano'),
    ...events.place('fort-worth'),
    events.jurisdiction('fort-worth', { name: 'City of Fort Worth' }),
    events.meeting('p', 'plano', at(0)),
    events.meeting('f', 'fort-worth', at(0)),
    item('here', 'here Towers'),
    item('too', 'too Towers '.repeat(9)),
    events.item('there', 'p', { title: 'there Garden towers', agendaNumber: '1' }),
    events.item('west', 'f', { title: 'west Towers', agendaNumber: '1' }),
  ]);
  const asked = 'garden towers rooftop';
  expect(await found(`${asked} in Dallas`)).toEqual(['too', 'here']);
  expect(await found(`${asked} in Plano`)).toEqual(['there']);
  expect(await found(`${asked} city of Fort Worth`)).toEqual(['west']);
  expect(await found(`${asked} fort`)).toEqual(['there', 'west']);
  const query = `${asked} in Dallas`;
  expect(await search.all({ query, limit: 1 })).toEqual((await search.search({ query })).results.map(({ itemId }) => itemId));
  // In a place that has none of the other words, the words count alone.
  await search.fold([...events.place('denton'), events.meeting('d', 'denton', at(0)), events.item('far', 'd', { title: 'far' })]);
  expect(await found(`${asked} in Denton`)).toEqual(['there']);
});

test('of items of one matter file one is found, the latest of those that match best, and on one page only', async () => {
  await search.fold([
    ...events.place('plano'),
    events.meeting('other', 'plano', at(3)),
    item('first', 'first Levy', { matterFile: 'Z-1' }),
    events.item('second', 'next', { title: 'second Levy', matterFile: 'Z-1' }),
    events.item('plano', 'other', { title: 'plano Levy', matterFile: 'Z-1' }),
    events.item('third', 'next', { title: 'third', text: 'levy', matterFile: 'Z-1' }),
    item('none', 'none Levy'),
    item('nought', 'nought Levy'),
  ]);
  expect((await found('levy')).toSorted()).toEqual(['none', 'nought', 'plano', 'second']);
  expect(await search.all({ query: 'levy', limit: 1 })).toEqual(
    (await search.search({ query: 'levy' })).results.map(({ itemId }) => itemId),
  );
  await search.fold([item('first', 'first Levy', { matterFile: 'Z-2' })]);
  expect(await found('levy')).toContain('first');
});

test('a word of the field finds what it stands for', async () => {
  await search.fold([
    item('rental', 'rental Adding Chapter 42B, “Short-Term Rentals,” to the code'),
    item('waste', 'waste Solid waste fees'),
    item('king', 'king Paving of Martin Luther King Jr. Boulevard'),
    item('street', 'street Repair of 10th Street'),
    item('shop', 'shop Stop sign'),
  ]);
  for (const [query, name] of [
    ['Airbnb', 'rental'],
    ['trash', 'waste'],
    ['trash fees', 'waste'],
    ['MLK Blvd', 'king'],
    ['10th St', 'street'],
  ] as const)
    expect([query, await found(query)]).toEqual([query, [name]]);
  expect(await found('stop')).toEqual(['shop']);
});

test('the name of a matter is found where the title does not say it', async () => {
  await search.fold([item('bikes', 'bikes Int 19-2024', { matterName: 'Safety of batteries of powered bicycles' })]);
  for (const query of ['battery safety', 'e-bikes']) expect([query, await found(query)]).toEqual([query, ['bikes']]);
});

test('a case is found by its digits in any spelling, and a highway by its number', async () => {
  await search.fold([
    item('case', 'case Permit for a day care [Z245-177(AB)]'),
    item('near', 'near Permit Z245-178 and phone 214-245-1770'),
    item('file', 'file Lease', { matterFile: 'M&C 26-0243' }),
    item('road', 'road Bridge over Interstate Highway 35E'),
    item('note', 'note Items 34-35'),
  ]);
  for (const query of ['245-177', 'Z 245 177', 'Z245-177', 'z-245-177', '"Z245-177"'])
    expect([query, await found(query)]).toEqual([query, ['case']]);
  for (const query of ['26-243', 'M&C 26-0243', '26-0243']) expect([query, await found(query)]).toEqual([query, ['file']]);
  expect(await found('I-35')).toEqual(['road']);
  expect(await found('permit 245-178')).toEqual(['near']);
});

describe('a date', () => {
  beforeEach(async () => {
    await search.fold([
      events.meeting('past', 'dallas', '2024-11-13T01:00:00.000Z'),
      events.meeting('november', 'dallas', '2025-11-12T18:00:00.000Z'),
      events.meeting('december', 'dallas', '2025-12-10T18:00:00.000Z'),
      events.item('older', 'past', { title: 'older Levy', agendaNumber: '1' }),
      events.item('levy', 'november', { title: 'levy Fee', agendaNumber: '1' }),
      events.item('lease', 'november', { title: 'lease of land', agendaNumber: '2' }),
      events.item('minutes', 'december', { title: 'minutes of November 12, 2025', agendaNumber: '1' }),
    ]);
  });

  test('without other words finds what is on at that local day, the latest year first', async () => {
    for (const query of ['what is on 12 November?', 'November 12', '12 nov'])
      expect([query, await found(query)]).toEqual([query, [...(await found('November 12, 2025')), 'older']]);
    expect((await found('November 12, 2025')).toSorted()).toEqual(['lease', 'levy']);
    expect((await search.search({ query: 'November 11' })).results).toEqual([]);
  });

  test('with other words finds them on that day, or with the words of the date', async () => {
    expect(await found('levy on 12 November')).toEqual(['levy', 'older']);
    expect(await found('minutes 12 November 2025')).toEqual(['minutes']);
  });
});

test('a correction that may change the meaning is named and not searched', async () => {
  await search.fold([item('bus', 'bus Airbus helicopter'), item('gold', 'gold Golden street'), item('eat', 'eat Restaurant')]);
  for (const [query, near] of [
    ['Airbux', 'airbus'],
    ['Goldman', 'golden'],
  ] as const) {
    const { results, guidance } = await search.search({ query });
    const isSearched = query === 'Airbux';
    expect([query, results.length]).toEqual([query, isSearched ? 1 : 0]);
    const after = isSearched ? `; searched for "${near}" instead.` : `; "${near}", which is near, was not searched.`;
    expect(guidance).toContain(`No record has the word "${query.toLowerCase()}"${after}`);
  }
  expect(await found('resturant')).toEqual(['eat']);
  expect((await search.search({ query: 'Goldman street' })).guidance).toContain('"golden", which is near, was not searched');
});

test('curly quotation marks and apostrophes separate words as straight ones do', async () => {
  await search.fold([item('quoted', 'quoted Adopting “Noise” of the City’s code')]);
  for (const query of ['noise', '"noise of the city"', 'city’s noise', "city's noise"])
    expect([query, await found(query)]).toEqual([query, ['quoted']]);
});

test('tables of version 2 are searched as they are while version 3 is built', async () => {
  await search.fold([
    item('one', 'one Levy 245-177', { matterFile: 'Z-1' }),
    events.item('two', 'next', { title: 'two Levy', matterFile: 'Z-1' }),
  ]);
  const { generation } = search;
  await search.execute({ text: `alter table civic.agenda_search_entries_g${generation} rename column matter to absent`, values: [] });
  try {
    expect((await found('levy')).toSorted()).toEqual(['one', 'two']);
    expect(await search.all({ query: 'levy', limit: 1 })).toHaveLength(2);
    expect(await found('245-177')).toEqual(['one']);
  } finally {
    await search.execute({ text: `alter table civic.agenda_search_entries_g${generation} rename column absent to matter`, values: [] });
  }
  expect(await found('levy')).toHaveLength(1);
});
