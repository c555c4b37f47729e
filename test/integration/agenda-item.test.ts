import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { agendaId } from '../support/agenda-events.ts';
import { openTestSearch, type TestSearch } from '../support/agenda-search.ts';
import { DAY_MS, TEST_TIME } from '../support/civic.ts';

const STARTS_AT = '2026-03-01T15:00:00.000Z';
const LONG = `Ünïcode 𝔘 "quoted"\n\n${'x'.repeat(100_000)}`;

let search: TestSearch;
let events: TestSearch['events'];

beforeAll(async () => {
  search = await openTestSearch();
  ({ events } = search);
});
afterAll(async () => search?.close());
beforeEach(async () => search.clear());

const document = (name: string, item: string | null, title: string) =>
  events.publish('documents', name, {
    agendaItemId: item === null ? null : agendaId('agenda_items', item),
    meetingId: agendaId('meetings', 'm'),
    kind: 'exhibit',
    title,
    url: `https://example.org/d/${name}`,
  });

test('an item is shown with its meeting, place, topics, documents, publisher, freshness and whole text', async () => {
  const lastSuccessfulCheckAt = new Date(TEST_TIME - 3 * DAY_MS).toISOString();
  await search.fold([
    ...events.place('dallas'),
    events.source('dallas', { lastSuccessfulCheckAt }),
    events.topic('zoning'),
    events.topic('parks'),
    events.meeting('m', 'dallas', STARTS_AT, { status: 'held', startTime: { status: 'not_stated', sourceText: 'at noon or so' } }),
    events.item('i', 'm', { title: 'Rezoning', text: LONG, agendaNumber: '4.', matterFile: 'Z-12', outcome: 'approved' }),
    events.hit('h1', 'i', 'zoning', { confidence: 60 }),
    events.hit('h2', 'i', 'parks', { confidence: 90 }),
    document('d2', 'i', 'Map'),
    document('d1', 'i', 'Exhibit A'),
    document('agenda', null, 'Agenda of the whole meeting'),
  ]);
  expect(await search.item('i')).toEqual({
    itemId: agendaId('agenda_items', 'i'),
    title: 'Rezoning',
    text: LONG,
    jurisdiction: 'City of dallas',
    jurisdictionSlug: 'dallas',
    body: 'Council of dallas',
    bodySlug: 'city-council',
    meetingAt: STARTS_AT,
    startTime: { status: 'not_stated', sourceText: 'at noon or so' },
    meetingDate: '2026-03-01',
    timezone: 'America/Chicago',
    meetingStatus: 'held',
    agendaNumber: '4.',
    matterFile: 'Z-12',
    outcome: 'approved',
    sourceUrl: 'https://example.org/i/i',
    topics: [
      { topicSlug: 'parks', confidence: 90, summary: 'Summary h2', evidenceQuote: 'Quote ünïcode 𝔘 \n h2' },
      { topicSlug: 'zoning', confidence: 60, summary: 'Summary h1', evidenceQuote: 'Quote ünïcode 𝔘 \n h1' },
    ],
    documents: [
      { title: 'Exhibit A', kind: 'exhibit', url: 'https://example.org/d/d1' },
      { title: 'Map', kind: 'exhibit', url: 'https://example.org/d/d2' },
    ],
    publisher: { jurisdiction: 'City of dallas', body: 'Council of dallas', sourceType: 'legistar' },
    freshness: { status: 'stale', lastSuccessfulCheckAt },
  });
});

test('a field without a value is absent, null or empty in an item', async () => {
  await search.fold([
    events.jurisdiction('dallas'),
    events.body('dallas'),
    events.meeting('m', 'dallas', STARTS_AT),
    events.item('i', 'm'),
  ]);
  const item = (await search.item('i'))!;
  expect(Object.keys(item)).not.toEqual(expect.arrayContaining(['text']));
  for (const key of ['text', 'agendaNumber', 'matterFile', 'outcome']) expect(item).not.toHaveProperty(key);
  expect(item).toMatchObject({
    topics: [],
    documents: [],
    publisher: { sourceType: null },
    freshness: { status: 'unknown', lastSuccessfulCheckAt: null },
  });
});

test('an item is visible exactly while its meeting, body and jurisdiction exist', async () => {
  const needed = [events.jurisdiction('dallas'), events.body('dallas'), events.meeting('m', 'dallas', STARTS_AT), events.item('i', 'm')];
  expect(await search.item('unknown')).toBeNull();
  for (const event of needed.toReversed()) {
    expect(await search.item('i')).toBeNull();
    expect((await search.search({ query: 'item' })).results).toEqual([]);
    await search.fold([event]);
  }
  expect(await search.item('i')).not.toBeNull();
  expect((await search.search({ query: 'item' })).results).toHaveLength(1);
  for (const [resource, name] of [
    ['jurisdictions', 'dallas'],
    ['public_bodies', 'dallas'],
    ['meetings', 'm'],
    ['agenda_items', 'i'],
  ] as const) {
    await search.fold([events.withdraw(resource, name)]);
    expect([resource, await search.item('i')]).toEqual([resource, null]);
    expect((await search.search({ query: 'item' })).results).toEqual([]);
    await search.fold(needed);
    expect([resource, (await search.search({ query: 'item' })).results.length]).toEqual([resource, 1]);
  }
});

test('a hit is hidden when its topic is removed or has the slug of an older topic', async () => {
  await search.fold([
    ...events.place('dallas'),
    events.meeting('m', 'dallas', STARTS_AT),
    events.item('i', 'm'),
    events.topic('zoning'),
    events.topic('younger', { slug: 'zoning', createdAt: '2027-01-01T00:00:00.000Z' }),
    events.hit('h1', 'i', 'zoning'),
    events.hit('h2', 'i', 'younger'),
    events.hit('h3', 'i', 'none'),
  ]);
  const summaries = async () => (await search.item('i'))!.topics.map(({ summary }) => summary);
  expect(await summaries()).toEqual(['Summary h1']);
  await search.fold([events.withdraw('topics', 'zoning')]);
  expect(await summaries()).toEqual(['Summary h2']);
});

test('the search follows each change of the records that an item belongs to', async () => {
  const found = async (query: string) => (await search.search({ query })).results.length;
  await search.fold([
    ...events.place('dallas'),
    ...events.place('plano'),
    events.body('dallas', { name: 'Council' }),
    events.body('garland', { jurisdictionId: agendaId('jurisdictions', 'dallas'), name: 'Garland board' }),
    events.topic('zoning'),
    events.topic('parks'),
    events.meeting('m', 'dallas', STARTS_AT),
    events.meeting('n', 'plano', STARTS_AT),
    events.item('i', 'm'),
    events.hit('h', 'i', 'zoning'),
    document('d', 'i', 'Drainage map'),
  ]);
  const changes = [
    ['dallas', 'rowlett', events.jurisdiction('dallas', { name: 'City of Rowlett' })],
    ['council', 'commission', events.body('dallas', { name: 'Commission' })],
    ['rowlett', 'plano', events.body('dallas', { name: 'Commission', jurisdictionId: agendaId('jurisdictions', 'plano') })],
    ['commission', 'garland', events.meeting('m', 'garland', STARTS_AT)],
    ['garland', 'plano', events.item('i', 'n')],
    ['zoning', 'parks', events.hit('h', 'i', 'parks')],
    ['parks', 'trails', events.topic('parks', { name: 'Trails', publicLabel: 'Trails' })],
    ['drainage', 'sidewalk', document('d', 'i', 'Sidewalk plan')],
    ['sidewalk', '', document('d', 'other', 'Sidewalk plan')],
    ['trails', '', events.hit('h', 'other', 'parks')],
    ['item', 'lawsuit', events.item('i', 'n', { title: 'Lawsuit' })],
  ] as const;
  for (const [before, after, event] of changes) {
    expect([event.stream, before, await found(before)]).toEqual([event.stream, before, 1]);
    await search.fold([event]);
    expect([event.stream, before, await found(before)]).toEqual([event.stream, before, 0]);
    if (after !== '') expect([event.stream, after, await found(after)]).toEqual([event.stream, after, 1]);
  }
});
