import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SourceUnavailable, UnknownSourceClient } from '../../domain/ports/source-ports.ts';
import { civicClerkHttpClient } from '../../infra/civicclerk/http-client.ts';
import { openCitiesHttpClient } from '../../infra/opencities/http-client.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { techShareHttpClient } from '../../infra/techshare/http-client.ts';
import { catalogueRecords } from '../../src/sources/catalogue/catalogue-records.ts';
import { civicClerkReader } from '../../src/sources/civicclerk/reader.ts';
import { agendaConnector } from '../../src/sources/agendas/sync.ts';
import { openCitiesReader } from '../../src/sources/opencities/reader.ts';
import { openCitiesSite } from '../../src/sources/opencities/source.ts';
import { techShareReader } from '../../src/sources/techshare/reader.ts';
import { techSharePortal } from '../../src/sources/techshare/source.ts';
import { SyncRefused } from '../../src/sources/source.ts';
import { MemoryRecords } from './agendas/memory-records.ts';
import { type PlatformAnswer, startPlatform } from './platform-server.ts';

const COMMITTEE = 'fe6aa5cc-7448-4194-ac6e-08dc95f79ccc';
const CALENDAR = '788ffb59-05d1-457d-b9dd-423d4b95a06e';
const TECHSHARE_CLIENT = `tarrant-${COMMITTEE}`;

let answer: PlatformAnswer;
let requests: string[];
let records: MemoryRecords;
let platform: Awaited<ReturnType<typeof startPlatform>>;
let base: string;

beforeEach(async () => {
  platform = await startPlatform((...request) => answer(...request));
  ({ base, requests } = platform);
  records = new MemoryRecords();
  await records.write(catalogueRecords());
});
afterEach(() => platform.close());

const options = () => ({
  clock: systemClock,
  random: () => 0.5,
  retries: { attempts: 1, baseMilliseconds: 1, maxMilliseconds: 1 },
});
const techshare = agendaConnector(
  () =>
    techShareReader(
      techShareHttpClient(`${base}/publicportal`, COMMITTEE, options()),
      'https://portal.example.org/publicportal',
    ),
  'techshare:',
);
const opencities = agendaConnector(
  (_, clock) => openCitiesReader(openCitiesHttpClient(base, CALENDAR, options()), 'https://city.example.org', clock),
  'opencities:',
);
const civicclerk = agendaConnector(
  () =>
    civicClerkReader(civicClerkHttpClient(`${base}/v1`, options(), 'https://tulsa.api.civicclerk.com'), {
      portal: 'https://example.portal.civicclerk.com',
      api: `${base}/v1`,
    }),
  'civicclerk:',
);
const target = () => ({ writer: records, known: records, clock: systemClock });
const meetings = () =>
  records
    .all('meetings')
    .map(({ content }) => content)
    .toSorted((a, b) => (String(a.startsAt) < String(b.startsAt) ? -1 : 1));

const techshareMeeting = {
  id: '94a0118f',
  meetingStartDateTime: '2024-12-03T10:00:00',
  meetingType: 'Commissioners Court',
  description: 'Commissioners Court',
  meetingStatus: 'Finalized',
  isPublished: true,
  agendaAttachmentId: '7f339758',
  minutesAttachmentId: null as string | null,
  videoId: null as string | null,
};

test('a TechShare portal gives its archived and upcoming meetings with their published files', async () => {
  const requests: unknown[] = [];
  answer = (_request, { pathname }, posted) => {
    requests.push(posted);
    if (pathname === '/publicportal/api/meetings/readArchived') {
      return {
        data: [
          techshareMeeting,
          {
            ...techshareMeeting,
            id: 'held',
            description: 'Commissioners Court Special Called Meeting',
            meetingStartDateTime: '2024-11-19T14:30:00',
            minutesAttachmentId: '1d895dfa',
          },
          {
            ...techshareMeeting,
            id: 'off',
            meetingStartDateTime: '2024-11-05T10:00:00',
            description: 'CANCELLED - Commissioners Court',
          },
          { id: 'unreadable' },
        ],
      };
    }
    const upcoming = {
      ...techshareMeeting,
      id: 'next',
      meetingStartDateTime: '2025-01-14T00:00:00',
      meetingStatus: 'Upcoming',
      isPublished: false,
    };
    return pathname === '/publicportal/api/meetings/readCurrentAndUpcoming' ? { data: [upcoming] } : undefined;
  };
  const sync = () => techshare.sync({ client: TECHSHARE_CLIENT, options: {} }, target());
  expect(await sync()).toMatchObject({ failure: null, rejected: [], read: { bodies: 1, events: 5, items: 0 } });
  expect(requests).toEqual([{ committeeId: COMMITTEE }, { committeeId: COMMITTEE }]);
  expect(meetings()).toMatchObject([
    { startsAt: '2024-11-05T16:00:00.000Z', status: 'cancelled', title: 'Commissioners Court' },
    { startsAt: '2024-11-19T20:30:00.000Z', status: 'held', title: 'Commissioners Court Special Called Meeting' },
    {
      startsAt: '2024-12-03T16:00:00.000Z',
      status: 'scheduled',
      startTime: { status: 'stated', sourceText: '10:00 AM' },
    },
    { startsAt: '2025-01-14T06:00:00.000Z', startTime: { status: 'not_stated' } },
  ]);
  const download = 'https://portal.example.org/publicportal/api/meetingattachments/download?id=';
  expect(
    new Set(records.all('documents').map(({ content }) => `${String(content.kind)} ${String(content.url)}`)),
  ).toEqual(new Set([`agenda ${download}7f339758`, `minutes ${download}1d895dfa`]));
  expect(records.all('documents')).toHaveLength(4);
  expect(records.one('documents', 'kind', 'minutes')).toMatchObject({
    title: 'Commissioners Court Special Called Meeting minutes, 2024-11-19',
  });
  expect(await sync()).toMatchObject({ appended: 0, removed: 0 });
});

test('a list that comes back short once removes no meeting, and one that stays short removes what it lacks', async () => {
  const all = ['a', 'b', 'c'].map((id) => ({ ...techshareMeeting, id }));
  let replies: (typeof all)[] = [];
  answer = (_request, { pathname }) => ({ data: pathname.endsWith('/readArchived') ? (replies.shift() ?? []) : [] });
  const sync = (...args: (typeof all)[]) => {
    replies = args;
    return techshare.sync({ client: TECHSHARE_CLIENT, options: {} }, target());
  };
  expect(await sync(all)).toMatchObject({ failure: null, read: { events: 3 } });
  expect(await sync([all[0]!], all)).toMatchObject({ failure: null, removed: 0 });
  expect(meetings()).toHaveLength(3);
  expect(await sync([all[0]!], [all[0]!])).toMatchObject({ failure: null });
  expect(meetings()).toHaveLength(1);
});

const entry = (Id: string, Name: string, DateTime: string) => ({
  CalendarId: CALENDAR,
  Id,
  MainContentId: Id,
  Name,
  DateTime,
});

test('an OpenCities calendar gives each occurrence of its meetings, with the day first, and no entries of whole days', async () => {
  const details: Record<string, object> = {
    zoning: {
      Link: 'https://city.example.org/events/zoning',
      Address: { Formatted: 'City Hall, 100 Trail' },
      IsCancelled: false,
    },
    park: { Link: null, Address: null, IsCancelled: true },
  };
  let days: { Items: unknown[] }[] = [
    {
      Items: [
        entry('notice', 'Notice of Public Comment', '1/10/2024 12:00:00 AM'),
        entry('zoning', 'Zoning Commission', '2/10/2024 12:00:00 PM'),
      ],
    },
    {
      Items: [
        entry('zoning', 'Zoning Commission Meeting', '10/03/2026 6:30:00 PM'),
        entry('park', '2026 Park Board Meeting', '29/09/2026 9:00:00 AM'),
      ],
    },
  ];
  answer = (request, { pathname, searchParams }, posted) => {
    if (pathname === '/ocapi/get/contentinfo') return { success: true, data: details[searchParams.get('contentId')!] };
    if (pathname !== '/ocapi/calendars/getcalendaritems' || request.method !== 'POST') return undefined;
    expect(posted).toMatchObject({ LanguageCode: 'en-US', Ids: [CALENDAR] });
    const year = String(posted.StartDate).slice(0, 4);
    expect(posted.EndDate).toBe(`${year}-12-31`);
    const inYear = (value: unknown) => (value as { DateTime: string }).DateTime.includes(`/${year} `);
    return { success: true, data: days.map(({ Items }) => ({ Items: Items.filter(inYear) })) };
  };
  const sync = () => opencities.sync({ client: CALENDAR, options: {} }, target());
  expect(await sync()).toMatchObject({ failure: null, rejected: [], skipped: [], read: { bodies: 2, events: 3 } });
  const zoning = {
    title: 'Zoning Commission',
    status: 'scheduled',
    sourceUrl: 'https://city.example.org/events/zoning',
    location: 'City Hall, 100 Trail',
  };
  expect(meetings()).toMatchObject([
    { ...zoning, startsAt: '2024-10-02T17:00:00.000Z' },
    { ...zoning, startsAt: '2026-03-10T23:30:00.000Z' },
    {
      title: 'Park Board',
      status: 'cancelled',
      startsAt: '2026-09-29T14:00:00.000Z',
      sourceUrl: 'https://city.example.org/',
    },
  ]);
  const first = requests.length;
  expect(await sync()).toMatchObject({ appended: 0, removed: 0 });
  // The list of each year, and the details of what is not long past.
  const years = new Date().getFullYear() + 1 - 2020 + 1;
  expect(requests.slice(first).filter((request) => request.startsWith('POST'))).toHaveLength(years);
  days = [{ Items: days[1]!.Items }];
  expect(await sync()).toMatchObject({ removed: 1 });
  days = [];
  expect(await sync()).toMatchObject({
    removed: 0,
    failure: expect.stringContaining('list of meetings is empty') as string,
  });
});

test('a CivicClerk client gives the events of all pages, with the local time that it marks as UTC', async () => {
  const event = { id: 1, eventName: 'Board of Commissioners', startDateTime: '2025-12-08T09:30:00Z', categoryId: 26 };
  const eventLocation = {
    address1: 'Room 132',
    address2: '218 W 6th ST',
    city: 'Tulsa',
    state: 'OK',
    zipCode: '74119',
  };
  const publishedFiles = [
    { fileId: 9405, name: 'Agenda Packet', type: 'Agenda Packet' },
    { fileId: 9404, name: 'Agenda', type: 'Agenda' },
  ];
  let nextLink: unknown = `${base}/v1/Events?page=2`;
  answer = (_request, { pathname, searchParams }) => {
    if (pathname !== '/v1/Events') return undefined;
    if (searchParams.get('page') !== '2')
      return { value: [{ ...event, eventLocation, publishedFiles }], '@odata.nextLink': nextLink };
    const special = {
      ...event,
      eventName: 'Board of Commissioners Special Meeting',
      startDateTime: '2025-07-16T10:00:00Z',
    };
    return {
      value: [
        { ...special, id: 2 },
        { ...special, id: 3, eventName: 'Board of Commissioners' },
      ],
    };
  };
  const place = { slug: 'tulsa-county', name: 'Tulsa County', timezone: 'America/Chicago' };
  const sync = () => civicclerk.sync({ client: 'tulsa', options: {}, place }, target());
  expect(await sync()).toMatchObject({ failure: null, rejected: [], read: { bodies: 1, events: 3 } });
  expect(records.one('public_bodies', 'name', 'Board of Commissioners')).toBeDefined();
  expect(meetings().map(({ title }) => title)).toContain('Board of Commissioners Special Meeting');
  expect(meetings().at(-1)).toMatchObject({
    startsAt: '2025-12-08T15:30:00.000Z',
    location: 'Room 132, 218 W 6th ST, Tulsa, OK 74119',
  });
  expect(
    new Set(records.all('documents').map(({ content }) => `${String(content.kind)} ${String(content.url)}`)),
  ).toEqual(
    new Set([
      'agenda https://example.portal.civicclerk.com/event/1/files/agenda/9404',
      'packet https://example.portal.civicclerk.com/event/1/files/agenda/9405',
    ]),
  );
  nextLink = 'Events?page=2';
  expect(await sync()).toMatchObject({ failure: null, read: { events: 3 } });
  // A copy of the service can link to the service itself.
  nextLink = 'https://tulsa.api.civicclerk.com/v1/Events?page=2';
  expect(await sync()).toMatchObject({ failure: null, read: { events: 3 } });
  for (nextLink of ['https://elsewhere.example.org/v1/Events', 'http://[', 2]) {
    expect(await sync()).toMatchObject({ removed: 0, failure: expect.stringContaining('next page') as string });
  }
  nextLink = `${base}/v1/Events?page=1`;
  requests.length = 0;
  expect(await sync()).toMatchObject({
    removed: 0,
    failure: 'page 2 of the list of events has no row that the pages before it do not have',
  });
  expect(requests).toHaveLength(2);
});

test('an OpenCities entry whose page is gone or missing does not stop the others', async () => {
  let status: number | undefined = 410;
  const items = ['a', 'b'].map((id) => entry(id, 'Library Board', '19/05/2026 9:00:00 AM'));
  answer = (_request, { pathname, searchParams }, posted) => {
    if (!pathname.endsWith('contentinfo'))
      return { success: true, data: posted.StartDate === '2026-01-01' ? [{ Items: items }] : [] };
    return searchParams.get('contentId') === 'a'
      ? status
      : { success: true, data: { Link: 'https://city.example.org/b' } };
  };
  const sync = () => opencities.sync({ client: CALENDAR, options: { since: '2026-01-01' } }, target());
  expect(await sync()).toMatchObject({ failure: null, failedEvents: 0, read: { events: 2 } });
  const addresses = records.all('meetings').map(({ content }) => String(content.sourceUrl));
  expect(addresses.toSorted()).toEqual(['https://city.example.org/', 'https://city.example.org/b']);
  status = undefined;
  expect(await sync()).toMatchObject({ failure: null, failedEvents: 1, removed: 0 });
});

describe('an event of CivicClerk', () => {
  // A poll reads again what is not long past.
  const day = `${new Date().getFullYear() + 1}-03-24`;
  const board = {
    id: 1,
    eventName: 'Board of Review Regular Meeting',
    startDateTime: `${day}T18:30:00Z`,
    categoryId: 26,
    categoryName: 'Board of Review',
    isPublished: 'Published',
    isDeleted: false,
  };
  const panel = { ...board, id: 2, eventName: 'Design Panel', categoryId: 27, categoryName: 'Design Panel' };
  const place = { slug: 'riverside', name: 'Riverside', timezone: 'America/Chicago' };
  const sync = (...events: object[]) => {
    answer = () => ({ value: events });
    return civicclerk.sync({ client: 'riverside', options: {}, place }, target());
  };
  const meeting = (id: number) => meetings().find(({ sourceRecordId }) => sourceRecordId === String(id));
  const addresses = () =>
    records.all('documents').map(({ content }) => `${String(content.kind)} ${String(content.url).split('/').at(-1)}`);

  test('has its category as the body and its name as the title, and keeps its earlier body', async () => {
    const { categoryName: _, ...unnamed } = board;
    await sync(unnamed);
    const [before] = records
      .all('public_bodies')
      .filter(({ content }) => content.name === 'Board of Review Regular Meeting');
    await sync(board);
    const [after] = records.all('public_bodies').filter(({ content }) => content.name === 'Board of Review');
    expect([after!.id, after!.content.slug]).toEqual([before!.id, before!.content.slug]);
    expect(meeting(1)).toMatchObject({ publicBodyId: after!.id, title: 'Board of Review Regular Meeting' });
  });

  test.each([
    [{ isDeleted: true }, 'the source has deleted it'],
    [{ isDeleted: 'true' }, 'the source has deleted it'],
    [{ isDeleted: 1 }, 'the source has deleted it'],
    [{ isPublished: 'Draft' }, 'the source has not published it ("Draft")'],
    [{ isPublished: 'Unpublished' }, 'the source has not published it ("Unpublished")'],
    [{ isPublished: null }, 'the source has not published it (null)'],
    [{ isPublished: 'Draft', isDeleted: undefined }, 'the source has not published it ("Draft")'],
    [{ isDeleted: true, isPublished: undefined }, 'the source has deleted it'],
    [{ isDeleted: true, eventName: '', startDateTime: null }, 'the source has deleted it'],
  ])('with %j is not public: it is left out, and withdrawn where it was published', async (hidden, reason) => {
    const outcome = { skipped: [{ what: 'event', id: '2', reason, isIntended: true }], failure: null };
    expect(await sync(board, { ...panel, ...hidden })).toMatchObject(outcome);
    expect(meeting(2)).toBeUndefined();
    expect(records.all('public_bodies').map(({ content }) => content.name)).not.toContain('Design Panel');
    await sync(board, panel);
    expect(meeting(2)).toBeDefined();
    expect(await sync(board, { ...panel, ...hidden })).toMatchObject({ ...outcome, removed: 1 });
    expect(meeting(2)).toBeUndefined();
    expect(meeting(1)).toBeDefined();
  });

  test('is withdrawn although it is the only one of its client', async () => {
    await sync(board);
    expect(await sync({ ...board, isDeleted: true })).toMatchObject({ failure: null, removed: 1 });
    expect(meetings()).toEqual([]);
  });

  test.each(['0001-01-01T00:00:00Z', '1900-01-01T00:00:00Z', '1989-12-31T18:30:00Z', '2226-03-24T18:30:00Z'])(
    'on %s has no date: it is counted as skipped, and what is published of it stays',
    async (startDateTime) => {
      const outcome = {
        skipped: [{ id: '2', reason: `has an implausible date (${startDateTime.slice(0, 10)})` }],
        failure: null,
      };
      expect(await sync(board, { ...panel, startDateTime })).toMatchObject(outcome);
      expect(meeting(2)).toBeUndefined();
      await sync(board, panel);
      expect(await sync(board, { ...panel, startDateTime })).toMatchObject({ ...outcome, removed: 0 });
      expect(meeting(2)).toMatchObject({ startsAt: `${day}T23:30:00.000Z` });
      expect(records.all('sources').map(({ content }) => content.lastCheckSkipped)).toContain(1);
    },
  );

  test('is cancelled by its description, which is its comment, and by its name beside a category', async () => {
    const eventDescription = '<p><strong>THIS MEETING HAS BEEN CANCELLED</strong></p><p>Call &amp; ask</p>';
    await sync(
      { ...board, eventDescription },
      { ...panel, eventName: 'Riverside Design Panel Meeting-- CANCELED' },
      { ...board, id: 3 },
    );
    expect(meeting(1)).toMatchObject({ status: 'cancelled', comment: 'THIS MEETING HAS BEEN CANCELLED\nCall & ask' });
    expect(meeting(2)).toMatchObject({ status: 'cancelled', title: 'Riverside Design Panel Meeting' });
    expect(meeting(3)).toMatchObject({ status: 'scheduled' });
    expect(meeting(3)!.comment).toBeUndefined();
  });

  const agenda = { fileId: 10, type: 'Agenda', name: 'Agenda' };
  test.each([
    [
      'published last',
      { ...agenda, publishOn: '2026-03-18T09:00:00Z' },
      { ...agenda, fileId: 9, publishOn: '2026-03-20T09:00:00Z' },
      9,
    ],
    ['revised', { ...agenda, fileId: 11 }, { ...agenda, name: 'Agenda - Revised' }, 10],
    ['in the higher version', { ...agenda, name: 'Agenda v2', fileId: 12 }, { ...agenda, name: 'Agenda v3' }, 10],
    ['with the higher number', agenda, { ...agenda, fileId: 11 }, 11],
  ])('shows of two agenda files the one that was %s', async (_, first, second, expected) => {
    for (const publishedFiles of [
      [first, second],
      [second, first],
    ]) {
      await sync({ ...board, publishedFiles });
      expect(addresses()).toEqual([`agenda ${expected}`]);
    }
  });

  test('shows its agenda packet as a document of its own', async () => {
    await sync({ ...board, publishedFiles: [{ fileId: 20, type: 'Agenda Packet', name: 'Packet' }, agenda] });
    expect(addresses().toSorted()).toEqual(['agenda 10', 'packet 20']);
    await sync({ ...board, publishedFiles: [agenda] });
    expect(addresses()).toEqual(['agenda 10']);
  });
});

test.each([
  ['TechShare', () => techShareHttpClient(`${base}/publicportal`, COMMITTEE, options()).meetings()],
  ['OpenCities', () => openCitiesHttpClient(base, CALENDAR, options()).entries(2026)],
  ['CivicClerk', () => civicClerkHttpClient(`${base}/v1`, options()).events()],
])('an address without %s is an unknown client, and an answer of another form no list', async (_platform, read) => {
  answer = () => undefined;
  await expect(read()).rejects.toThrow(UnknownSourceClient);
  answer = () => ({ value: null, data: {}, success: true });
  await expect(read()).rejects.toThrow(SourceUnavailable);
});

test('a client without the id of its committee, and a calendar without a site, are refused with what is missing', () => {
  expect(techSharePortal(TECHSHARE_CLIENT)).toEqual({
    portal: 'https://tarrant-agendamanagement-public.techsharetx.gov/publicportal',
    committeeId: COMMITTEE,
  });
  expect(() => techSharePortal('tarrant')).toThrow(SyncRefused);
  expect(openCitiesSite(CALENDAR)).toBe('https://www.fortworthtexas.gov');
  expect(() => openCitiesSite('another')).toThrow('--base-url');
});

test('names and places of every platform have no entities, and a notice in them is read', async () => {
  const name = 'M&uacute;sica &amp; Arte Board &#150; CANCELLED';
  answer = (_request, { pathname }) => {
    if (pathname.endsWith('/readArchived'))
      return { data: [{ ...techshareMeeting, meetingType: 'M&uacute;sica &amp; Arte Board', description: name }] };
    if (pathname.endsWith('/readCurrentAndUpcoming')) return { data: [] };
    if (pathname === '/ocapi/get/contentinfo')
      return { success: true, data: { Address: { Formatted: 'Sal&oacute;n&nbsp;5' } } };
    if (pathname === '/ocapi/calendars/getcalendaritems')
      return { success: true, data: [{ Items: [entry('art', name, '10/03/2026 6:30:00 PM')] }] };
    const eventLocation = { address1: 'Sal&oacute;n&nbsp;5' };
    return {
      value: [{ id: 1, eventName: name, startDateTime: '2026-03-10T18:30:00Z', categoryId: 26, eventLocation }],
    };
  };
  const place = { slug: 'tulsa-county', name: 'Tulsa County', timezone: 'America/Chicago' };
  await techshare.sync({ client: TECHSHARE_CLIENT, options: {} }, target());
  await opencities.sync({ client: CALENDAR, options: {} }, target());
  await civicclerk.sync({ client: 'tulsa', options: {}, place }, target());
  const cancelled = { title: 'Música & Arte Board', status: 'cancelled' };
  expect(meetings()).toMatchObject([
    cancelled,
    { ...cancelled, location: 'Salón 5' },
    { ...cancelled, location: 'Salón 5' },
  ]);
  expect(records.all('public_bodies').filter(({ content }) => content.name === 'Música & Arte Board')).toHaveLength(3);
});
