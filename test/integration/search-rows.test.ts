import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLiveReads } from '../../infra/postgresql/live-reads.ts';
import { createGetAgendaItem } from '../../queries/agenda/get-agenda-item.ts';
import { createListTopics } from '../../queries/coverage/list-public-source-statuses.ts';
import { createSearchAgenda } from '../../queries/search/search-agenda.ts';
import { searchAgenda } from '../../contract/tools/search-agenda.ts';
import type { Statement } from '../../domain/ports/database.ts';
import { at, meetingWithItems, openTestSearch, type TestSearch } from '../support/agenda-search.ts';

let search: TestSearch;
let events: TestSearch['events'];

beforeAll(async () => {
  search = await openTestSearch();
  ({ events } = search);
});
afterAll(async () => search?.close());
beforeEach(() => search.clear());

const meeting = (name: string, body: string, startsAt: string, titles: readonly string[]) =>
  meetingWithItems(events, name, body, startsAt, titles);

describe('section headings', () => {
  const shown = async (query: string) => (await search.search({ query })).results.map(({ title }) => title);

  test('are no rows of a search, and change with the data of the source', async () => {
    const headings = ['CONSENT AGENDA', 'Department of Consent', 'Consent items', 'CONSENT FISCALLY SOUND'];
    await search.fold([...events.place('dallas'), ...meeting('m', 'dallas', at(0), [])]);
    await search.fold(headings.map((title, row) => events.item(`h${row}`, 'm', { title })));
    expect(await shown('consent')).toEqual([]);
    expect((await search.item('h0'))?.title).toBe('CONSENT AGENDA');
    await search.fold([events.item('h0', 'm', { title: 'CONSENT AGENDA', text: 'Items 1 to 9.' })]);
    expect(await shown('consent')).toEqual(['CONSENT AGENDA']);
    await search.fold([events.item('h0', 'm', { title: 'CONSENT AGENDA' })]);
    expect(await shown('consent')).toEqual([]);
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
    await search.fold([...events.place('dallas'), ...meeting('m', 'dallas', at(0), []), events.item('i', 'm', content)]);
    expect(await shown('consent')).toEqual([content.title]);
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
    const found = async (query: string) => (await search.search({ query })).results.map(({ title }) => title.split(' ')[0]!).toSorted();
    expect(await found('antenna')).toEqual(['one', 'three']);
    expect(await found('tower/antenna')).toEqual(['one']);
    expect(await found('"Fair Park"')).toEqual(['two']);
    expect(await found('"dallas/fair park"')).toEqual(['two']);
    expect(await found('catastrophic')).toEqual(['four']);
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
        meeting('n', 'dallas', at(1), ['five Budget of 2031–2032 for police–fire pensions, case Z245–999', 'six Police budget']),
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
    expect([bare?.status, Object.hasOwn(bare!, 'matterFile'), Object.hasOwn(bare!, 'outcome')]).toEqual(['held', false, false]);
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

describe('a read model of version 1', () => {
  test('answers searches and items without a time zone and topics, until the new one is built', async () => {
    await search.fold([...events.place('dallas'), events.topic('zoning'), ...meeting('m', 'dallas', at(0), ['one Permit'])]);
    const table = (part: string) => `civic.agenda_search_${part}_g${search.generation}`;
    const dropped = ['meetings drop column timezone', 'topics drop column label, drop column selectable', 'items drop column heading'];
    // The drop is rolled back, because other tests need the table.
    const undo = new Error('undo');
    await search.database.transactor
      .transaction(async (transaction) => {
        for (const each of dropped) {
          const [part, ...change] = each.split(' ');
          await transaction.execute({ text: `alter table ${table(part!)} ${change.join(' ')}`, values: [] });
        }
        const texts = async (statement: Statement) => (await transaction.execute(statement)).rows;
        const reads = createLiveReads({ ...search.database.read, texts });
        const page = await createSearchAgenda({ reads: () => reads, clock: search.clock })(
          searchAgenda.input.parse({ query: 'permit' }),
          new AbortController().signal,
        );
        expect(searchAgenda.data.parse(page.data).results).toMatchObject([
          { title: 'one Permit', meetingDate: expect.any(String) as unknown },
        ]);
        expect(Object.hasOwn(page.data.results[0]!, 'timezone')).toBe(false);
        const item = await createGetAgendaItem({ reads, clock: search.clock })(page.data.results[0]!.itemId);
        expect([item?.title, Object.hasOwn(item!, 'timezone')]).toEqual(['one Permit', false]);
        expect(await createListTopics({ reads })()).toEqual([]);
        throw undo;
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error;
      });
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
  const found = async (query: string) => (await search.search({ query })).results.map(({ title }) => title);
  for (const query of ['102', '103', '101,102,103', 'Lots 101,102,103']) expect([query, await found(query)]).toEqual([query, [titles[0]]]);
  for (const query of ['5500000', '5,500,000', '5500000.00']) expect([query, await found(query)]).toEqual([query, [titles[1]]]);
  for (const query of ['101,102,104', '101102104']) expect([query, await found(query)]).toEqual([query, [titles[2]]]);
  for (const query of ['3300000.00', '3300000', '$3,300,000']) expect([query, await found(query)]).toEqual([query, [titles[3]]]);
  expect(await found('$500,000')).toEqual([titles[4]]);
});

test('an amount is one number, with commas and cents or without, and no part of it is a number of a house', async () => {
  const titles = ['Contract of $1,200,000.00 on Commerce Street', 'Rezoning of 200 Commerce Street', 'A grant of $1.2 million'];
  const text = `${'Whereas the council meets. '.repeat(40)}The contract costs $7,350,200.00 at most. ${'It is so ordered. '.repeat(40)}`;
  await search.fold([
    ...events.place('dallas'),
    ...meeting('m', 'dallas', at(0), titles),
    events.item('long', 'm', { title: 'Bridge', text }),
  ]);
  const found = async (query: string) => (await search.search({ query })).results.map(({ title }) => title);
  expect(await found('200 Commerce Street')).toEqual([titles[1]]);
  for (const query of ['$1,200,000', '1,200,000', '1200000', '$1,200,000.00', '"of $1,200,000 on Commerce"']) {
    expect([query, await found(query)]).toEqual([query, [titles[0]]]);
  }
  for (const query of ['1.2 million', '$1.2 million']) expect([query, await found(query)]).toEqual([query, [titles[2]]]);
  expect(await found('350')).toEqual([]);
  expect((await search.search({ query: '$7,350,200' })).results).toMatchObject([
    { excerpt: expect.stringContaining('$7,350,200.00') as string },
  ]);
});
