import { expect, test } from 'vitest';
import { joinPapers, type PaperRow } from '../../src/sources/pages/join-rows.ts';
import { paperEvents } from '../../src/sources/pages/paper-events.ts';

const row = (id: number, title: string, more: Partial<PaperRow> = {}): PaperRow => ({
  id,
  day: '2026-03-04',
  title,
  agenda: `agenda-${id}`,
  packet: null,
  minutes: null,
  ...more,
});

const joined = (...rows: readonly PaperRow[]) =>
  joinPapers(rows).map(({ day: _day, titles: _titles, html: _html, ...rest }) => rest);

test('an amended agenda replaces the first one, and the meeting keeps the id of the first', () => {
  expect(
    joined(row(12, 'City Council Agenda - AMENDED'), row(10, 'City Council Agenda', { minutes: 'minutes-10' })),
  ).toEqual([
    {
      id: 10,
      title: 'City Council Agenda - AMENDED',
      agenda: 'agenda-12',
      packet: null,
      minutes: 'minutes-10',
      others: ['agenda-10'],
    },
  ]);
});

test('a Spanish edition, a supplement and a packet of the only meeting are its further papers', () => {
  const [meeting, ...others] = joined(
    row(20, 'City Council Regular Meeting'),
    row(21, 'Reunión del Concejo Municipal (Español)'),
    row(22, 'Supplemental Packet'),
    row(23, 'March 4, 2026 Agenda Packet'),
  );
  expect(others).toEqual([]);
  expect(meeting).toMatchObject({
    id: 20,
    agenda: 'agenda-20',
    packet: 'agenda-22',
    others: ['agenda-21', 'agenda-23'],
  });
});

test('papers with the same words are of one meeting although another meeting has the same day', () => {
  expect(
    joined(
      row(30, 'Council Workshop Agenda'),
      row(31, 'Council Regular Meeting Agenda'),
      row(32, 'Council Regular Meeting Packet 3/4/2026'),
      row(33, 'Agenda in Spanish'),
    ).map(({ id, packet }) => [id, packet]),
  ).toEqual([
    [30, null],
    [31, 'agenda-32'],
    [33, null],
  ]);
});

test('two agendas with the same words stay two meetings, and so does what would fit both', () => {
  expect(
    joined(row(40, 'Council Agenda'), row(41, 'Council Agenda'), row(42, 'Amended Council Agenda')).map(({ id }) => id),
  ).toEqual([40, 41, 42]);
});

test('a notice of cancellation with the words of the meeting is its title', () => {
  const [meeting, ...others] = joinPapers([row(50, 'Regular Meeting'), row(51, 'Revised Regular Meeting - CANCELLED')]);
  expect(others).toEqual([]);
  expect(meeting).toMatchObject({ id: 50, titles: 'Regular Meeting\nRevised Regular Meeting - CANCELLED' });
});

test('a title that names only the paper is not the title of the meeting, and a lone agenda packet is the agenda', () => {
  expect(joined(row(60, 'Agenda Packet (PDF) - March 4, 2026'))).toMatchObject([
    { title: null, agenda: 'agenda-60', packet: null },
  ]);
  expect(joined(row(61, 'Council Packet - 3/4/26'))).toMatchObject([{ agenda: null, packet: 'agenda-61' }]);
  expect(joined(row(62, 'Board of Review (PDF)'))).toMatchObject([{ title: 'Board of Review' }]);
});

test('minutes belong to the earlier day that their title states, with or without a year', () => {
  const events = paperEvents({
    body: { id: 1, name: 'City Council' },
    list: 'list',
    rows: [
      row(80, 'Regular Meeting', { day: '2025-12-01' }),
      row(81, 'Regular Meeting', { day: '2025-12-15' }),
      row(82, 'Meeting Minutes - December 1', { day: '2025-12-15' }),
      row(83, 'Minutes of Nov. 3rd, 2025', { day: '2025-12-15' }),
      row(84, 'Minutes - December 29', { day: '2026-01-05' }),
      row(85, 'Minutes - January 20', { day: '2026-01-05' }),
      row(86, 'Agenda and Minutes - January 5', { day: '2026-01-12' }),
    ],
  });
  const papers = Object.fromEntries(
    events.flatMap((event) =>
      'EventDate' in event ? [[event.EventDate, [event['EventAgendaFile'], event['EventMinutesFile']]]] : [],
    ),
  );
  expect(papers).toEqual({
    '2025-11-03': [null, 'agenda-83'],
    '2025-12-01': ['agenda-80', 'agenda-82'],
    '2025-12-15': ['agenda-81', null],
    '2025-12-29': [null, 'agenda-84'],
    // Minutes are not of a later day.
    '2026-01-05': [null, 'agenda-85'],
    '2026-01-12': ['agenda-86', null],
  });
});

test('the form of the file is not part of a notice', () => {
  expect(joinPapers([row(70, 'Cancellation Notice for the Board Meeting (pdf)')])).toMatchObject([
    { titles: 'Cancellation Notice for the Board Meeting' },
  ]);
});
