import { expect, it } from 'vitest';
import { readDocument } from '../../infra/documents/read-document.ts';
import { type PdfText, smallPdf } from '../support/small-pdf.ts';

const bold = (text: string, x: number, y: number): PdfText => ({ text, x, y, isBold: true });
const NAME = bold('SAMPLE TOWN COUNCIL AGENDA', 200, 60);

const titlesOfPdf = async (texts: readonly PdfText[]): Promise<readonly string[]> => {
  const { agenda } = await readDocument(smallPdf([[NAME, ...texts]]), null);
  return agenda.items.map(({ number, title }) => `${number ?? '-'} ${title}`);
};

/** A row of an agenda with a presenter at the right. */
const row = (y: number, number: string, lines: readonly string[], presenter: string): readonly PdfText[] => [
  { text: number, x: 72, y },
  ...lines.map((text, at) => ({ text, x: 100, y: y + 13 * at })),
  { text: presenter, x: 450, y },
];

it('leaves presenters in a column at the right out of titles', async () => {
  expect(
    await titlesOfPdf([
      ...row(100, '1', ['Call to Order'], 'Mayor'),
      ...row(130, '2', ['Discussion of an ordinance that would amend the rules for the', 'Sample Parks'], 'Attorney'),
      ...row(170, '3', ['Sample street plan'], 'Public Works'),
      ...row(200, '4', ['Adjournment'], 'Mayor'),
    ]),
  ).toEqual([
    '1 Call to Order',
    '2 Discussion of an ordinance that would amend the rules for the Sample Parks',
    '3 Sample street plan',
    '4 Adjournment',
  ]);
});

it('leaves out columns that end at the same edge', async () => {
  const timed = (y: number, number: string, title: string, time: string): readonly PdfText[] => [
    { text: number, x: 72, y },
    { text: title, x: 100, y },
    { text: time, x: 540 - 5 * time.length, y },
  ];
  expect(
    await titlesOfPdf([
      ...timed(100, '1.', 'Call to Order', 'Mayor'),
      ...timed(130, '2.', 'Sample street plan', 'Staff'),
      ...timed(160, '3.', 'Sample park plan', 'Clerk'),
      ...timed(190, '4.', 'Adjournment', 'Mayor'),
    ]),
  ).toEqual(['1 Call to Order', '2 Sample street plan', '3 Sample park plan', '4 Adjournment']);
});

it('leaves out a word with the number of the matter below it, and reads centered titles in capitals', async () => {
  const report = (y: number, letter: string, lines: readonly string[], file: string): readonly PdfText[] => [
    { text: letter, x: 55, y },
    { text: 'REPORT', x: 90, y },
    { text: file, x: 90, y: y + 14 },
    ...lines.map((text, at) => bold(text, 330 - 3.7 * text.length, y + 18 * at)),
  ];
  expect(
    await titlesOfPdf([
      bold('1. CALL TO ORDER', 55, 90),
      bold('2. CONSENT CALENDAR', 55, 110),
      ...report(140, 'a)', ['SAMPLE STREET REPORT FOR', 'THE YEAR'], '26-0011'),
      ...report(200, 'b)', ['SAMPLE PARK REPORT'], '26-0012'),
      ...report(260, 'c)', ['SAMPLE WATER REPORT'], '26-0013'),
      bold('3. ADJOURNMENT', 55, 320),
    ]),
  ).toEqual([
    '1 CALL TO ORDER',
    '2 CONSENT CALENDAR',
    '2.a SAMPLE STREET REPORT FOR THE YEAR',
    '2.b SAMPLE PARK REPORT',
    '2.c SAMPLE WATER REPORT',
    '3 ADJOURNMENT',
  ]);
});

it('ends titles in bold where a description begins, if most items have one', async () => {
  const described = (y: number, number: string, title: string, text: string, x: number): readonly PdfText[] => [
    bold(number, 72, y),
    bold(title, 100, y),
    { text, x, y },
    { text: 'comments of the public on it before the end of the month.', x: 100, y: y + 13 },
  ];
  expect(
    await titlesOfPdf([
      bold('1. Call to Order', 72, 90),
      ...described(120, '2.', 'Sample Street Plan', 'The council receives the plan and reads all', 205),
      ...described(160, '3.', 'Sample Park Plan', 'The council receives the plan and reads all', 200),
      bold('4. Adjournment', 72, 210),
    ]),
  ).toEqual(['1 Call to Order', '2 Sample Street Plan', '3 Sample Park Plan', '4 Adjournment']);
});

it('ends full titles in bold before a description on the next line, if most items have one', async () => {
  const described = (y: number, number: string, title: string): readonly PdfText[] => [
    bold(number, 72, y),
    bold(title, 100, y),
    { text: 'Authorize the manager to sign it on behalf of the council.', x: 100, y: y + 13 },
  ];
  const long = 'Sample Agreement on the Encroachment of the Right of Way of Sample Street, Lot 118';
  expect(
    await titlesOfPdf([
      {
        text: 'The council of the sample town meets in the hall, and everybody is welcome to speak there.',
        x: 72,
        y: 75,
      },
      bold('1. Call to Order', 72, 90),
      ...described(120, '2.', 'Sample Street Plan'),
      ...described(160, '3.', long),
      bold('4. Adjournment', 72, 200),
    ]),
  ).toEqual(['1 Call to Order', '2 Sample Street Plan', `3 ${long}`, '4 Adjournment']);
});

it('ends titles at a gap before a description in the same font, if most items have one', async () => {
  const described = (y: number, number: string, title: string, x: number): readonly PdfText[] => [
    { text: number, x: 72, y },
    { text: title, x: 100, y },
    { text: 'The council receives the sample plan of the town.', x, y },
  ];
  expect(
    await titlesOfPdf([
      bold('CALL TO ORDER', 72, 90),
      ...described(120, '1.', 'Sample Street Plan', 206),
      ...described(150, '2.', 'Sample Park Plan', 196),
      ...described(180, '3.', 'Sample Water Plan', 203),
      bold('ADJOURNMENT', 72, 210),
    ]),
  ).toEqual(['- CALL TO ORDER', '1 Sample Street Plan', '2 Sample Park Plan', '3 Sample Water Plan', '- ADJOURNMENT']);
});

it('does not take a word in bold that announces a matter for its title', async () => {
  expect(
    await titlesOfPdf([
      bold('1. CALL TO ORDER', 72, 90),
      bold('2. CONSIDER', 72, 120),
      { text: 'approval of the sample minutes.', x: 150, y: 120 },
      bold('3. PUBLIC HEARING:', 72, 150),
      { text: 'Conduct a hearing on the sample plan.', x: 195, y: 150 },
      bold('4. ADJOURN', 72, 180),
    ]),
  ).toEqual([
    '1 CALL TO ORDER',
    '2 CONSIDER approval of the sample minutes.',
    '3 PUBLIC HEARING: Conduct a hearing on the sample plan.',
    '4 ADJOURN',
  ]);
});

it('reads Roman numerals in a column of their own', async () => {
  const row = (y: number, number: string, title: string): readonly PdfText[] => [
    bold(number, 72, y),
    bold(title, 110, y),
  ];
  expect(
    await titlesOfPdf([
      ...row(90, 'I', 'CALL TO ORDER'),
      ...row(110, 'II', 'CONSENT AGENDA'),
      { text: 'a. Sample lease', x: 110, y: 130 },
      { text: 'b. Sample grant', x: 110, y: 150 },
      ...row(170, 'III', 'ADJOURNMENT'),
    ]),
  ).toEqual(['I CALL TO ORDER', 'II CONSENT AGENDA', 'II.a Sample lease', 'II.b Sample grant', 'III ADJOURNMENT']);
});

/** The rows of a page from the top, with texts at two left edges. */
const pairs = (rows: readonly (readonly [left: string, right: string])[], x: number): readonly PdfText[] =>
  rows.flatMap(([left, right], at) =>
    [
      { text: left, x: 72, y: 100 + 30 * at },
      { text: right, x, y: 100 + 30 * at },
    ].filter(({ text }) => text !== ''),
  );

it('reads a page in two columns one after the other', async () => {
  const columns = pairs(
    [
      ['1. Call to Order', '5. Ball field lights'],
      ['2. Roll Call', '6. Summer camps'],
      ['3. Public Comment', '7. Board Comments'],
      ['4. Pool opening', '8. Adjournment'],
    ],
    320,
  );
  expect(await titlesOfPdf(columns)).toEqual([
    '1 Call to Order',
    '2 Roll Call',
    '3 Public Comment',
    '4 Pool opening',
    '5 Ball field lights',
    '6 Summer camps',
    '7 Board Comments',
    '8 Adjournment',
  ]);
});

it.each([
  ['times', ['7:00 p.m.', '7:05 p.m.', '7:10 p.m.', '8:30 p.m.']],
  ['names', ['Jane Doe, Mayor', 'John Roe, Place 1', '', 'Ann Smith, Place 2']],
])('reads numbers at the right of a column with %s', async (_, texts) => {
  const titles = ['1. Call to Order', '2. Dog park', '3. Street plan', '4. Adjournment'];
  const columns = pairs(
    texts.map((text, at) => [text, titles[at]!]),
    220,
  );
  expect(await titlesOfPdf(columns)).toEqual(['1 Call to Order', '2 Dog park', '3 Street plan', '4 Adjournment']);
});

it('leaves the number of a matter beside its number in place', async () => {
  const matters = [
    ['E1.', '22-171', 'Arts Commission'],
    ['E2.', '22-172', 'City Clerk'],
    ['E3.', '22-173', 'Library Board'],
  ].flatMap(([number, file, title], at) => [
    { text: number!, x: 72, y: 130 + 30 * at },
    { text: file!, x: 100, y: 130 + 30 * at },
    { text: title!, x: 180, y: 130 + 30 * at },
  ]);
  const titles = await titlesOfPdf([{ text: 'E. Call to Order', x: 72, y: 100 }, ...matters]);
  expect(titles).toEqual(['- E. Call to Order', 'E1 Arts Commission', 'E2 City Clerk', 'E3 Library Board']);
});
