import { expect, it } from 'vitest';
import { readHtml } from '../../infra/documents/html-document.ts';
import { readAgenda } from '../../domain/agenda-text/read-agenda.ts';
import { linesOfPage } from '../../domain/agenda-text/text-line.ts';
import { agendaOf, titlesOf } from '../support/agenda-pages.ts';

it('reads "1.0" as the number over "1.1"', () => {
  const page = `
                    BOARD OF TRUSTEES AGENDA

1.0   Call to Order
      1.1   Establish a quorum
2.0   Consent Agenda
      2.1   Approve the minutes of August 10
      2.2   Approve a budget amendment
3.0   Adjournment`;
  expect(titlesOf(page)).toEqual([
    '1.0 Call to Order',
    '1.1 Establish a quorum',
    '2.0 Consent Agenda',
    '2.1 Approve the minutes of August 10',
    '2.2 Approve a budget amendment',
    '3.0 Adjournment',
  ]);
});

it('joins a letter that ends a wrapped title', () => {
  const plat = 'Discuss and consider a preliminary plat of the Sample Ranch, Phase 2, Lots 1-45, Block';
  const page = `
                    EXAMPLE COUNCIL AGENDA

ITEM 1: Call to order and announce a quorum of the members.
ITEM 2: ${plat}
A.
ITEM 3: Adjourn.`;
  expect(titlesOf(page)[1]).toBe(`2 ${plat} A.`);
});

it('counts the opening steps below the first section', () => {
  const page = `
                    CITY COMMISSION AGENDA

A. Opening
   1. Call to Order
   2. Invocation
B. Reports
   1. City Manager
C. Adjournment`;
  expect(agendaOf(page).items.map(({ number }) => number)).toEqual(['A', 'A.1', 'A.2', 'B', 'B.1', 'C']);
});

it('counts the letters below a section named after possible actions', () => {
  const page = `
                    BOARD AGENDA

1. Call to Order
2. Discussion and Possible Action Items
   A. Approve the student handbook
   B. Approve a bid for roof repair
3. Adjournment`;
  expect(agendaOf(page).items.map(({ number }) => number)).toEqual(['1', '2', '2.A', '2.B', '3']);
});

/** One character after another, with wider gaps between words. */
function spacedLine(words: readonly string[], y: number, gap: number) {
  const pieces = words.flatMap((word, at) => word.split('').map((text) => ({ text, at })));
  return linesOfPage(
    1,
    pieces.map(({ text, at }, index) => {
      return { text, x: 100 + index * gap + at * gap, y, width: 6, size: 12, font: 'f1', isLink: false };
    }),
  );
}

it('reads letter-spaced names and days', () => {
  const lines = [
    ...spacedLine(['AGENDA'], 60, 12),
    ...spacedLine(['CITY', 'COUNCIL'], 80, 12),
    ...spacedLine(['FEBRUARY', '10,', '2026'], 100, 12),
    ...linesOfPage(1, [
      { text: '1. Call to Order', x: 60, y: 140, width: 90, size: 12, font: 'f1', isLink: false },
      { text: '2. Water rates', x: 60, y: 160, width: 80, size: 12, font: 'f1', isLink: false },
    ]),
  ];
  expect(readAgenda({ pageCount: 1, pageWidth: 612, lines })).toMatchObject({
    body: 'City Council',
    date: '2026-02-10',
    items: [{ title: 'Call to Order' }, { title: 'Water rates' }],
  });
});

const rows = (titles: readonly string[]): string =>
  `<html><body><h2>Agenda</h2><table>${titles.map((title) => `<tr><td>${title}</td></tr>`).join('')}</table></body></html>`;

it('reads every title of an agenda without numbers whose steps look like its matters', () => {
  const titles = [
    'Call to Order',
    'Roof of the sample library',
    'Public Comments',
    'Bid for two mowers',
    'Adjournment',
  ];
  expect(readAgenda(readHtml(rows(titles))).items.map(({ title }) => title)).toEqual(titles);
});

it('leaves descriptions out of an agenda without numbers', () => {
  const described =
    'Call to Order<div>Description:</div><div>The presiding officer states whether a quorum is present and that the notice of this meeting was posted in the time and manner that the law requires of the board of the district</div>';
  const { items } = readAgenda(readHtml(rows([described, 'Bid for two mowers', 'Public Comments', 'Adjournment'])));
  expect(items.map(({ title }) => title)).toEqual([
    'Call to Order',
    'Bid for two mowers',
    'Public Comments',
    'Adjournment',
  ]);
});

it('does not divide an agenda whose matters have neither numbers nor a style', () => {
  const page = `
                    CITY COUNCIL AGENDA

CALL TO ORDER

NEW BUSINESS

Consider the bid of Sample Paving for Main Street, as the city engineer recommends it.

Discuss the sample dog park and its hours, which residents asked the council to extend.

ADJOURNMENT`;
  expect(agendaOf(page)).toMatchObject({
    items: [],
    reason: 'has matters without numbers that cannot be told from other text',
  });
});

it('ends titles before dots and the number of a page', () => {
  const page = `
                    COUNCIL AGENDA

1. Call to Order ............... 1
2. Fees of the sample pool . . . . . . 12
3. Adjournment ................. page 20`;
  expect(titlesOf(page)).toEqual(['1 Call to Order', '2 Fees of the sample pool', '3 Adjournment']);
});

it('reads titles that begin with the number of a section', () => {
  const page = `
                    BOARD OF SUPERVISORS AGENDA

ROLL CALL

Section I - Consent Matters (Items 1 - 2)

1. Tax roll of the district
2. Sale of surplus land

Section II - Separate Matters

3. Zoning update
4. Adjournment`;
  expect(titlesOf(page)).toEqual([
    '- ROLL CALL',
    '- Section I - Consent Matters (Items 1 - 2)',
    '1 Tax roll of the district',
    '2 Sale of surplus land',
    '- Section II - Separate Matters',
    '3 Zoning update',
    '4 Adjournment',
  ]);
});

it('reads the styles of numbers in HTML', () => {
  const html = `<h1>COUNCIL AGENDA</h1><ol style="list-style-type: upper-roman"><li>Call to Order</li>
    <li>Consent<ol style="list-style: inside lower-alpha"><li>Dog park</li><li>Street plan</li></ol></li><li>Adjournment</li></ol>`;
  expect(readAgenda(readHtml(html)).items.map(({ number }) => number)).toEqual(['I', 'II', 'II.a', 'II.b', 'III']);
});

it('reads an explanation with a number of its own, and the end of the meeting below its title', () => {
  const page = `
                    BOARD AGENDA

1. Call to Order
2. Public Comments
   2.1. Each speaker should address the Board from the podium and must sign a card.
3. Street plan
4. Adjourn
   4.1. Adjourn`;
  expect(agendaOf(page).items.map(({ number }) => number)).toEqual(['1', '2', '2.1', '3', '4', '4.1']);
});

it('reads "3a." as a part of "3."', () => {
  const page = `
                    BOARD AGENDA

1. Call to Order
2. Consent Agenda
2a. Minutes of March 3
2b. Budget report
3. Adjournment`;
  expect(agendaOf(page).items.map(({ number }) => number)).toEqual(['1', '2', '2a', '2b', '3']);
});

it('leaves out rules for speakers that name minutes of time', () => {
  const page = `
                    BOARD AGENDA

Public comment:

1. Email comments to clerk@example.gov by noon.
2. Use the raise hand feature.
3. Each speaker is limited to three minutes.

1. Call to Order
2. Street plan
3. Adjournment`;
  expect(titlesOf(page)).toEqual(['1 Call to Order', '2 Street plan', '3 Adjournment']);
});

it('reads an addendum as an amended agenda', () => {
  const page = `
                    ADDENDUM
                    CITY COUNCIL REGULAR MEETING
                    SEPTEMBER 1, 2026 - 7:00 P.M.

The following items are added to the agenda:

12. Consider a resolution in support of a sample grant.

13. Consider the repair of a sample pump.`;
  expect(agendaOf(page)).toMatchObject({ body: 'City Council', date: '2026-09-01', time: '19:00', status: 'amended' });
  expect(agendaOf(page).items.map(({ number }) => number)).toEqual(['12', '13']);
});

it('ends the last title before the note on the posting', () => {
  const page = `
                    COUNCIL AGENDA

1. Call to Order
2. Consider the repair of a sample pump at the sample creek, including all of its parts.
Posted this 28th day of August, 2026`;
  expect(titlesOf(page)[1]).toMatch(/parts\.$/);
});
