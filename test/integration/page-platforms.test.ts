import { beforeEach, expect, test } from 'vitest';
import { agendaConnector } from '../../src/sources/agendas/sync.ts';
import { catalogueRecords } from '../../src/sources/catalogue/catalogue-records.ts';
import { civicPlusReader } from '../../src/sources/civicplus/reader.ts';
import { servePages } from '../support/sources/served-pages.ts';
import { MemoryRecords } from './agendas/memory-records.ts';

const clock = { now: () => Date.parse('2026-11-28T12:00:00Z'), sleep: async () => undefined };
const PLACE = { slug: 'example-city', name: 'Example City', timezone: 'America/Chicago' };

let records: MemoryRecords;
beforeEach(async () => {
  records = new MemoryRecords();
  await records.write(catalogueRecords());
});

interface Row {
  readonly id: number;
  /** `MMDDYYYY`. */
  readonly day: string;
  readonly title: string;
}

const rowOf = ({ id, day, title }: Row): string => `<tr class="catAgendaRow"><td><p>
  <a href="/AgendaCenter/ViewFile/Agenda/_${day}-${id}">${title}</a></p></td></tr>`;

const section = (rows: readonly Row[], years: readonly number[]): string => `<span id="section4"><ul class="years">
  ${years.map((year, index) => `<li class="${index === 0 ? 'current' : ''}"><a href="javascript:changeYear(${year}, 4,'a0')">${year}</a></li>`).join('')}</ul>
  <table>${rows.map(rowOf).join('')}</table></span>`;

const center = (...content: Parameters<typeof section>): string =>
  `<div id="AgendaCenterContent"><div class="listing" id="cat4"><h2>City Council</h2>${section(...content)}</div></div>`;

const MARCH = { id: 10, day: '03042026', title: 'Regular Meeting' };
const APRIL = { id: 11, day: '04012026', title: 'Regular Meeting' };
const LAST_YEAR = { id: 5, day: '12032025', title: 'Regular Meeting' };
const OTHER_YEAR = '/AgendaCenter/UpdateCategoryList?year=2025&catID=4&term=&prevVersionScreen=false';

function sync(page: string, options: { readonly since?: string; readonly otherYear?: string } = {}) {
  const { since, otherYear } = options;
  const { web } = servePages({ '/AgendaCenter': page, ...(otherYear !== undefined && { [OTHER_YEAR]: otherYear }) });
  const reader = civicPlusReader({ web, site: 'https://www.example.gov', category: undefined, since, clock });
  const request = { client: 'www.example.gov', options: { since }, place: PLACE };
  return agendaConnector(() => reader, 'civicplus:').sync(request, { writer: records, known: records, clock });
}

const meetings = () => records.all('meetings').map(({ content }) => content.sourceRecordId);
const documents = () =>
  records.all('documents').map(({ content }) => `${String(content.kind)} ${String(content.url).slice(-12)}`);

test('a second sync of the same AgendaCenter appends nothing', async () => {
  const page = center([APRIL, MARCH], [2026]);
  expect(await sync(page)).toMatchObject({ failure: null, rejected: [], read: { bodies: 1, events: 2 } });
  expect(await sync(page)).toMatchObject({ appended: 0, removed: 0, failure: null });
});

test('an amended agenda becomes that of its meeting, which keeps its id, and the first one stays as a further paper', async () => {
  await sync(center([MARCH], [2026]));
  const [before] = records.all('meetings');
  await sync(center([{ id: 12, day: MARCH.day, title: 'Regular Meeting - AMENDED' }, MARCH], [2026]));
  expect(records.all('meetings').map(({ id }) => id)).toEqual([before!.id]);
  expect(documents().toSorted()).toEqual(['agenda _03042026-12', 'other _03042026-10']);
});

test('a meeting of a list that names no body is counted as left out, and withdrawn if it was published', async () => {
  await sync(center([APRIL, MARCH], [2026]));
  const general = center([APRIL], [2026]).replaceAll('City Council', 'General').replaceAll('section4', 'section5');
  const both = `${center([MARCH], [2026])}${general}`;
  const report = await sync(both);
  expect(report).toMatchObject({
    failure: null,
    skipped: [{ id: '11', reason: expect.stringContaining('"General"') }],
  });
  expect(meetings()).toEqual(['10']);
  const checked = records.all('sources').filter(({ content }) => content.lastCheckedAt !== null);
  expect(checked.map(({ content }) => content.lastCheckSkipped)).toEqual([1]);
});

test('a challenge in place of the list fails the sync and withdraws nothing', async () => {
  await sync(center([APRIL, MARCH], [2026]));
  const report = await sync('<html><script>bm-verify</script></html>');
  expect(report).toMatchObject({ removed: 0, failure: 'the page is no AgendaCenter: it has no list of agendas' });
  expect(await sync(center([], []))).toMatchObject({ removed: 0, failure: expect.any(String) });
  expect(meetings()).toHaveLength(2);
});

test('meetings of years that are not read stay, and one that left the list that is read is removed', async () => {
  const all = section([LAST_YEAR], [2025, 2026]);
  await sync(center([APRIL, MARCH], [2026, 2025]), { since: '2025-01-01', otherYear: all });
  expect(meetings()).toHaveLength(3);
  expect(await sync(center([MARCH], [2026, 2025]))).toMatchObject({ failure: null });
  expect(new Set(meetings())).toEqual(new Set(['10', '5']));
});

test('a year that cannot be read withdraws nothing, not even of the years that were read', async () => {
  const all = section([LAST_YEAR], [2025, 2026]);
  await sync(center([APRIL, MARCH], [2026, 2025]), { since: '2025-01-01', otherYear: all });
  const report = await sync(center([MARCH], [2026, 2025]), { since: '2025-01-01' });
  expect(report).toMatchObject({
    removed: 0,
    skipped: [{ what: 'event', id: null, reason: `the list of 2025 of City Council: no page at ${OTHER_YEAR}` }],
  });
  expect(meetings()).toHaveLength(3);
});
