import { expect, it } from 'vitest';
import { readDocument } from '../../infra/documents/read-document.ts';
import { agendaOf, titlesOf } from '../support/agenda-pages.ts';
import { type PdfText, smallPdf } from '../support/small-pdf.ts';

it('reads a commissioners court: numbers run on under department headings, letters in the executive session', () => {
  const page = `
                         NOTICE OF REGULAR MEETING
                    COMMISSIONERS COURT OF SAMPLE COUNTY
                       Tuesday, March 3, 2026 at 9:00 A.M.

Notice is hereby given that a regular meeting of the Sample County Commissioners Court
will be held at the courthouse, 100 Main Street, Sample, Texas.

     A. CALL TO ORDER
     B. PUBLIC COMMENTS

     CONSENT AGENDA

     1. Approve payment of sample accounts.
     2. Approve a sample bond.

     COUNTY AUDITOR

     3. Consider and act on sample budget amendments for the fiscal year as presented by the
        auditor and take appropriate action.

     EXECUTIVE SESSION

     The Court will convene in executive session pursuant to Texas Government Code:

     (a) Section 551.071, consultation with attorney
     (b) Section 551.072, deliberation regarding real property

     4. ADJOURN

CERTIFICATE OF POSTING
I, the undersigned, certify that this notice was posted on February 27, 2026 at 4:00 p.m.`;
  expect(agendaOf(page)).toMatchObject({
    body: 'Commissioners Court',
    date: '2026-03-03',
    time: '09:00',
    status: 'scheduled',
  });
  expect(titlesOf(page)).toEqual([
    'A CALL TO ORDER',
    'B PUBLIC COMMENTS',
    '- CONSENT AGENDA',
    '1 Approve payment of sample accounts.',
    '2 Approve a sample bond.',
    '- COUNTY AUDITOR',
    '3 Consider and act on sample budget amendments for the fiscal year as presented by the auditor and take appropriate action.',
    '- EXECUTIVE SESSION',
    'a Section 551.071, consultation with attorney',
    'b Section 551.072, deliberation regarding real property',
    '4 ADJOURN',
  ]);
});

it('reads two meetings in one paper, and numbers that count on from section to section', () => {
  expect(
    titlesOf(`
                            CITY OF SAMPLE
                          CITY COUNCIL AGENDA
                             MARCH 3, 2026

WORK SESSION - 5:30 P.M.

I.    CALL TO ORDER
II.   WORK SESSION ITEMS
      1. Discuss the sample water plan.
III.  ADJOURN

REGULAR MEETING - 6:30 P.M.

I.    CALL TO ORDER
II.   CONSENT AGENDA
      1. Consider approval of a sample contract.
      2. Consider approval of a sample lease.
III.  REGULAR AGENDA
      3. Conduct a public hearing and consider an ordinance amending the zoning map
         for Lot 1, Block A.
IV.   ADJOURN`),
  ).toEqual([
    'I CALL TO ORDER',
    'II WORK SESSION ITEMS',
    'II.1 Discuss the sample water plan.',
    'III ADJOURN',
    'I CALL TO ORDER',
    'II CONSENT AGENDA',
    '1 Consider approval of a sample contract.',
    '2 Consider approval of a sample lease.',
    'III REGULAR AGENDA',
    '3 Conduct a public hearing and consider an ordinance amending the zoning map for Lot 1, Block A.',
    'IV ADJOURN',
  ]);
});

const titlesOfPdf = async (texts: readonly PdfText[]): Promise<readonly string[]> => {
  const { agenda } = await readDocument(smallPdf([texts]), null);
  return agenda.items.map(({ number, title }) => `${number ?? '-'} ${title}`);
};
const bold = (text: string, x: number, y: number): PdfText => ({ text, x, y, isBold: true });

it('ends a title before the name of a section at the edge of the numbers', async () => {
  expect(
    await titlesOfPdf([
      bold('SAMPLE COUNCIL AGENDA', 230, 60),
      bold('1. CALL TO ORDER', 72, 100),
      { text: '2.', x: 72, y: 120 },
      { text: 'Consider the report on the sample streets of the whole example town of the north', x: 110, y: 120 },
      bold('ADJOURNMENT', 72, 134),
    ]),
  ).toEqual([
    '1 CALL TO ORDER',
    '2 Consider the report on the sample streets of the whole example town of the north',
    '- ADJOURNMENT',
  ]);
});

it('ends a title in bold capitals where other text follows on the line', async () => {
  expect(
    await titlesOfPdf([
      bold('SAMPLE COUNCIL AGENDA', 230, 60),
      bold('CALL TO ORDER', 72, 100),
      bold('CONSENT CALENDAR', 72, 130),
      { text: ': These matters are routine.', x: 190, y: 130 },
      bold('1.', 72, 160),
      bold('SAMPLE STREET PLAN', 100, 160),
      { text: ' - Approve the plan and direct staff to build.', x: 222, y: 160 },
      bold('2.', 72, 190),
      bold('SAMPLE PARK PLAN FOR THE NORTHERN AND THE SOUTHERN SAMPLE', 100, 190),
      bold('DISTRICTS', 100, 203),
      { text: ' - Receive the plan.', x: 164, y: 203 },
      bold('ADJOURNMENT', 72, 240),
    ]),
  ).toEqual([
    '- CALL TO ORDER',
    '- CONSENT CALENDAR',
    '1 SAMPLE STREET PLAN',
    '2 SAMPLE PARK PLAN FOR THE NORTHERN AND THE SOUTHERN SAMPLE DISTRICTS',
    '- ADJOURNMENT',
  ]);
});

it('leaves the number of a matter in a column of its own out of a title', async () => {
  const row = (y: number, number: string, file: string, title: string): readonly PdfText[] => [
    { text: number, x: 72, y },
    { text: file, x: 100, y },
    { text: title, x: 180, y },
  ];
  expect(
    await titlesOfPdf([
      bold('SAMPLE COUNCIL AGENDA', 230, 60),
      { text: '1. Call to Order', x: 72, y: 100 },
      ...row(130, '2.', '#26-0012', 'Sample street plan'),
      ...row(160, '3.', 'RS2026-14', 'A resolution on the sample park'),
      { text: '4. Adjournment', x: 72, y: 190 },
    ]),
  ).toEqual(['1 Call to Order', '2 Sample street plan', '3 A resolution on the sample park', '4 Adjournment']);
});

it('takes an address that begins with a letter for text', () => {
  expect(
    titlesOf(`
SAMPLE COUNCIL AGENDA

A. Call to Order
B. Sample plan
   The council meets in the hall of the sample library at the corner of Oak and
   C. Main Street during business hours.
C. Adjournment`),
  ).toEqual(['A Call to Order', 'B Sample plan', 'C Adjournment']);
});

it('reads sections before the first number where no step opens the meeting, and bullets beside numbers', () => {
  expect(
    titlesOf(`
                     SAMPLE PLANNING DOCKET

PUBLIC COMMENT
Anybody may speak on items that are not on this docket.

APPROVAL OF THE AGENDA

ITEM 1: SAMPLE STREET
ITEM 2: SAMPLE PARK

• Open Forum

• Adjournment`),
  ).toEqual([
    '- PUBLIC COMMENT',
    '- APPROVAL OF THE AGENDA',
    '1 SAMPLE STREET',
    '2 SAMPLE PARK',
    '- Open Forum',
    '- Adjournment',
  ]);
});
