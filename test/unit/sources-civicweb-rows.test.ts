import { expect, test } from 'vitest';
import { agendaRows } from '../../src/sources/civicweb/agenda-rows.ts';
import { derivedNumber } from '../../src/sources/listed/listed-reader.ts';

test.each(['<tr', '<td', '<a ', '<a href="/document/1/">'])('an agenda of 300,000 characters of unclosed %s is read in one pass', (tag) => {
  const html = `<tr><td>A.</td><td>${tag.repeat(300_000 / tag.length)}</td></tr>`;
  expect(agendaRows(1, html, 'https://portal.example').length).toBeLessThanOrEqual(1);
  expect(agendaRows(1, tag.repeat(300_000 / tag.length), 'https://portal.example')).toEqual([]);
});

const row = (number: string, content: string) => `<tr><td>${number}</td><td>${content}</td></tr>`;
const link = (id: number, name: string) => `<a href="/document/${id}/x.pdf"><span>${name}</span></a>`;

test('an item whose text is only links has their names as title and their files', () => {
  const rows = row('M.', 'MISCELLANEOUS') + row('', 'BRIEF - FY2026') + row('', 'Requests under $50,000.');
  expect(
    agendaRows(1, `${rows}${row('(1)', link(5, 'Misc Brief') + link(6, 'Map &amp; list'))}`, 'https://portal.example').at(-1),
  ).toMatchObject({
    EventItemAgendaNumber: 'M. BRIEF - FY2026 (1)',
    EventItemTitle: 'Misc Brief; Map & list',
    EventItemMatterAttachments: [
      { MatterAttachmentId: 5, MatterAttachmentName: 'Misc Brief' },
      { MatterAttachmentId: 6, MatterAttachmentHyperlink: 'https://portal.example/document/6' },
    ],
  });
});

test('the id of an item is that of before its number had the heading of its group', () => {
  const html = row('H.', 'RESOLUTIONS') + row('', 'COMMISSIONER PRICE') + row('', 'of District 3') + row('(1)', 'Older Adult Services');
  expect(agendaRows(1, html, 'https://portal.example').at(-1)).toMatchObject({
    EventItemId: -derivedNumber('1', 'H.', 'of District 3', '(1)', 'Older Adult Services'),
    EventItemAgendaNumber: 'H. COMMISSIONER PRICE (1)',
  });
});

test('a heading of one part is in no number of the next part', () => {
  const html = row('A.', 'AWARDS') + row('', 'BIDS') + row('(1)', 'Oracle') + row('B.', 'ORDERS') + row('(1)', 'Backpay');
  expect(agendaRows(1, html, 'https://portal.example')).toMatchObject(
    ['A.', 'A. BIDS (1)', 'B.', 'B. (1)'].map((EventItemAgendaNumber) => ({ EventItemAgendaNumber })),
  );
});

test.each([
  'SEE ATTACHED',
  '***',
  '2024-2025',
  '$500,000',
  'III.',
  'J.W.P.',
  'MOTION: JWP SECOND: TSD VOTE: 5-0',
  'NO ACTION TAKEN',
  'VOTE ON BIDS',
])('the row %s between items heads no group', (text) => {
  const html = row('C.', 'COURT') + row('', 'BIDS') + row('(1)', 'Oracle') + row('', text) + row('(2)', 'Backpay');
  expect(agendaRows(1, html, 'https://example.org').at(-1)).toMatchObject({ EventItemAgendaNumber: 'C. BIDS (2)' });
});

test.each(['-', '.', 'see'])('an item that is a link and the mark %j has the name of the link', (mark) => {
  const html = row('C.', 'COURT') + row('(1)', `${mark} <a href="/document/7/x">Jail report</a>`);
  expect(agendaRows(1, html, 'https://example.org').at(-1)).toMatchObject({ EventItemTitle: 'Jail report' });
});
