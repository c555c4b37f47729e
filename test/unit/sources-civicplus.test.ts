import { expect, test } from 'vitest';
import { civicPlusReader } from '../../src/sources/civicplus/reader.ts';
import { type Pages, servePages } from '../support/sources/served-pages.ts';

interface Row {
  readonly id: number;
  readonly date: string;
  readonly heading: string;
  readonly title: string;
  readonly more?: string;
}

const address = ({ date, id }: Row): string => `_${date}-${id}`;

/** A row of the layout of today. Each link occurs twice. */
const row = (each: Row): string => `
  <tr id="row${each.id}2e48d53f" class="catAgendaRow"><td>
    <h3 class="noMargin" id="h4${each.date}-${each.id}"><a id="${address(each)}" name="${address(each)}"></a>
      <strong aria-label="Agenda for ${each.heading}"><abbr title="June">Jun</abbr> 2</strong>
      &thinsp;&mdash;&thinsp;Amended <abbr title="December">Dec</abbr> 15, 2016 2:36 PM</h3>
    <p><a href="/AgendaCenter/ViewFile/Agenda/${address(each)}">
      ${each.title}
    </a></p></td>
    <td class="minutes"></td></td>
    <td class="downloads"><ol><li><a class="pdf" href="/AgendaCenter/ViewFile/Agenda/${address(each)}">Agenda</a></li>
      ${each.more ?? ''}</ol></td></tr>`;

const years = (id: number, [current, ...others]: readonly number[]): string => `<ul class="years">
  <li class=current><a aria-label="Town Council ${current}" href="javascript:changeYear(${current}, ${id},'a0')">${current}</a></li>
  ${others.map((year) => `<li><a aria-label="Town Council ${year}" href="javascript:changeYear(${year}, ${id}, 'a1')">${year}</a></li>`).join('')}
  </ul>`;

const section = (id: number, current: readonly number[], rows: readonly string[]): string =>
  `<span id="section${id}">${years(id, current)}<table id="table${id}"><tbody>${rows.join('')}</tbody></table></span>`;

const center = (...listings: readonly string[]): string =>
  `<html><body><div id="AgendaCenterContent"><ol><li><label for="9"><input type="checkbox" name="chkCategoryID" value="9">
   Parks, Trails & Open Space Board </label></li></ol>${listings.join('')}</div></body></html>`;

const listing = (id: number, heading: string, content: string): string =>
  `<div class="listing listingCollapse noHeader" id="cat${id}">${heading}${content}</div>`;

const council = listing(
  4,
  '<h2 tabindex="0"><span id="span4">&#9660;</span>Town Council</h2>',
  section(
    4,
    [2026, 2025],
    [
      row({
        id: 178,
        date: '03042026',
        heading: 'March 4, 2026',
        title: 'Regular Meeting',
        more: `<li><a class="pdf" href="/AgendaCenter/ViewFile/Agenda/_03042026-178?packet=true">Packet</a></li>
        <li><a class="html" href="/AgendaCenter/ViewFile/Agenda/_03042026-178?html=true">HTML</a></li>
        <li><a class="previous" href="/AgendaCenter/PreviousVersions/_03042026-178">Previous Versions</a></li>
        <li><a href="/AgendaCenter/ViewFile/Minutes/_03042026-178">Minutes</a></li>`,
      }),
    ],
  ),
);
const minutesOnly = `<tr id="row929828d9314" class="catAgendaRow"><td><h4><a name="_08272020-929"></a>
  <strong><abbr title="August">Aug</abbr> 27, 2026</strong></h4><p>Airport Board</p></td>
  <td class="minutes"><a href="/AgendaCenter/ViewFile/Minutes/_08272026-929"></a></td></tr>`;

const NOVEMBER = Date.parse('2026-11-28T12:00:00Z');

function open(
  pages: Pages,
  options: { readonly category?: string; readonly since?: string; readonly now?: number } = {},
) {
  const { web, requests } = servePages(pages);
  const clock = { now: () => options.now ?? NOVEMBER, sleep: async () => undefined };
  const { category, since } = options;
  return { reader: civicPlusReader({ web, site: 'https://www.example.gov', category, since, clock }), requests };
}

test('a row states day, title and files of a meeting, and the body is its category', async () => {
  const { reader, requests } = open({ '/AgendaCenter': center(council) });
  expect(await reader.bodies()).toEqual([{ BodyId: 4, BodyName: 'Town Council' }]);
  const file = 'https://www.example.gov/AgendaCenter/ViewFile/Agenda/_03042026-178';
  expect(await reader.events(null)).toEqual([
    {
      EventId: 178,
      EventBodyId: 4,
      EventBodyName: 'Town Council',
      EventTitle: 'Regular Meeting',
      EventDate: '2026-03-04',
      EventName: 'Regular Meeting',
      EventAgendaFile: file,
      EventAgendaHtml: `${file}?html=true`,
      EventPacketFile: `${file}?packet=true`,
      EventMinutesFile: 'https://www.example.gov/AgendaCenter/ViewFile/Minutes/_03042026-178',
      EventOtherFiles: [],
      EventInSiteURL: file,
    },
  ]);
  expect(requests).toHaveLength(1);
});

test('an older layout without headings names its category by the form or the links of years', async () => {
  const { reader } = open({
    '/AgendaCenter': center(
      listing(9, '', section(9, [2026], [minutesOnly])),
      listing(5, '', section(5, [2026], [minutesOnly.replaceAll('929', '930')])),
    ),
  });
  expect(await reader.events(null)).toMatchObject([
    { EventId: 929, EventBodyName: 'Parks, Trails & Open Space Board', EventDate: '2026-08-27', EventAgendaFile: null },
    { EventId: 930, EventBodyName: 'Town Council', EventInSiteURL: 'https://www.example.gov/AgendaCenter' },
  ]);
});

test('a category can be named by a heading of another level, which is not that of a row', async () => {
  const unlabeled = council.replaceAll(/aria-label="Town[^"]*"/g, '');
  const nameIn = async (list: string) => (await open({ '/AgendaCenter': center(list) }).reader.events(null))[0];
  expect(await nameIn(unlabeled.replaceAll(/<(\/?)h2/g, '<$1h3'))).toMatchObject({ EventBodyName: 'Town Council' });
  expect(await nameIn(unlabeled.replace(/<h2.*?<\/h2>/, ''))).toMatchObject({ EventBodyName: '' });
});

test('the years since a date are read by POST, and without one only the last year while its minutes are late', async () => {
  const old = section(
    4,
    [2025, 2026],
    [row({ id: 90, date: '12032025', heading: 'December 3, 2025', title: 'Regular Meeting' })],
  );
  const path = '/AgendaCenter/UpdateCategoryList?year=2025&catID=4&term=&prevVersionScreen=false';
  const pages = { '/AgendaCenter': center(council), [path]: old };
  const since = open(pages, { since: '2025-06-01' });
  expect(await since.reader.events('2025-06-01')).toMatchObject([
    { EventId: 178 },
    { EventId: 90, EventDate: '2025-12-03' },
  ]);
  expect(since.requests.at(-1)).toEqual({ path, form: { year: '2025', catID: '4' } });
  expect(await open(pages).reader.events(null)).toHaveLength(1);
  const january = open(pages, { now: Date.parse('2026-01-20T12:00:00Z') }).reader;
  expect(await january.events(null)).toHaveLength(2);
  expect(january.listedFrom).toBe('2025-01-01');
});

test('a year that cannot be read, or that answers with a whole page, is reported and not taken for empty', async () => {
  const pages = { '/AgendaCenter': center(council) };
  const read = async (answer: Pages[string]) =>
    open(
      { ...pages, '/AgendaCenter/UpdateCategoryList?year=2025&catID=4&term=&prevVersionScreen=false': answer },
      { since: '2025-01-01' },
    ).reader.events(null);
  expect(await read({ failure: 'status 403' })).toEqual([
    expect.objectContaining({ EventId: 178 }),
    { EventId: undefined, EventUnread: 'the list of 2025 of Town Council: status 403' },
  ]);
  expect(await read('<html><body><h1>An error has occurred.</h1></body></html>')).toContainEqual({
    EventId: undefined,
    EventUnread: 'the list of 2025 of Town Council: the answer has no agendas of it',
  });
});

test('another page is not an AgendaCenter', async () => {
  const { reader } = open({ '/AgendaCenter': '<html><body><script>bm-verify</script></body></html>' });
  await expect(reader.bodies()).rejects.toThrow('the page is no AgendaCenter');
  expect(await open({ '/AgendaCenter': center() }).reader.bodies()).toEqual([]);
});

test('categories are selected by names and ids, and a missing one is named', async () => {
  const parks = listing(9, '<h2>Parks, Trails &amp; Open Space Board</h2>', section(9, [2026], [minutesOnly]));
  const read = async (category: string) =>
    (await open({ '/AgendaCenter': center(council, parks) }, { category }).reader.bodies()).length;
  expect(await read('parks, trails & open space board')).toBe(1);
  expect(await read('9, Town Council')).toBe(2);
  await expect(read('4, Planning')).rejects.toThrow(
    'the source has no category "planning"; it has Town Council (4), Parks, Trails & Open Space Board (9)',
  );
});

test('the day of the heading stands where the address has another one, and a redirect moves the links', async () => {
  const moved = listing(
    4,
    '<h2>Council</h2>',
    section(4, [2026], [row({ id: 2, date: '06022025', heading: 'September 9, 2026', title: 'Regular Meeting' })]),
  );
  const { reader } = open({
    '/AgendaCenter': { movedTo: 'https://www.other.gov/agendacenter' },
    '/agendacenter': center(moved),
  });
  expect(await reader.events(null)).toMatchObject([
    { EventDate: '2026-09-09', EventAgendaFile: 'https://www.other.gov/AgendaCenter/ViewFile/Agenda/_06022025-2' },
  ]);
});

test('a page that is nested too deeply or has too many elements is refused', async () => {
  const read = (page: string) => open({ '/AgendaCenter': page }).reader.bodies();
  await expect(read('<div>'.repeat(100_000))).rejects.toThrow('nested too deeply');
  await expect(read('<br>'.repeat(500_000))).rejects.toThrow('more than 400000 elements');
});

const htmlItem = (level: number, bullet: string, title: string, more = ''): string =>
  `<div class="item level${level}"><div class="bullet"><span>${bullet}</span></div><span class="title">${title}</span>${more}</div>`;

test('an agenda that is a page has items with the numbers of their levels, nested or not', async () => {
  const html = '/AgendaCenter/ViewFile/Agenda/_03042026-178?html=true';
  const pages = (content: string) => ({
    '/AgendaCenter': center(council),
    [html]: `<body><div class="item">Menu</div>${content}</body>`,
  });
  const read = async (content: string) => {
    const { reader } = open(pages(content));
    await reader.events(null);
    return reader.eventItems(178);
  };
  const file = '<div class="documents"><a class="file" href="/AgendaCenter/ViewFile/Item/9">Report.pdf</a></div>';
  const inner = htmlItem(2, 'A.', 'Resolution 1', `<div class="desc">Approve a contract</div>${file}`);
  const expected = [
    { EventItemAgendaNumber: '9', EventItemTitle: 'CONSENT AGENDA', EventItemMatterAttachments: [] },
    {
      EventItemAgendaNumber: '9.A',
      EventItemTitle: 'Resolution 1',
      EventItemAgendaNote: 'Approve a contract',
      EventItemMatterAttachments: [
        { MatterAttachmentHyperlink: 'https://www.example.gov/AgendaCenter/ViewFile/Item/9' },
      ],
    },
    { EventItemAgendaNumber: '10', EventItemTitle: 'Adjournment' },
  ];
  const nested = await read(`${htmlItem(1, '9.', 'CONSENT AGENDA', inner)}${htmlItem(1, '10.', 'Adjournment')}`);
  const siblings = await read(`${htmlItem(1, '9.', 'CONSENT AGENDA')}${inner}${htmlItem(1, '10.', 'Adjournment')}`);
  expect(nested).toMatchObject(expected);
  expect(siblings).toEqual(nested);
});

test('a page with a list of files is not read as an agenda', async () => {
  const html = '/AgendaCenter/ViewFile/Agenda/_03042026-178?html=true';
  const read = async (content: string) => {
    const { reader } = open({ '/AgendaCenter': center(council), [html]: content });
    await reader.events(null);
    return reader.eventItems(178);
  };
  expect(await read(htmlItem(1, '', 'Agenda Packet') + htmlItem(1, '', 'Staff Reports'))).toEqual([]);
  const numbered = htmlItem(1, '1.', 'Call to Order') + htmlItem(1, '2.', 'Adjournment');
  expect(await read(numbered)).toHaveLength(2);
  expect(await read(`${numbered}<p>${'a '.repeat(500_000)}</p>`)).toEqual([]);
});

test('a page of many rows takes time in proportion to its size', async () => {
  const rows = '<tr class="catAgendaRow"><td><p>a</p>'.repeat(60_000);
  const before = process.cpuUsage().user;
  await open({ '/AgendaCenter': center(section(1, [2026], [rows])) }).reader.bodies();
  // Microseconds of the processor; a search among siblings took more than ten times as much.
  expect(process.cpuUsage().user - before).toBeLessThan(4_000_000);
});

test('lists of agendas and of packets are of one body, and a packet of a day joins the agenda with its words', async () => {
  const agenda = { id: 20, date: '03042026', heading: 'March 4, 2026', title: 'Council Agenda - 3/4/2026 - Reg' };
  const packet = { ...agenda, id: 21, title: 'Council Packet - 03/04/26 - reg' };
  const lists = center(
    listing(3, '<h2>City Council Agendas</h2>', section(3, [2026], [row(agenda)])),
    listing(1, '<h2>City Council Meeting Packets</h2>', section(1, [2026], [row(packet)])),
  );
  const { reader } = open({ '/AgendaCenter': lists });
  expect(await reader.bodies()).toEqual([{ BodyId: 1, BodyName: 'City Council' }]);
  const file = (id: number) => `https://www.example.gov/AgendaCenter/ViewFile/Agenda/_03042026-${id}`;
  expect(await reader.events(null)).toMatchObject([
    { EventId: 20, EventAgendaFile: file(20), EventPacketFile: file(21), EventOtherFiles: [] },
  ]);
});

test.each(['General', 'Other Agendas', 'Public Meetings'])(
  'a list "%s" names no body, but a title in it can',
  async (list) => {
    const agenda = { id: 20, date: '03042026', heading: 'March 4, 2026', title: 'Regular Meeting' };
    const rows = [
      row({ ...agenda, id: 21, title: 'City Council Special Meeting' }),
      row({ ...agenda, id: 22, title: '3/4/2026 Charter Review Commission Agenda' }),
      row({ ...agenda, id: 23, title: 'Budget Town Hall' }),
    ];
    const lists = center(
      listing(3, '<h2>City Council Agendas</h2>', section(3, [2026], [row(agenda)])),
      listing(8, `<h2>${list}</h2>`, section(8, [2026], rows)),
    );
    const { reader } = open({ '/AgendaCenter': lists });
    expect(await reader.bodies()).toMatchObject([
      { BodyName: 'City Council' },
      { BodyName: 'Charter Review Commission' },
    ]);
    expect(await reader.events(null)).toMatchObject([
      { EventId: 20, EventBodyId: 3 },
      { EventId: 21, EventBodyId: 3 },
      { EventId: 22, EventBodyName: 'Charter Review Commission' },
      { EventId: 23, EventHidden: `its list "${list}" and its title name no body`, EventUnplaced: true },
    ]);
  },
);

test('a heading names the category of its listing, also where the listing has no id', async () => {
  const lists = center(council, parksBoard).replaceAll(/ id="cat\d+"/g, '');
  const page = `<h2>Search</h2>${lists}<h2>Contact</h2>`;
  expect(await open({ '/AgendaCenter': page }).reader.bodies()).toEqual([
    { BodyId: 4, BodyName: 'Town Council' },
    { BodyId: 5, BodyName: 'Parks Board' },
  ]);
});
const parksBoard = listing(5, '<h2>Parks Board</h2>', section(5, [2026], [minutesOnly]));
