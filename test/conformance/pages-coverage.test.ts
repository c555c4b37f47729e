import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecordChange } from '../../commands/records/write-records.ts';
import { changeSourceList } from '../../commands/sources/source-list.ts';
import { councilOfDallas, hit, inDays, item, meeting, pageRecord, pageRecordId } from '../support/page-records.ts';
import { type ServedCivic, serveNewCivic } from '../support/served-civic.ts';

const ZONE = 'America/New_York';
const PLACE = { slug: 'example-city', name: 'Example City', timezone: ZONE };
const HIDDEN = ['Summary of the hit', 'confidence', '<mark>', 'quoted words</blockquote>'];

let served: ServedCivic;

beforeAll(async () => {
  served = await serveNewCivic({ CIVIC_PUBLIC_LIMIT: '1000000/60' });
  await write(
    ...councilOfDallas(),
    pageRecord('topics', 'closed', {
      slug: 'closed',
      name: 'Closed',
      publicLabel: 'a closed topic',
      description: 'Not selectable.',
      keywords: [],
      negativeKeywords: [],
      selectable: false,
      classificationActive: true,
      taxonomyManaged: false,
    }),
    pageRecord('jurisdictions', 'example', { ...PLACE, level: 'city', kind: 'city', countySlugs: [], active: true }),
    pageRecord('public_bodies', 'example', {
      jurisdictionId: pageRecordId('jurisdictions', 'example'),
      slug: 'city-council',
      name: 'City Council',
      bodyType: 'governing_body',
      actingBodyRole: 'final_decision_maker',
      timezone: ZONE,
      active: true,
    }),
    pageRecord('sources', 'example', {
      jurisdictionId: pageRecordId('jurisdictions', 'example'),
      publicBodyId: pageRecordId('public_bodies', 'example'),
      sourceType: 'legistar',
      sourceTypeLabel: 'Legistar of Example City',
      active: true,
      status: 'healthy',
      lastCheckedAt: inDays(0),
      lastSuccessfulCheckAt: inDays(0),
      consecutiveFailures: 0,
    }),
    meeting('covered', 7),
    item('covered', 'covered', { title: 'A covered item', text: 'With quoted words.' }),
    hit('closed', 'covered', {
      topicId: pageRecordId('topics', 'closed'),
      summary: 'Summary of the hit',
      evidenceQuote: 'quoted words',
    }),
    meeting('example', 7, { publicBodyId: pageRecordId('public_bodies', 'example'), sourceId: null }),
    item('example', 'example', { title: 'An item for the feed', text: 'With quoted words.' }),
    hit('example', 'example', { summary: 'Summary of the hit', evidenceQuote: 'quoted words' }),
  );
  await added(false);
});
afterAll(async () => served?.close());

const followed = async () => {
  await served.civic.caughtUp(await served.civic.log.head());
  // An answer from before is out of date at once, as after a second.
  served.clock.time += 2_000;
};
async function write(...changes: readonly RecordChange[]): Promise<void> {
  await served.civic.writer.write(changes, {});
  await followed();
}
async function added(isPublic: boolean): Promise<void> {
  const ref = { source: 'legistar', client: 'example' };
  const deadline = served.clock.now() + 60_000;
  await changeSourceList(served.civic, { type: 'RemoveSource', removed: ref }, deadline);
  await changeSourceList(
    served.civic,
    { type: 'AddSource', added: { ...ref, jurisdiction: PLACE, isPublic } },
    deadline,
  );
  await followed();
}

async function textOf(path: string): Promise<string> {
  const answer = await fetch(`${served.baseUrl}${path}`, { headers: { accept: 'text/html' } });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}
const hiddenOn = async (path: string) => {
  const text = await textOf(path);
  return HIDDEN.filter((part) => text.includes(part));
};
const pagesOf = (name: string) => [
  `/items/${pageRecordId('agenda_items', name)}`,
  `/meetings/${pageRecordId('meetings', name)}`,
];
const hitStatus = async (name: string) =>
  (await fetch(`${served.baseUrl}/api/v1/public/agenda-hits/${pageRecordId('agenda_hits', name)}`)).status;

test('pages of an item and a meeting show the hits that public operations show, and no others', async () => {
  const [itemPage, meetingPage] = pagesOf('example');
  for (const name of ['example', 'closed']) expect(await hitStatus(name)).toBe(404);
  for (const page of [...pagesOf('example'), ...pagesOf('covered')])
    expect([page, await hiddenOn(page)]).toEqual([page, []]);
  expect(await textOf(itemPage!)).toContain('With quoted words.');
  await added(true);
  expect(await hitStatus('example')).toBe(200);
  expect(await hiddenOn(itemPage!)).toEqual(['Summary of the hit', 'confidence', '<mark>']);
  expect(await hiddenOn(meetingPage!)).toEqual(['<mark>']);
  await added(false);
});

test('a place that was added for the feed alone says that its topics are not shown', async () => {
  const note = 'topics not shown';
  expect(await textOf('/jurisdictions/example-city')).toContain(note);
  expect(await textOf('/jurisdictions/dallas')).not.toContain(note);
  await added(true);
  expect(await textOf('/jurisdictions/example-city')).not.toContain(note);
  await added(false);
});

test('a page says of a healthy source that it was read within the last two days', async () => {
  expect(await textOf('/jurisdictions/example-city')).toContain(
    'Legistar of Example City, read within the last two days. Last successful',
  );
});

test('the front page counts the places of the catalogue with a covered body that has been read, and claims nothing of others', async () => {
  await added(true);
  const page = await textOf('/');
  expect(page).toContain('Legistar of Example City');
  expect(page).toContain(
    'Agenda sources have been read for 1 municipality with 1,343,573 people (18% of the people in all municipalities of the region; population figures of 2019 and 2020). People',
  );
  const { data } = await served.civic.tools.functions.get_coverage({}, {} as never);
  expect(data.population).toMatchObject({
    municipalities: { placesRead: 1, peopleRead: 1_343_573, people: 7_089_434 },
    counties: { placesRead: 0, peopleRead: 0, years: [2018] },
  });
  expect(page).toMatch(
    /municipalities, 1 has a covered body of which a source has been read so far\.\nOther records can have been read or imported:/,
  );
  await added(false);
});
