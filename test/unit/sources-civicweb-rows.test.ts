import { expect, test } from 'vitest';
import { agendaRowsInSteps } from '../../src/sources/civicweb/agenda-rows.ts';
import { derivedNumber } from '../../src/sources/listed/listed-reader.ts';
import { runAtOnce } from '../../domain/text/steps.ts';

const agendaRows = (...args: Parameters<typeof agendaRowsInSteps>) => runAtOnce(agendaRowsInSteps(...args));

test.each(['<tr', '<td', '<a ', '<a href="/document/1/">', '<table><tr>', '<table><tr><td>', '</table>'])(
  'an agenda of 300,000 characters of unclosed %s is read in one pass',
  (tag) => {
    const html = `<tr><td>A.</td><td>${tag.repeat(300_000 / tag.length)}</td></tr>`;
    expect(agendaRows(1, html, 'https://portal.example').length).toBeLessThanOrEqual(1);
    expect(agendaRows(1, tag.repeat(300_000 / tag.length), 'https://portal.example')).toEqual([]);
  },
);

const row = (number: string, content: string) => `<tr><td>${number}</td><td>${content}</td></tr>`;
const link = (id: number, name: string) => `<a href="/document/${id}/x.pdf"><span>${name}</span></a>`;

test('an item whose text is only links has their names as title and their files', () => {
  const rows = row('M.', 'MISCELLANEOUS') + row('', 'BRIEF - FY2026') + row('', 'Requests under $50,000.');
  expect(
    agendaRows(
      1,
      `${rows}${row('(1)', link(5, 'Misc Brief') + link(6, 'Map &amp; list'))}`,
      'https://portal.example',
    ).at(-1),
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
  const html =
    row('H.', 'RESOLUTIONS') +
    row('', 'COMMISSIONER PRICE') +
    row('', 'of District 3') +
    row('(1)', 'Older Adult Services');
  expect(agendaRows(1, html, 'https://portal.example').at(-1)).toMatchObject({
    EventItemId: -derivedNumber('1', 'H.', 'of District 3', '(1)', 'Older Adult Services'),
    EventItemAgendaNumber: 'H. COMMISSIONER PRICE (1)',
  });
});

test('a heading of one part is in no number of the next part', () => {
  const html =
    row('A.', 'AWARDS') + row('', 'BIDS') + row('(1)', 'Oracle') + row('B.', 'ORDERS') + row('(1)', 'Backpay');
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

test('rows of a table in a cell, without closing tags, and with comments are read', () => {
  const html = `<table><tr><td>Header<table><tr><td>A.<td>CALL<!-- <tr> --> TO ORDER<tr><td>&nbsp;<td>BIDS</table></td></tr></table>
    <table><tr><td>(1)</td><td>Authorize &#8220;one&#8221;<style>td { color: red }</style></td></tr></table>`;
  expect(agendaRows(1, html, 'https://example.org')).toMatchObject([
    { EventItemAgendaNumber: 'A.', EventItemTitle: 'CALL TO ORDER' },
    { EventItemAgendaNumber: 'A. BIDS (1)', EventItemTitle: 'Authorize “one”' },
  ]);
});

const numbersOf = (html: string) =>
  (agendaRows(1, html, 'https://example.org') as { readonly EventItemAgendaNumber: string }[]).map(
    (each) => each.EventItemAgendaNumber,
  );

test.each([
  [['1.', '2.', '10.']],
  [['1', '2', '3']],
  [['1)', '2)']],
  [['1.1', '1.2', '2.1.']],
  [['A.1', 'A.2.', 'B-1.', 'Z2', '3a.']],
  [['a.', 'b.', 'c.']],
  [['i)', 'ii)', 'iii)']],
  [['I.', 'II.', 'III.', 'IV.']],
  [['(a)', '(b)']],
])('an agenda numbered %j gives items with these numbers', (labels) => {
  expect(numbersOf(labels.map((label) => row(label, `Approve lease ${label}`)).join(''))).toEqual(labels);
});

test('the number of a part of an item has the numbers around it', () => {
  const labels = ['1.', '(a)', '(b)', '2.', '(a)', 'i.', 'ii.', '3.', '3.1', '(1)', '4.'];
  expect(numbersOf(labels.map((label, index) => row(label, `Approve lease ${index}`)).join(''))).toEqual([
    '1.',
    '1. (a)',
    '1. (b)',
    '2.',
    '2. (a)',
    '2. (a) i.',
    '2. (a) ii.',
    '3.',
    '3.1',
    '3.1 (1)',
    '4.',
  ]);
  expect(numbersOf(row('K.', 'AWARDS') + row('1.', 'Approve a lease') + row('L.', 'ORDERS'))).toEqual([
    'K.',
    'K. 1.',
    'L.',
  ]);
});

test('a number at the beginning of a text counts where no row has a cell for it', () => {
  const one = (text: string) => `<tr><td>${text}</td></tr>`;
  const html =
    one('CONSENT AGENDA') + one('1. Approve a lease') + one('A text without a number') + row('', '2. Approve a fence');
  expect(agendaRows(1, html, 'https://example.org')).toMatchObject([
    { EventItemAgendaNumber: '1.', EventItemTitle: 'Approve a lease', EventItemGroup: 'CONSENT AGENDA' },
    { EventItemAgendaNumber: '2.', EventItemTitle: 'Approve a fence', EventItemGroup: 'CONSENT AGENDA' },
  ]);
  expect(numbersOf(html + row('(1)', 'Approve a bench'))).toEqual(['(1)']);
});

test.each(['9:00 AM', 'May 4', '2026', 'Mr.', '•', 'Vote', '12 Elm Street', '$5'])(
  'a row with %j beside it has no number',
  (label) => {
    expect(numbersOf(row(label, 'Lee') + row('1.', 'Approve a lease'))).toEqual(['1.']);
  },
);

test('a group ends at a row further out than its items', () => {
  const html =
    row('1.', 'CONSENT') + row('', 'PARKS') + row('(a)', 'Approve a lease') + row('2.', 'Approve the budget');
  expect(agendaRows(1, html, 'https://example.org')).toMatchObject([
    { EventItemGroup: null },
    { EventItemGroup: 'PARKS' },
    { EventItemGroup: null },
  ]);
});

test('two rows with the same number and title are two items, the first with the id of before', () => {
  const html =
    row('1.', 'CONSENT') + row('(1)', 'Approve a lease') + row('2.', 'ORDERS') + row('(1)', 'Approve a lease');
  const ids = (agendaRows(1, html, 'https://example.org') as { readonly EventItemId: number }[]).map(
    (each) => each.EventItemId,
  );
  expect(new Set(ids).size).toBe(4);
  expect(ids[1]).toBe(-derivedNumber('1', '', '', '(1)', 'Approve a lease'));
});

test('a long agenda is read in steps, with every row where one step ends and the next begins', () => {
  const titles = Array.from({ length: 4_000 }, (_, n) => `Item ${'x'.repeat(1 + (n % 37))} &amp; ${n}`);
  const html = titles
    .map(
      (title, n) =>
        `<tr class="r"><td>${n % 500}.</td><td><a href="/document/${n}/">${title}</a><!-- ${n} --></td></tr>`,
    )
    .join('');
  const steps = agendaRowsInSteps(1, html, 'https://example.org');
  let count = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    count += 1;
    if (step.done !== true) continue;
    expect(step.value.map((item) => (item as { EventItemTitle: string }).EventItemTitle)).toEqual(
      titles.map((title) => title.replace('&amp;', '&')),
    );
    break;
  }
  expect(count).toBeGreaterThan(20);
});

test('20,000 rows with the same texts take no more than one pass, and have different ids', () => {
  const started = process.cpuUsage();
  const rows = agendaRows(1, row('1.', 'Same').repeat(20_000), 'https://example.org');
  expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  expect(new Set(rows.map((item) => (item as { EventItemId: number }).EventItemId)).size).toBe(20_000);
});
