import { expect, it } from 'vitest';
import { agendaOf } from '../support/agenda-pages.ts';

const ITEMS = '\n\n1. Call to Order\n\n2. Sample plan\n\n3. Adjournment';

it.each([
  ['Tuesday, March 3, 2026', '2026-03-03'],
  ['TUESDAY MARCH 3rd, 2026', '2026-03-03'],
  ['Date: 3/3/2026', '2026-03-03'],
  ['Meeting of 03-03-26', '2026-03-03'],
  ['on the 3rd day of March, 2026', '2026-03-03'],
  ['Sept. 1, 2026', '2026-09-01'],
  ['2026-03-03', '2026-03-03'],
  ['February 30, 2026', null],
  ['March 3', null],
])('reads the day in "%s"', (line, date) => {
  expect(agendaOf(`EXAMPLE CITY COUNCIL AGENDA\n${line}${ITEMS}`).date).toBe(date);
});

it('prefers the day of the meeting to the days of its posting and of other papers', () => {
  const page = `Posted February 27, 2026
EXAMPLE CITY COUNCIL
AGENDA
Tuesday, March 3, 2026 at 6:30 P.M.
The mayor issued an order on January 5, 2026.${ITEMS}`;
  expect(agendaOf(page)).toMatchObject({ date: '2026-03-03', time: '18:30', body: 'City Council' });
});

it.each([
  ['6:30 P.M.', '18:30'],
  ['9 a.m.', '09:00'],
  ['12:00 noon', '12:00'],
  ['18:30', '18:30'],
  ['12:15 am', '00:15'],
  ["at 9:00 o'clock a.m.", '09:00'],
  ['3/3/2026 9:30:00 AM', '09:30'],
  ['6:30', null],
  ['Comments are accepted until 4:00 p.m.', null],
])('reads the time in "%s"', (line, time) => {
  expect(agendaOf(`EXAMPLE CITY COUNCIL AGENDA\nMarch 3, 2026\n${line}${ITEMS}`).time).toBe(time);
});

it.each([
  ['CITY OF EXAMPLE\nPLANNING & ZONING COMMISSION\nAGENDA', 'Planning & Zoning Commission'],
  ['Example County Commissioners Court', 'Commissioners Court'],
  ['Notice of Regular Meeting of the Board of Trustees', 'Board of Trustees'],
  ['City Council Special Called Meeting', 'City Council'],
  ['NOTICE OF MEETING OF THE CITY COUNCIL OF EXAMPLE, TEXAS', 'City Council'],
  ['Example Library Board Tuesday, March 3, 2026', 'Example Library Board'],
  ['AGENDA', null],
  [
    'AGENDA\nNotice is hereby given that a meeting of the EXAMPLE COUNTY COMMISSIONERS COURT will convene',
    'Commissioners Court',
  ],
])('reads the body in "%s"', (head, body) => {
  expect(agendaOf(`${head}\nMarch 3, 2026${ITEMS}`).body).toBe(body);
});

it.each([
  ['AMENDED AGENDA', 'amended'],
  ['REVISED AGENDA', 'amended'],
  ['MEETING CANCELED', 'cancelled'],
  ['NOTICE OF CANCELLATION', 'cancelled'],
  ['AGENDA', 'scheduled'],
  ['Note: this meeting may be canceled on short notice.', 'scheduled'],
])('reads the status in "%s"', (line, status) => {
  expect(agendaOf(`EXAMPLE CITY COUNCIL\n${line}\nMarch 3, 2026${ITEMS}`).status).toBe(status);
});

it('reads a notice of cancellation in a sentence, which has no items', () => {
  const page = `EXAMPLE CITY COUNCIL
Tuesday, March 3, 2026
DUE TO A LACK OF BUSINESS, THE MEETING OF THE SAMPLE CITY
COUNCIL OF MARCH 3, 2026 HAS BEEN CANCELLED.`;
  expect(agendaOf(page)).toMatchObject({ status: 'cancelled', items: [], reason: expect.stringContaining('canceled') });
});

it.each([
  'Tuesday, the 10th day of March, A.D. 2026',
  'TUESDAY,\nMARCH 10,\n2026',
  'March 10. 2026',
  'Meeting Date: 10-Mar-2026',
  'Martes, 10 de marzo de 2026',
  'The meeting of March 3, 2026 has been rescheduled to March 10, 2026',
  'RESCHEDULED FROM MARCH 3, 2026 TO MARCH 10, 2026',
])('reads the day in "%s"', (line) => {
  expect(agendaOf(`EXAMPLE CITY COUNCIL AGENDA\n${line}${ITEMS}`).date).toBe('2026-03-10');
});

it('reads a day with its weekday below a title that looks like a step', () => {
  const page = (line: string): string => `PUBLIC HEARINGS\n\n${line}\n\nCALL TO ORDER\n\nADJOURN`;
  expect(agendaOf(page('Tuesday, March 10, 2026')).date).toBe('2026-03-10');
});

it.each([
  ['NOTICE OF CANCELLED MEETING', 'cancelled'],
  ['The meeting will not be held because there is no quorum.', 'cancelled'],
  ['NO MEETING', 'cancelled'],
  ['REUNION CANCELADA', 'cancelled'],
  ['This agenda may be amended.', 'scheduled'],
])('reads the status in a paper without items: "%s"', (line, status) => {
  const page = `EXAMPLE CITY COUNCIL\n\n${line}\n\nMarch 3, 2026, at the hall of the town`;
  expect(agendaOf(page)).toMatchObject({ status, date: '2026-03-03', items: [] });
});

it.each(['The work session has been cancelled.', 'As amended by the code.', 'This agenda may be amended.'])(
  'leaves an agenda scheduled that says "%s"',
  (line) => {
    expect(agendaOf(`EXAMPLE CITY COUNCIL AGENDA\nMarch 3, 2026\n${line}${ITEMS}`).status).toBe('scheduled');
  },
);

it('reads the day of a canceled meeting, not the day to which it was moved', () => {
  const page = 'NOTICE\n\nThe council meeting of March 3, 2026 is cancelled and rescheduled to March 10, 2026.';
  expect(agendaOf(page)).toMatchObject({ status: 'cancelled', date: '2026-03-03' });
});

it.each([
  ['EXAMPLE INDEPENDENT SCHOOL DISTRICT\nBOARD OF TRUSTEES', 'Board of Trustees'],
  ['March 3, 2026 at 6:30 PM - Special Called Board of Trustees Meeting', 'Board of Trustees'],
])('names those who meet in "%s"', (lines, body) => {
  expect(agendaOf(`${lines}\nAGENDA\nMarch 3, 2026${ITEMS}`).body).toBe(body);
});

it('finds the body next to the day, below a page of instructions', () => {
  const instructions = Array.from({ length: 30 }, (_, index) => `Press key ${index} to listen`).join('\n\n');
  const page = `SAMPLE COUNTY LIBRARY COMMISSION\nThursday, March 3, 2026\nAGENDA${ITEMS}`;
  expect(agendaOf(instructions, page).body).toBe('Sample County Library Commission');
});

it('reads a time that begins the line after the day', () => {
  const page = `SAMPLE DISTRICT
NOTICE OF MEETING
Notice is given that the directors of the district will hold a meeting on January 20, 2026, at
9:00 a.m. at the district hall, 5 Lake Road, in the town of Sample, to act on these matters:${ITEMS}`;
  expect(agendaOf(page)).toMatchObject({ date: '2026-01-20', time: '09:00' });
});

it('does not take a courtroom for the body that meets in it', () => {
  const page = `NOTICE OF MEETING
Notice is given that a special meeting of the SAMPLE COUNTY COMMISSIONERS COURT will convene
on March 3, 2026 at 9:00 A.M., in the Sample County Commissioners Courtroom${ITEMS}`;
  expect(agendaOf(page).body).toBe('Commissioners Court');
});

it('names the body of a "notice of meeting of the" body', () => {
  const page = `NOTICE\nOF MEETING OF THE COMMISSIONERS COURT OF SAMPLE COUNTY, TEXAS\nMarch 3, 2026${ITEMS}`;
  expect(agendaOf(page).body).toBe('Commissioners Court');
});
