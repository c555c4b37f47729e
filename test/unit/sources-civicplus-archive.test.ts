import { expect, test } from 'vitest';
import { civicPlusArchiveReader } from '../../src/sources/civicplus-archive/reader.ts';
import { type Pages, servePages } from '../support/sources/served-pages.ts';

const clock = { now: () => Date.parse('2026-11-28T12:00:00Z'), sleep: async () => undefined };

function open(pages: Pages, amid: string | undefined = '53', since?: string) {
  const { web } = servePages(pages);
  return civicPlusArchiveReader({ web, site: 'https://www.example.gov', amid, since, clock });
}

const archive = (options: string, links: readonly string[]): string => `<html><body><h1>Archive Center</h1>
  <form><select name="lngArchiveMasterID"><option value="0">Select</option>${options}</select></form>
  <ul>${links.map((link) => `<li>${link}</li>`).join('')}</ul></body></html>`;
const OPTIONS = '<option value="53">City Council Agendas</option><option value="54">City Council Minutes</option>';
const link = (id: number, title: string): string =>
  `<a href="Archive.aspx?ADID=${id}"><span>${title}</span></a> <a href="/ArchiveCenter/ViewFile/Item/${id}">(PDF)</a>`;

test('days are read from titles in all their forms, and lists of one name are of one body', async () => {
  const reader = open(
    {
      '/Archive.aspx?AMID=53': archive(OPTIONS, [
        link(30, 'February 24, 2026'),
        link(29, 'City Council Agenda 02/10/2026'),
        link(28, '01-27-2026 Special Called Meeting'),
        link(26, 'CC Agenda 01132026'),
        link(27, 'Agenda policy'),
        link(5, 'March 3, 2019'),
      ]),
      '/Archive.aspx?AMID=54': archive(OPTIONS, [
        link(40, 'City Council Minutes 02/10/2026'),
        link(41, 'February 24, 2026'),
      ]),
    },
    '53, 54',
  );
  expect(await reader.bodies()).toMatchObject([{ BodyName: 'City Council' }]);
  const file = (id: number) => `https://www.example.gov/Archive.aspx?ADID=${id}`;
  const minutes = { EventAgendaFile: null, EventMinutesFile: file(41) };
  expect(await reader.events(null)).toMatchObject([
    {
      EventId: 30,
      EventDate: '2026-02-24',
      EventTitle: null,
      EventAgendaFile: file(30),
      EventMinutesFile: minutes.EventMinutesFile,
    },
    { EventId: 29, EventDate: '2026-02-10', EventAgendaFile: file(29), EventMinutesFile: file(40) },
    { EventId: 28, EventDate: '2026-01-27', EventTitle: '01-27-2026 Special Called Meeting' },
    { EventId: 26, EventDate: '2026-01-13' },
    { EventId: 27, EventDate: '' },
  ]);
  expect(reader.listedFrom).toBe('2025-01-01');
});

test('an earlier date reads the whole list', async () => {
  const pages = {
    '/Archive.aspx?AMID=53': archive(OPTIONS, [link(30, 'February 24, 2026'), link(5, 'March 3, 2019')]),
  };
  expect(await open(pages, '53', '2010-01-01').events('2010-01-01')).toHaveLength(2);
});

test('another page is not an Archive Center, and a list without files has no meetings', async () => {
  await expect(open({ '/Archive.aspx?AMID=53': '<h1>Access denied</h1>' }).bodies()).rejects.toThrow(
    'no Archive Center',
  );
  expect(await open({ '/Archive.aspx?AMID=53': archive(OPTIONS, []) }).bodies()).toEqual([]);
});

test('lists are named by their ids', () => {
  for (const amid of ['', 'council', '53,']) expect(() => open({}, amid)).toThrow('--amid');
});
