import { beforeEach, describe, expect, test } from 'vitest';
import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import { createGetAgendaItem } from '../../queries/agenda/get-agenda-item.ts';
import { createListTopics } from '../../queries/coverage/list-public-source-statuses.ts';
import { at, meetingWithItems, type SearchArguments, useTestSearch } from '../support/agenda-search.ts';

const search = await useTestSearch();
const { events } = search;

const meeting = (name: string, body: string, startsAt: string, titles: readonly string[]) =>
  meetingWithItems(events, name, body, startsAt, titles);

describe('section headings', () => {
  const titlesOf = async (query: string) => (await search.search({ query })).results.map(({ title }) => title);

  test('are no rows of a search, and change with the data of the source', async () => {
    const headings = ['CONSENT AGENDA', 'Department of Consent', 'Consent items', 'CONSENT FISCALLY SOUND'];
    await search.fold([...events.place('dallas'), ...meeting('m', 'dallas', at(0), [])]);
    await search.fold(headings.map((title, row) => events.item(`h${row}`, 'm', { title })));
    expect(await titlesOf('consent')).toEqual([]);
    expect((await search.item('h0'))?.title).toBe('CONSENT AGENDA');
    await search.fold([events.item('h0', 'm', { title: 'CONSENT AGENDA', text: 'Items 1 to 9.' })]);
    expect(await titlesOf('consent')).toEqual(['CONSENT AGENDA']);
    await search.fold([events.item('h0', 'm', { title: 'CONSENT AGENDA' })]);
    expect(await titlesOf('consent')).toEqual([]);
  });

  test('and steps of a meeting are those that have the kind, whatever their titles', async () => {
    await search.fold([
      ...events.place('dallas'),
      ...meeting('m', 'dallas', at(0), []),
      events.item('i', 'm', { title: 'CONSENT AGENDA', kind: 'item' }),
      events.item('h', 'm', { title: 'Lease with consent', kind: 'heading' }),
      events.item('p', 'm', { title: 'Consent minutes', matterFile: '26-1', kind: 'procedural' }),
    ]);
    expect(await titlesOf('consent')).toEqual(['CONSENT AGENDA']);
    expect([await search.item('i'), await search.item('h'), await search.item('p')].map((item) => item?.kind)).toEqual([
      'item',
      'heading',
      'procedural',
    ]);
  });

  test.each([
    { title: 'CONSENT AGENDA', text: 'Items 1 to 9.' },
    { title: 'CONSENT AGENDA', agendaNumber: '3' },
    { title: 'CONSENT AGENDA', matterFile: '24-1' },
    { title: 'CONSENT AGENDA', matterType: 'ORDINANCE' },
    { title: 'CONSENT AGENDA', actionText: 'Approved' },
    { title: 'CONSENT AGENDA', outcome: 'approved' as const },
    { title: 'REZONE 100 CONSENT STREET' },
    { title: 'Consent of the parks department' },
    { title: 'Consent to a contract for janitorial services' },
  ])('are distinguished from an item %j', async (content) => {
    await search.fold([
      ...events.place('dallas'),
      ...meeting('m', 'dallas', at(0), []),
      events.item('i', 'm', content),
    ]);
    expect(await titlesOf('consent')).toEqual([content.title]);
  });
});

describe('words that a slash joins', () => {
  beforeEach(() =>
    search.fold([
      ...events.place('dallas'),
      ...meeting('m', 'dallas', at(0), [
        'one Tower/antenna for cellular communication',
        'two South Dallas/Fair Park trust',
        'three Antenna on a tower',
      ]),
    ]),
  );

  test('are found one by one, together and in a phrase, in title and text', async () => {
    const text = `${'Whereas the council met. '.repeat(40)}Repair of damage/catastrophic failure of pumps.${' It was so ordered.'.repeat(40)}`;
    await search.fold([events.item('four', 'm', { title: 'four Pumps', text })]);
    const firstWordsOf = async (query: string) =>
      (await search.search({ query })).results.map(({ title }) => title.split(' ')[0]!).toSorted();
    expect(await firstWordsOf('antenna')).toEqual(['one', 'three']);
    expect(await firstWordsOf('tower/antenna')).toEqual(['one']);
    expect(await firstWordsOf('"Fair Park"')).toEqual(['two']);
    expect(await firstWordsOf('"dallas/fair park"')).toEqual(['two']);
    expect(await firstWordsOf('catastrophic')).toEqual(['four']);
    const [row] = (await search.search({ query: 'catastrophic' })).results;
    expect(row!.excerpt).toContain('damage/catastrophic failure');
  });

  test('do not take a closing tag for words, in the index and in the excerpt', async () => {
    const text = `${'<p>Whereas the council met.</p> '.repeat(20)}<b>Marigold</b> avenue<br/>paving <li>alpha</li><li>beta</li>`;
    await search.fold([events.item('four', 'm', { title: 'four Paving', text })]);
    const { results } = await search.search({ query: '"marigold avenue"' });
    expect(results.map(({ title }) => title)).toEqual(['four Paving']);
    expect(results[0]!.excerpt).not.toContain('<');
    expect((await search.search({ query: '"alpha beta"' })).results).toHaveLength(1);
  });

  test.each(['2031–2032', '2031-2032', 'police–fire', 'police-fire', 'Z245‑999', 'z245-999', 'Z 245 999'])(
    'with a dash are found as with a hyphen: %s',
    async (query) => {
      await search.fold(
        meeting('n', 'dallas', at(1), [
          'five Budget of 2031–2032 for police–fire pensions, case Z245–999',
          'six Police budget',
        ]),
      );
      expect((await search.search({ query })).results.map(({ title }) => title.slice(0, 4))).toEqual(['five']);
    },
  );
});

describe('a row', () => {
  test('has the local day, time zone and status of its meeting, and file number and outcome of its item', async () => {
    await search.fold([
      ...events.place('dallas'),
      events.meeting('m', 'dallas', '2026-03-02T00:30:00.000Z', { status: 'held' }),
      events.item('i', 'm', { title: 'Levy', matterFile: '24-1', outcome: 'denied' }),
      events.item('j', 'm', { title: 'Levee' }),
    ]);
    const [row] = (await search.search({ query: 'levy' })).results;
    expect(row).toMatchObject({
      meetingAt: '2026-03-02T00:30:00.000Z',
      meetingDate: '2026-03-01',
      timezone: 'America/Chicago',
      status: 'held',
      matterFile: '24-1',
      outcome: 'denied',
    });
    const [bare] = (await search.search({ query: 'levee' })).results;
    expect([bare?.status, Object.hasOwn(bare!, 'matterFile'), Object.hasOwn(bare!, 'outcome')]).toEqual([
      'held',
      false,
      false,
    ]);
  });
});

describe('the topics that can filter a search', () => {
  test('are the selectable ones by slug with their labels; of two with one slug the older one counts', async () => {
    const createdAt = '2027-01-01T00:00:00.000Z';
    await search.fold([
      events.topic('zoning', { publicLabel: 'zoning and rezoning' }),
      events.topic('housing', { name: 'Homes', publicLabel: 'Affordable dwellings' }),
      events.topic('later', { slug: 'zoning', publicLabel: 'later', createdAt }),
      events.topic('hidden', { selectable: false }),
    ]);
    expect(await createListTopics(search)()).toEqual([
      { topicSlug: 'housing', publicLabel: 'Affordable dwellings' },
      { topicSlug: 'zoning', publicLabel: 'zoning and rezoning' },
    ]);
  });
});

test('numbers of a list stay apart, and an amount without commas is one with its cents', async () => {
  const titles = [
    'Replat of Lots 101,102,103',
    'Contract of 5500000.00 with Acme',
    'Grant of $101,102,104',
    'Loan of $3,300,000.00',
    'Fund of 500,000',
  ];
  await search.fold([...events.place('dallas'), ...meeting('m', 'dallas', at(0), titles)]);
  const titlesOf = async (query: string) => (await search.search({ query })).results.map(({ title }) => title);
  for (const query of ['102', '103', '101,102,103', 'Lots 101,102,103'])
    expect([query, await titlesOf(query)]).toEqual([query, [titles[0]]]);
  for (const query of ['5500000', '5,500,000', '5500000.00'])
    expect([query, await titlesOf(query)]).toEqual([query, [titles[1]]]);
  for (const query of ['101,102,104', '101102104'])
    expect([query, await titlesOf(query)]).toEqual([query, [titles[2]]]);
  for (const query of ['3300000.00', '3300000', '$3,300,000'])
    expect([query, await titlesOf(query)]).toEqual([query, [titles[3]]]);
  expect(await titlesOf('$500,000')).toEqual([titles[4]]);
});

test('an amount is one number, with commas and cents or without, and no part of it is a number of a house', async () => {
  const titles = [
    'Contract of $1,200,000.00 on Commerce Street',
    'Rezoning of 200 Commerce Street',
    'A grant of $1.2 million',
  ];
  const text = `${'Whereas the council meets. '.repeat(40)}The contract costs $7,350,200.00 at most. ${'It is so ordered. '.repeat(40)}`;
  await search.fold([
    ...events.place('dallas'),
    ...meeting('m', 'dallas', at(0), titles),
    events.item('long', 'm', { title: 'Bridge', text }),
  ]);
  const titlesOf = async (query: string) => (await search.search({ query })).results.map(({ title }) => title);
  expect(await titlesOf('200 Commerce Street')).toEqual([titles[1]]);
  for (const query of ['$1,200,000', '1,200,000', '1200000', '$1,200,000.00', '"of $1,200,000 on Commerce"']) {
    expect([query, await titlesOf(query)]).toEqual([query, [titles[0]]]);
  }
  for (const query of ['1.2 million', '$1.2 million'])
    expect([query, await titlesOf(query)]).toEqual([query, [titles[2]]]);
  expect(await titlesOf('350')).toEqual([]);
  expect((await search.search({ query: '$7,350,200' })).results).toMatchObject([
    { excerpt: expect.stringContaining('$7,350,200.00') as string },
  ]);
});

describe('the order of what is found', () => {
  beforeEach(async () => {
    await search.fold([
      ...events.place('dallas'),
      events.meeting('m', 'dallas', at(0)),
      events.meeting('next', 'dallas', at(7)),
    ]);
  });

  const item = (name: string, title: string, more: object = {}) =>
    events.item(name, 'm', { title, agendaNumber: '1', ...more });

  /** The names of the items in order: the first words of their titles. */
  const titlesOf = async (query: string, more: Partial<SearchArguments> = {}): Promise<readonly string[]> =>
    (await search.search({ query, ...more })).results.map(({ title }) => title.split(' ')[0]!);

  test('words side by side count more than the same words apart', async () => {
    await search.fold([
      item('apart', 'apart Center of data', { text: 'short' }),
      item('side', `side Lease of a data center in ${'a building of the city that is large '.repeat(4)}`),
    ]);
    expect(await titlesOf('data centers')).toEqual(['side', 'apart']);
  });

  test('an item of which the source gives a title and nothing else comes after all others', async () => {
    await search.fold([
      events.item('note', 'm', { title: 'note Levy levy' }),
      item('long', `long ${'Fee for a permit of the city '.repeat(9)} levy`),
    ]);
    expect(await titlesOf('levy')).toEqual(['long', 'note']);
    expect(await titlesOf('levy quarry')).toEqual(['long', 'note']);
  });

  test('if no item has all words, a named place limits the items, and one word of a name is not a place', async () => {
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
    const words = 'garden towers rooftop';
    expect(await titlesOf(`${words} in Dallas`)).toEqual(['too', 'here']);
    expect(await titlesOf(`${words} in Plano`)).toEqual(['there']);
    expect(await titlesOf(`${words} city of Fort Worth`)).toEqual(['west']);
    expect(await titlesOf(`${words} fort`)).toEqual(['there', 'west']);
    const query = `${words} in Dallas`;
    expect(await search.all({ query, limit: 1 })).toEqual(
      (await search.search({ query })).results.map(({ itemId }) => itemId),
    );
    // Only the words count in a place that has none of the other words.
    await search.fold([
      ...events.place('denton'),
      events.meeting('d', 'denton', at(0)),
      events.item('far', 'd', { title: 'far' }),
    ]);
    expect(await titlesOf(`${words} in Denton`)).toEqual(['there']);
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
    expect((await titlesOf('levy')).toSorted()).toEqual(['none', 'nought', 'plano', 'second']);
    expect(await search.all({ query: 'levy', limit: 1 })).toEqual(
      (await search.search({ query: 'levy' })).results.map(({ itemId }) => itemId),
    );
    await search.fold([item('first', 'first Levy', { matterFile: 'Z-2' })]);
    expect(await titlesOf('levy')).toContain('first');
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
      expect([query, await titlesOf(query)]).toEqual([query, [name]]);
    expect(await titlesOf('stop')).toEqual(['shop']);
  });

  test('the name of a matter is found where the title does not say it', async () => {
    await search.fold([item('bikes', 'bikes Int 19-2024', { matterName: 'Safety of batteries of powered bicycles' })]);
    for (const query of ['battery safety', 'e-bikes'])
      expect([query, await titlesOf(query)]).toEqual([query, ['bikes']]);
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
      expect([query, await titlesOf(query)]).toEqual([query, ['case']]);
    for (const query of ['26-243', 'M&C 26-0243', '26-0243'])
      expect([query, await titlesOf(query)]).toEqual([query, ['file']]);
    expect(await titlesOf('I-35')).toEqual(['road']);
    expect(await titlesOf('permit 245-178')).toEqual(['near']);
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
        expect([query, await titlesOf(query)]).toEqual([query, [...(await titlesOf('November 12, 2025')), 'older']]);
      expect((await titlesOf('November 12, 2025')).toSorted()).toEqual(['lease', 'levy']);
      expect((await search.search({ query: 'November 11' })).results).toEqual([]);
    });

    test('with other words finds them on that day, or with the words of the date', async () => {
      expect(await titlesOf('levy on 12 November')).toEqual(['levy', 'older']);
      expect(await titlesOf('minutes 12 November 2025')).toEqual(['minutes']);
    });
  });

  test('a correction that may change the meaning is named and not searched', async () => {
    await search.fold([
      item('bus', 'bus Airbus helicopter'),
      item('gold', 'gold Golden street'),
      item('eat', 'eat Restaurant'),
    ]);
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
    expect(await titlesOf('resturant')).toEqual(['eat']);
    expect((await search.search({ query: 'Goldman street' })).guidance).toContain(
      '"golden", which is near, was not searched',
    );
  });

  test('curly quotation marks and apostrophes separate words as straight ones do', async () => {
    await search.fold([item('quoted', 'quoted Adopting “Noise” of the City’s code')]);
    for (const query of ['noise', '"noise of the city"', 'city’s noise', "city's noise"])
      expect([query, await titlesOf(query)]).toEqual([query, ['quoted']]);
  });

  test.each(['plaza', 'ruido', 'aviso', '«ruido»', '¿plaza'])(
    'marks of other languages separate words: %s',
    async (query) => {
      await search.fold([item('marked', 'marked ¿Plaza pública? «Ruido» ¡Aviso!')]);
      expect(await titlesOf(query)).toEqual(['marked']);
    },
  );

  test('tables of version 2 are searched as they are while version 3 is built', async () => {
    await search.fold([
      item('one', 'one Levy 245-177', { matterFile: 'Z-1' }),
      events.item('two', 'next', { title: 'two Levy', matterFile: 'Z-1' }),
    ]);
    const { generation } = search;
    await search.execute({
      text: `alter table civic.agenda_search_entries_g${generation} rename column matter to absent`,
      values: [],
    });
    try {
      expect((await titlesOf('levy')).toSorted()).toEqual(['one', 'two']);
      expect(await search.all({ query: 'levy', limit: 1 })).toHaveLength(2);
      expect(await titlesOf('245-177')).toEqual(['one']);
    } finally {
      await search.execute({
        text: `alter table civic.agenda_search_entries_g${generation} rename column absent to matter`,
        values: [],
      });
    }
    expect(await titlesOf('levy')).toHaveLength(1);
  });
});

// Last in this file: it drops columns that the other tests need.
// Last, because it changes the tables that these tests share.
test('a read model of version 1 answers searches and items without a time zone and topics', async () => {
  await search.fold([
    ...events.place('dallas'),
    events.topic('zoning'),
    ...meeting('m', 'dallas', at(0), ['one Permit']),
  ]);
  const { meetings, topics, items } = AGENDA_SEARCH.at(search.generation);
  for (const text of [
    `alter table ${meetings} drop column timezone`,
    `alter table ${topics} drop column label, drop column selectable`,
    `alter table ${items} drop column heading`,
  ])
    await search.execute({ text, values: [] });
  const [result] = (await search.search({ query: 'permit' })).results;
  expect(result).toMatchObject({ title: 'one Permit', meetingDate: expect.any(String) as unknown });
  expect(Object.hasOwn(result!, 'timezone')).toBe(false);
  const item = await createGetAgendaItem(search)(result!.itemId);
  expect([item?.title, Object.hasOwn(item!, 'timezone')]).toEqual(['one Permit', false]);
  expect(await createListTopics(search)()).toEqual([]);
});
