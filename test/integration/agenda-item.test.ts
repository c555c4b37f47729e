import { expect, test } from 'vitest';
import { agendaId } from '../support/agenda-events.ts';
import { useTestSearch } from '../support/agenda-search.ts';
import { DAY_MS, TEST_TIME } from '../support/civic.ts';

const search = await useTestSearch();
const { events } = search;
const STARTS_AT = '2026-03-01T15:00:00.000Z';
const LONG = `Ünïcode 𝔘 "quoted"\n\n${'x'.repeat(100_000)}`;

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
    events.meeting('m', 'dallas', STARTS_AT, {
      status: 'held',
      startTime: { status: 'not_stated', sourceText: 'at noon or so' },
    }),
    events.item('i', 'm', {
      title: 'Rezoning',
      text: LONG,
      agendaNumber: '4.',
      matterFile: 'Z-12',
      outcome: 'approved',
    }),
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
    appearances: [],
    appearanceCount: 0,
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

test('an item has the vote and the actions that its record states', async () => {
  const votes = { mover: 'Member A', seconder: null, tally: '8:1', members: [{ name: 'Member B', vote: 'Nay' }] };
  const actions = [
    { text: 'Hearing held', outcome: null },
    { text: 'Approved', outcome: 'approved' },
  ] as const;
  await search.fold([
    ...events.place('dallas'),
    events.meeting('m', 'dallas', STARTS_AT),
    events.item('i', 'm', { votes, actions: [...actions] }),
    events.item('j', 'm'),
  ]);
  expect(await search.item('i')).toMatchObject({ votes, actions });
  for (const key of ['votes', 'actions']) expect(await search.item('j')).not.toHaveProperty(key);
});

test('an item has the others of its jurisdiction with its file number, oldest first', async () => {
  await search.fold([
    ...events.place('dallas'),
    ...events.place('plano'),
    events.body('parks', { jurisdictionId: agendaId('jurisdictions', 'dallas'), name: 'Park Board' }),
    events.meeting('m', 'dallas', STARTS_AT),
    events.meeting('before', 'parks', '2026-01-06T02:00:00.000Z', { status: 'held' }),
    events.meeting('after', 'dallas', '2026-05-01T15:00:00.000Z', {
      startTime: { status: 'not_stated', sourceText: 'TBD' },
    }),
    events.meeting('elsewhere', 'plano', STARTS_AT),
    events.item('i', 'm', { matterFile: 'Z 26-0001' }),
    events.item('same meeting', 'm', { title: 'Adopt it', matterFile: 'Z 26-0001', outcome: 'approved' }),
    events.item('late', 'after', { title: 'Again', matterFile: 'z26-0001', actionText: 'Laid over' }),
    events.item('early', 'before', { title: 'First', matterFile: ' Z\u00a026-0001' }),
    events.item('of another place', 'elsewhere', { matterFile: 'Z 26-0001' }),
    events.item('of another file', 'm', { matterFile: 'Z 26-00011' }),
    events.item('removed', 'm', { matterFile: 'Z 26-0001' }),
    events.withdraw('agenda_items', 'removed'),
  ]);
  const { appearances, appearanceCount } = (await search.item('i'))!;
  expect(appearances).toEqual([
    {
      itemId: agendaId('agenda_items', 'early'),
      title: 'First',
      body: 'Park Board',
      meetingAt: '2026-01-06T02:00:00.000Z',
      meetingDate: '2026-01-05',
      timezone: 'America/Chicago',
      meetingStatus: 'held',
      sourceUrl: 'https://example.org/i/early',
    },
    expect.objectContaining({ title: 'Adopt it', meetingAt: STARTS_AT, outcome: 'approved' }),
    expect.objectContaining({
      title: 'Again',
      startTime: { status: 'not_stated', sourceText: 'TBD' },
      actionText: 'Laid over',
    }),
  ]);
  expect(appearanceCount).toBe(3);
  await search.fold([
    events.withdraw('meetings', 'after'),
    events.body('parks', { name: 'Park Board', jurisdictionId: agendaId('jurisdictions', 'plano') }),
  ]);
  expect((await search.item('i'))!.appearances.map(({ title }) => title)).toEqual(['Adopt it']);
  expect((await search.item('of another place'))!.appearances.map(({ title }) => title)).toEqual(['First']);
});

test('of many items with its file number an item has the twenty nearest, and counts all', async () => {
  const days = Array.from({ length: 30 }, (_, day) => day + 1);
  const name = (day: number) => `day ${String(day).padStart(2, '0')}`;
  await search.fold([
    ...events.place('dallas'),
    ...days.flatMap((day) => [
      events.meeting(name(day), 'dallas', `2026-03-${name(day).slice(4)}T15:00:00.000Z`),
      events.item(name(day), name(day), { title: name(day), matterFile: '26-1' }),
    ]),
  ]);
  const { appearances, appearanceCount } = (await search.item(name(28)))!;
  expect(appearances.map(({ title }) => title)).toEqual([...days.slice(9, 27), 29, 30].map(name));
  expect(appearanceCount).toBe(29);
});

test('a text without a number is not a file number', async () => {
  await search.fold([
    ...events.place('dallas'),
    events.meeting('m', 'dallas', STARTS_AT),
    events.item('i', 'm', { matterFile: 'None' }),
    events.item('j', 'm', { matterFile: 'None' }),
  ]);
  expect((await search.item('i'))!.appearanceCount).toBe(0);
});

test('an item is visible exactly while its meeting, body and jurisdiction exist', async () => {
  const referenced = [
    events.jurisdiction('dallas'),
    events.body('dallas'),
    events.meeting('m', 'dallas', STARTS_AT),
    events.item('i', 'm'),
  ];
  expect(await search.item('unknown')).toBeNull();
  for (const event of referenced.toReversed()) {
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
    await search.fold(referenced);
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
  const countOf = async (query: string) => (await search.search({ query })).results.length;
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
    [
      'rowlett',
      'plano',
      events.body('dallas', { name: 'Commission', jurisdictionId: agendaId('jurisdictions', 'plano') }),
    ],
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
    expect([event.stream, before, await countOf(before)]).toEqual([event.stream, before, 1]);
    await search.fold([event]);
    expect([event.stream, before, await countOf(before)]).toEqual([event.stream, before, 0]);
    if (after !== '') expect([event.stream, after, await countOf(after)]).toEqual([event.stream, after, 1]);
  }
});
