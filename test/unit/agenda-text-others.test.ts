import { describe, expect, it } from 'vitest';
import { agendaOf, titlesOf } from '../support/agenda-pages.ts';

const AGENDA = `
1. Call to Order
2. Sample street plan
3. Adjournment`;
const ITEMS = ['1 Call to Order', '2 Sample street plan', '3 Adjournment'];

describe('what is no item', () => {
  it('leaves out rules of participation before the agenda', () => {
    const rules = `
You may take part in these ways:

1. By email to clerk@example.org before noon
2. By phone: dial 555-555-0100 and press 9`;
    expect(titlesOf(`EXAMPLE COUNCIL AGENDA\n${rules}\n${AGENDA}`)).toEqual(ITEMS);
  });

  it('leaves out the law on comments of the public, and reads the items at its left edge', () => {
    expect(
      titlesOf(`
EXAMPLE COUNCIL AGENDA

CALL TO ORDER

PUBLIC COMMENTS

   A. A member of a governmental body answers with a statement of specific factual
      information.
   B. A decision about the subject of the inquiry is taken later.

REGULAR AGENDA

   1. Sample street plan
   2. Sample park plan

ADJOURN`),
    ).toEqual([
      '- CALL TO ORDER',
      '- PUBLIC COMMENTS',
      '- REGULAR AGENDA',
      '1 Sample street plan',
      '2 Sample park plan',
      '- ADJOURN',
    ]);
  });

  it.each([
    ['minutes', '                         EXAMPLE COUNCIL MEETING MINUTES'],
    ['a report', '                                AGENDA ITEM REPORT'],
    ['a resolution', '                              RESOLUTION NO. 2026-12'],
    ['proceedings', 'BE IT REMEMBERED that on the 3rd day of March the court met'],
  ])('leaves out %s after an agenda that does not name its end', (_, title) => {
    const agenda = 'EXAMPLE COUNCIL AGENDA\n\n1. Call to Order\n2. Sample street plan\n3. Sample park plan';
    expect(titlesOf(agenda, `${title}\n\n1. Call to Order\n2. Sample text\n3. Other text`)).toEqual([
      '1 Call to Order',
      '2 Sample street plan',
      '3 Sample park plan',
    ]);
  });

  it('reads the items below the name of an attached report at the top of a page', () => {
    const agenda = 'EXAMPLE COUNCIL AGENDA\n\n1. Call to Order\n2. Sample street plan';
    expect(titlesOf(agenda, 'Staff Report\n\n3. Sample park plan\n4. Adjourn')).toEqual([
      '1 Call to Order',
      '2 Sample street plan',
      '3 Sample park plan',
      '4 Adjourn',
    ]);
  });

  it('leaves out a notice in capitals below the last step', () => {
    expect(
      titlesOf(`
EXAMPLE COUNCIL AGENDA

1. CALL TO ORDER
2. SAMPLE STREET PLAN
3. ADJOURN
   THIS AGENDA WAS POSTED ON THE BOARD OF THE HALL`),
    ).toEqual(['1 CALL TO ORDER', '2 SAMPLE STREET PLAN', '3 ADJOURN']);
  });

  it('leaves out the list of a recommendation inside an item', () => {
    expect(
      titlesOf(`
EXAMPLE COUNCIL AGENDA

1. Call to Order
2. Sample street plan
   Recommended Action:
   1. Approve the plan;
   2. Direct the manager to sign it.
3. Adjournment`),
    ).toEqual(ITEMS);
  });

  it('leaves out attachments with bullets below an item', () => {
    expect(
      titlesOf(`
EXAMPLE COUNCIL AGENDA

1. Call to Order
2. Sample street plan
   Attachments:
     • Map of the street
     • Letter of the engineer
3. Adjournment`),
    ).toEqual(ITEMS);
  });

  it('leaves out the later parts of a recommendation, whose first part begins on the line of its label', () => {
    expect(
      titlesOf(`
EXAMPLE COUNCIL AGENDA

1. Call to Order
2. Sample street plan
   Recommendation: (a) Approve the plan.
   The plan is a part of the budget.
   (a) Approve the sample budget.
   (b) Direct the manager to sign it.
3. Adjournment`),
    ).toEqual(ITEMS);
  });

  it('leaves out what a step or a section tells the public', () => {
    expect(
      titlesOf(`
EXAMPLE COUNCIL AGENDA

1. Call to Order
2. Citizen Comments: Each speaker is limited to three minutes.
3. CONSENT AGENDA All of these are considered routine and are approved with one motion.
4. Sample street plan: The street is limited to two lanes.
5. Adjournment`),
    ).toEqual([
      '1 Call to Order',
      '2 Citizen Comments',
      '3 CONSENT AGENDA',
      '4 Sample street plan: The street is limited to two lanes.',
      '5 Adjournment',
    ]);
  });

  it('leaves out a sentence that names a closed session', () => {
    expect(
      titlesOf(`
EXAMPLE COUNCIL AGENDA

1. Call to Order
2. Executive Session

The council will convene in executive session under this section of the code:

   A. Sample lawsuit
3. Adjournment`),
    ).toEqual(['1 Call to Order', '2 Executive Session', '2.A Sample lawsuit', '3 Adjournment']);
  });

  it('leaves out the staff report and the minutes that follow the agenda', () => {
    const report = `
                     STAFF REPORT

1. Background of the plan
2. Costs of the plan`;
    const minutes = `
             MINUTES OF THE EXAMPLE COUNCIL

1. Call to Order
2. The council approved the sample park.
3. Adjournment`;
    expect(titlesOf(`EXAMPLE COUNCIL AGENDA\n${AGENDA}`, report, minutes)).toEqual(ITEMS);
  });
});

describe('papers without items say why', () => {
  it.each([
    [
      'minutes',
      'MINUTES OF THE EXAMPLE COUNCIL\n\n1. Call to Order\n2. Sample plan\n3. Adjournment',
      'contains minutes',
    ],
    [
      'a memorandum',
      'MEMORANDUM\n\nTO: Council\nFROM: Manager\n\n1. The sample bridge\n2. The sample road',
      'memorandum',
    ],
    [
      'a letter',
      'Dear neighbors of the sample park, we invite all of you to a walk.',
      'is not recognized as an agenda',
    ],
    [
      'an agenda without items',
      'EXAMPLE COUNCIL AGENDA\n\nThere is nothing to decide at this time, sample.',
      'has no numbered or titled',
    ],
  ])('%s', (_, page, reason) => {
    expect(agendaOf(page)).toMatchObject({
      items: [],
      textEvidence: 'readable',
      reason: expect.stringContaining(reason),
    });
  });

  it('a document without letters has no text layer', () => {
    expect(agendaOf('  ', '1 2 3')).toMatchObject({ items: [], textEvidence: 'no_text_layer' });
  });
});
