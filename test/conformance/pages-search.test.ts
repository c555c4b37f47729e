import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecordChange } from '../../commands/records/write-records.ts';
import { unread } from '../../domain/agenda-text/read-agenda.ts';
import { councilOfDallas, hit, item, meeting, pageRecordId } from '../support/page-records.ts';
import { type ServedCivic, serveNewCivic } from '../support/served-civic.ts';

type UpsertChange = Extract<RecordChange, { readonly op: 'upsert' }>;

let served: ServedCivic;

beforeAll(async () => {
  served = await serveNewCivic({ CIVIC_PUBLIC_LIMIT: '1000000/60' });
  const reference = councilOfDallas();
  const [topic, place] = (['topics', 'jurisdictions'] as const).map(
    (name) => reference.find(({ resource }) => resource === name) as UpsertChange,
  ) as [UpsertChange, UpsertChange];
  await served.civic.writer.write(
    [
      ...reference,
      {
        ...topic,
        id: pageRecordId('topics', 'housing'),
        content: { ...(topic.content as object), slug: 'housing', publicLabel: 'housing & homes' },
      },
      {
        ...place,
        id: pageRecordId('jurisdictions', 'addison'),
        content: { ...(place.content as object), slug: 'addison', name: 'Addison' },
      },
      meeting('next', 7),
      meeting('later', 40),
      item('one', 'next', { title: 'Flats one' }),
      item('two', 'later', { title: 'Flats two' }),
      hit('one', 'one', { topicId: pageRecordId('topics', 'housing') }),
    ],
    {},
  );
  await served.civic.caughtUp(await served.civic.log.head());
  served.clock.time += 2_000;
});
afterAll(async () => served?.close());

const ask = (path: string) => fetch(`${served.baseUrl}${path}`, { headers: { accept: 'text/html' } });
async function pageOf(path: string): Promise<string> {
  const answer = await ask(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}
/** Values of the fields of the form, by name. */
const fieldsOf = (page: string) =>
  Object.fromEntries(
    [
      ...page.matchAll(
        /<input id="(\w+)" name="\1"[^>]* value="([^"]*)"|<select id="(\w+)" name="\3">(.*?)<\/select>/g,
      ),
    ].map(([, input, value, select, options]) => [
      input ?? select,
      value ?? /value="([^"]*)" selected>/.exec(options!)?.[1] ?? '',
    ]),
  );
const optionsOf = (page: string, name: string) =>
  [
    ...new RegExp(`<select id="${name}".*?</select>`).exec(page)![0].matchAll(/<option value="([^"]*)"[^>]*>([^<]*)</g),
  ].map(([, value, label]) => [value, label]);
const itemsIn = (page: string) =>
  ['one', 'two'].filter((name) => page.includes(`/items/${pageRecordId('agenda_items', name)}`));

test('a search whose guidance is for programs alone has no empty paragraph', async () => {
  expect(await pageOf('/search?q=flats')).not.toMatch(/<p[^>]*>\s*<\/p>/);
});

test('a search in a place without a covered body says so, and names no tool', async () => {
  const page = await pageOf('/search?q=flats&jurisdiction=addison');
  expect(page).toContain('No body of this jurisdiction is covered yet.');
  expect(page).toContain('Try fewer or other words or wider filters.');
  expect(page).not.toMatch(/get_coverage|report_missing_data/);
});

test('the search has a named field for words, place, topic and dates, and offers what can be found', async () => {
  const page = await pageOf('/search');
  expect(fieldsOf(page)).toEqual({ q: '', jurisdiction: '', topic: '', from: '', to: '', min: '', max: '' });
  for (const name of ['q', 'jurisdiction', 'topic', 'from', 'to']) expect(page).toContain(`<label for="${name}">`);
  expect(optionsOf(page, 'jurisdiction')).toEqual([
    ['', 'Any place'],
    ['dallas', 'Dallas'],
  ]);
  expect(optionsOf(page, 'topic')).toEqual([
    ['', 'Any topic'],
    ['housing', 'housing &amp; homes'],
    ['zoning', 'zoning and land use'],
  ]);
});

test.each([
  ['/search?q=flats&jurisdiction=&topic=&from=&to=', ['one', 'two']],
  ['/search?q=flats&jurisdiction=dallas', ['one', 'two']],
  ['/search?q=flats&topic=housing', ['one']],
  ['/search?q=flats&topic=zoning', []],
  ['/search?q=flats&from=2026-01-20', ['two']],
  ['/search?q=flats&to=2026-01-20', ['one']],
])('%s finds %j, keeps what was asked, and its Atom feed has the same', async (path, names) => {
  const page = await pageOf(path);
  expect(itemsIn(page)).toEqual(names);
  const parameters = Object.fromEntries(new URL(path, served.baseUrl).searchParams);
  expect(fieldsOf(page)).toEqual({ jurisdiction: '', topic: '', from: '', to: '', min: '', max: '', ...parameters });
  const feed = /<link rel="alternate" type="application\/atom\+xml" href="([^"]+)"/
    .exec(page)![1]!
    .replaceAll('&amp;', '&');
  const filters = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== ''));
  expect(Object.fromEntries(new URL(feed, served.baseUrl).searchParams)).toEqual(filters);
  expect(itemsIn(await pageOf(feed))).toEqual(names);
});

test('a place that is not offered stays selected, and the page reports it as unknown', async () => {
  const page = await pageOf('/search?q=flats&jurisdiction=atlantis');
  expect(fieldsOf(page)).toMatchObject({ q: 'flats', jurisdiction: 'atlantis' });
  expect(page).toContain('No jurisdiction of this name is known.');
  expect(fieldsOf(await pageOf('/search?jurisdiction=atlantis&from=2026-01-20'))).toMatchObject({
    q: '',
    from: '2026-01-20',
  });
});

test.each([
  ['from=2026-02-30', '"from" must be a date such as 2026-04-14'],
  ['to=tomorrow', '"to" must be a date such as 2026-04-14'],
  ['from=2026-02-02&to=2026-02-01', '"to" must not be earlier than "from"'],
  ['jurisdiction=Dallas%20%3Cb%3E', '"jurisdiction" must match'],
  ['topic=a%20b', '"topic" must match'],
])('%s is refused in words that name the field, with and without words to find', async (query, words) => {
  for (const path of [`/search?q=flats&${query}`, `/search?${query}`, `/search/atom.xml?q=flats&${query}`]) {
    const answer = await ask(path);
    const text = await answer.text();
    expect([path, answer.status, text.includes(words.replaceAll('"', '&quot;'))]).toEqual([path, 400, true]);
    expect(text).not.toContain('<b>');
  }
});

test('the front page leads to the other fields', async () => {
  expect(await pageOf('/')).toContain('<a href="/search">Search by place, topic and dates</a>');
});

test('the text of an agenda is found with its meeting, on the first page of a search without a topic', async () => {
  const { storedDocuments } = served.civic;
  const sha256 = '0'.repeat(64);
  await storedDocuments.put('https://example.org/agenda', {
    sha256,
    bytes: 1,
    mediaType: 'application/pdf',
    agenda: unread('is not divided'),
    readingVersion: 1,
    validator: {},
    checkedAt: 0,
    text: 'Ask the clerk for an interpreter <b>& a seat</b> in the gallery',
  });
  const meetingId = pageRecordId('meetings', 'next');
  await storedDocuments.link(sha256, { meetingId, recordIds: [] });
  const page = await pageOf('/search?q=interpreter');
  expect(page).toContain('In the text of agendas');
  expect(page).toContain(`<a href="/meetings/${meetingId}">`);
  expect(page).toContain('interpreter &amp; a seat');
  expect(await pageOf('/search?q=what+do+they+decide+about+the+interpreter%3F')).toContain('In the text of agendas');
  expect(await pageOf('/search?q=interpreter+in+1999')).not.toContain('In the text of agendas');
  expect(await pageOf('/search?q=nothing+of+it')).not.toContain('In the text of agendas');
  expect(await pageOf('/search?q=interpreter&topic=housing')).not.toContain('In the text of agendas');
});
