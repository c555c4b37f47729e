import { expect, test } from 'vitest';
import { splitNumber, underNumber } from '../../src/sources/pages/item-number.ts';
import { SECONDARY_LABELS } from '../../src/sources/agendas/secondary-labels.ts';
import { swagitReader } from '../../src/sources/swagit/reader.ts';
import { type Pages, servePages } from '../support/sources/served-pages.ts';

const clock = { now: () => Date.parse('2026-11-28T12:00:00Z'), sleep: async () => undefined };

function open(pages: Pages, options: { readonly view?: string; readonly since?: string } = {}) {
  const { web, requests } = servePages(pages);
  const { view, since } = options;
  return { reader: swagitReader({ web, site: 'https://example.new.swagit.com', view, since, clock }), requests };
}

const row = (id: number, title: string, day: string): string => `<tr><td><a href="/videos/${id}">${title}</a></td>
  <td nowrap>
    ${day}
  </td><td>10m 44s</td></tr>`;

const page = (active: string, rows: readonly string[], next = ''): string => `<html><head>
  <meta name="csrf-token" content="${Math.random()}"><title>News Video(s) - City of Another, TX</title></head><body>
  <ul class="nav nav-tabs"><li class=""><a href="/views/9/live">Live</a></li>
  <li class=" ${active === 'court' ? 'active' : ''}"><a href="/views/9/court-archive">Commissioners Court Archive</a></li>
  <li class=" ${active === 'events' ? 'active' : ''}"><a href="/views/9/events">County Events</a></li></ul>
  <table id="video-table"><thead><tr><th>Video</th></tr></thead><tbody>${rows.join('')}</tbody></table>
  <ul class="pagination"><li><a rel="next" href="${next}">2</a></li></ul></body></html>`;

const COURT = page(
  'court',
  [row(20, 'Regular Meeting', 'Nov 10, 2026'), row(19, 'Workshop - CANCELED', 'Feb 3, 2026')],
  '/views/9/court-archive?page=2',
);
const PAGES: Pages = {
  '/views/default': { movedTo: '/views/9' },
  '/views/9': COURT,
  '/views/9/court-archive?page=2': page(
    'court',
    [row(18, 'Regular Meeting', 'Mar 4, 2025'), row(17, 'Regular Meeting', 'Dec 9, 2024')],
    '/views/9/court-archive?page=3',
  ),
  '/views/9/events': page('events', [
    row(30, 'Ribbon Cutting', 'Oct 1, 2026'),
    row(20, 'Regular Meeting', 'Nov 10, 2026'),
  ]),
};

test('recordings of the last two years are held meetings, and the list is their body', async () => {
  const { reader, requests } = open(PAGES);
  expect(await reader.bodies()).toMatchObject([{ BodyName: 'Commissioners Court' }]);
  const events = await reader.events(null);
  expect(events).toMatchObject([
    { EventId: 20, EventDate: '2026-11-10', EventTitle: 'Regular Meeting', EventVideoStatus: 'Public' },
    { EventId: 19, EventTitle: 'Workshop', EventName: 'Workshop - CANCELED' },
    { EventId: 18, EventDate: '2025-03-04', EventInSiteURL: 'https://example.new.swagit.com/videos/18' },
    { EventId: 30, EventHidden: 'its title names no meeting' },
  ]);
  expect(reader.listedFrom).toBe('2025-01-01');
  expect(requests.map(({ path }) => path)).not.toContain('/views/9/live');
  expect(requests.map(({ path }) => path)).not.toContain('/views/9/court-archive?page=3');
});

test('a list or a page that cannot be read is reported, and the others are read', async () => {
  const { '/views/9/court-archive?page=2': _page, '/views/9/events': _events, ...rest } = PAGES;
  expect(await open(rest).reader.events(null)).toEqual([
    expect.objectContaining({ EventId: 20 }),
    expect.objectContaining({ EventId: 19 }),
    {
      EventId: undefined,
      EventUnread: 'the list Commissioners Court Archive: no page at /views/9/court-archive?page=2',
    },
    { EventId: undefined, EventUnread: 'the list County Events: no page at /views/9/events' },
  ]);
  await expect(open({ '/views/9': '<h1>Sign in</h1>' }, { view: '9' }).reader.bodies()).rejects.toThrow('no view');
  expect(() => open(PAGES, { view: '../admin' })).toThrow('view "../admin" is none');
});

test('a view without lists has the bodies of its titles', async () => {
  const view = `<table id="video-table">${row(5, 'Special City Council Meeting', 'Sep 15, 2026')}${row(4, 'Sep 01, 2026 Planning and Zoning Commission', '09/01/2026')}</table>`;
  const { reader } = open({ '/views/12': view }, { view: '12' });
  expect((await reader.bodies()).map((body) => (body as { BodyName: string }).BodyName)).toEqual([
    'City Council',
    'Planning and Zoning Commission',
  ]);
});

const player = (
  id: number,
  title: string,
  inner = '',
): string => `<div class="media"><span class="playerControl" data-id="${id}" data-ts="1" data-title="${title}"></span>
  <div class="media-heading"><a class="playerControl" data-id="${id}" data-title="${title}" href="/play/20/1">${title}</a></div>
  <div class="cpx" id="md-index${id}">${inner}</div></div>`;

test('the index of a recording, which is on the page twice, gives each item once with the number of its parents', async () => {
  const index = [
    player(101, '1) Call to Order'),
    player(102, '4. Consent &amp; Reports', player(103, 'D) Clerk', player(104, '4.D.2. Destroy Badges (Judge Deen)'))),
    player(105, 'Adjournment'),
  ].join('');
  const { reader, requests } = open({
    '/videos/20': `<div id="video-index">${index}</div><div id="video-index-sm">${index}</div><a href="/videos/20/agenda">Agenda</a>`,
  });
  expect(await reader.eventItems(20)).toMatchObject([
    { EventItemId: 101, EventItemAgendaNumber: '1', EventItemTitle: 'Call to Order' },
    { EventItemId: 102, EventItemAgendaNumber: '4', EventItemTitle: 'Consent & Reports' },
    { EventItemId: 103, EventItemAgendaNumber: '4.D', EventItemTitle: 'Clerk' },
    { EventItemId: 104, EventItemAgendaNumber: '4.D.2', EventItemTitle: 'Destroy Badges (Judge Deen)' },
    { EventItemId: 105, EventItemAgendaNumber: null, EventItemTitle: 'Adjournment' },
  ]);
  expect(await reader.details!(20)).toEqual({ EventAgendaFile: 'https://example.new.swagit.com/videos/20/agenda' });
  expect(requests).toHaveLength(1);
});

test('an agenda that is only a text has no items and says so', async () => {
  const { reader } = open({ '/videos/20': '<div id="full-agenda"><p>1. Call to order</p></div>' });
  expect(await reader.eventItems(20)).toEqual([]);
  expect(await reader.details!(20)).toEqual({ EventAgendaHasText: true });
});

test.each([
  ['2.a) Review', '2.a', 'Review'],
  ['(3) Report', '3', 'Report'],
  ['IV. Reports', 'IV', 'Reports'],
  ['3. Fire Marshal: Burn Ban', '3', 'Fire Marshal: Burn Ban'],
  ['Mr. Smith speaks', null, 'Mr. Smith speaks'],
  ['2026 Budget', null, '2026 Budget'],
])('the number of %j is %j', (text, number, title) => {
  expect(splitNumber(text)).toEqual({ number, title });
});

test('a number that names its parent stays', () => {
  expect(underNumber('2', '2.a')).toBe('2.a');
  expect(underNumber('2', 'a')).toBe('2.a');
  expect(underNumber('2', '2')).toBe('2.2');
  expect(underNumber(null, 'a')).toBe('a');
});

test('a page with too many recordings says that it was not read as a whole', async () => {
  const rows = Array.from({ length: 5_001 }, (_, index) => row(index + 1, 'Council Meeting', 'Sep 15, 2026'));
  const { reader } = open({ '/views/12': `<table id="video-table">${rows.join('')}</table>` }, { view: '12' });
  const events = await reader.events(null);
  expect(events).toHaveLength(5_001);
  expect(events.at(-1)).toMatchObject({ EventUnread: expect.stringContaining('more than 5000 links') as string });
});

test('its label names a platform of recordings to the sources of other clients', () => {
  const { platform } = open({}).reader;
  expect([platform.isSecondary, SECONDARY_LABELS.has(platform.label)]).toEqual([true, true]);
});
