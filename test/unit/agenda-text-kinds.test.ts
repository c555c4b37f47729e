import { expect, it } from 'vitest';
import { agendaOf } from '../support/agenda-pages.ts';

const kindsOf = (page: string): readonly string[] =>
  agendaOf(page).items.map(
    ({ number, title, kind, section }) => `${kind} ${number ?? '-'} ${title} [${section ?? ''}]`,
  );

it('reads "Section I - …" as the heading of the numbers below it', () => {
  const page = `
                    BOARD OF SUPERVISORS AGENDA

ROLL CALL

Section I - Matters Not On The Posted Agenda

1. Tax roll of the district

Section II - Consent Matters (Items 2 - 3)

2. Sale of surplus land
3. Zoning update`;
  expect(kindsOf(page)).toEqual([
    'procedural - ROLL CALL []',
    'heading - Section I - Matters Not On The Posted Agenda []',
    'item 1 Tax roll of the district [Section I - Matters Not On The Posted Agenda]',
    'heading - Section II - Consent Matters (Items 2 - 3) []',
    'item 2 Sale of surplus land [Section II - Consent Matters (Items 2 - 3)]',
    'item 3 Zoning update [Section II - Consent Matters (Items 2 - 3)]',
  ]);
});

it('reads the name of a group with matters below it as a heading', () => {
  const page = `
                    COUNCIL AGENDA

A. Call to Order
B. Elections and Confirmations
   B1. Sample Arts Commission
   B2. Sample Waste Commission
C. Library Fines
D. Plan for the sample pool in 2027
   D1. Fees of the sample pool
E. Honors for the Library
   E1. Public Comment
F. Adjournment`;
  expect(kindsOf(page)).toEqual([
    'procedural A Call to Order []',
    'heading B Elections and Confirmations []',
    'item B1 Sample Arts Commission [Elections and Confirmations]',
    'item B2 Sample Waste Commission [Elections and Confirmations]',
    'item C Library Fines []',
    'item D Plan for the sample pool in 2027 []',
    'item D1 Fees of the sample pool [Plan for the sample pool in 2027]',
    'item E Honors for the Library []',
    'procedural E1 Public Comment [Honors for the Library]',
    'procedural F Adjournment []',
  ]);
});

it('leaves out a repeated title and a rule for speakers', () => {
  const page = `
                    BOARD AGENDA

CALL TO ORDER

DIRECTOR REPORT
DIRECTOR REPORT

PUBLIC COMMENTS

Public comments are limited to three minutes per speaker

NEW BUSINESS

1. Fees of the sample pool
2. Street plan

ADDITIONAL COMMENTS FROM THE BOARD

ADJOURNMENT`;
  expect(kindsOf(page)).toEqual([
    'procedural - CALL TO ORDER []',
    'heading - DIRECTOR REPORT []',
    'procedural - PUBLIC COMMENTS []',
    'heading - NEW BUSINESS []',
    'item 1 Fees of the sample pool [NEW BUSINESS]',
    'item 2 Street plan [NEW BUSINESS]',
    'procedural - ADDITIONAL COMMENTS FROM THE BOARD []',
    'procedural - ADJOURNMENT []',
  ]);
});
