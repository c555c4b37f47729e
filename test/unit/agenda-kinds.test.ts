import { describe, expect, test } from 'vitest';
import { type AgendaRow, readAgendaRows } from '../../domain/agenda/kinds.ts';

const row = (title: string, fields: Partial<AgendaRow> = {}): AgendaRow => ({
  title,
  hasAttachments: false,
  hasVotes: false,
  ...fields,
});
const numbered = (agendaNumber: string, title: string, fields: Partial<AgendaRow> = {}): AgendaRow =>
  row(title, { agendaNumber, ...fields });
const matter = (
  matterFile: string,
  title = 'Authorize a contract for benches',
  fields: Partial<AgendaRow> = {},
): AgendaRow => row(title, { matterFile, ...fields });
const read = (...rows: readonly AgendaRow[]) => readAgendaRows(rows).map(({ kind, section }) => [kind, section]);
const kindOf = (only: AgendaRow) => readAgendaRows([only])[0]!.kind;

describe('a row of an agenda by itself', () => {
  test.each([
    'Page Break',
    'PAGE BREAK',
    '-- page break --',
    '* * *',
    '________',
    'This page intentionally left blank',
    'Page 2 of 9',
    'End of Consent Agenda',
  ])('is a mark of the layout: %s', (title) => expect(kindOf(row(title))).toBe('layout'));

  test('is a mark of the layout: the name and day of the agenda', () => {
    expect(kindOf(row('AGENDA\nCOUNCIL MEETING\nMONDAY, MAY 4, 2026\nORDER OF BUSINESS'))).toBe('layout');
    expect(kindOf(row('Agenda policy for the meeting of May 4, 2026, and later ones'))).toBe('item');
  });

  test.each([
    'Pursuant to Chapter 380, the agreement may adjourn the lease',
    'Persons with disabilities housing grant to assist renters',
    'Notice of intent to sue and its posting',
    'The Council will consider recess hours',
    'Individuals with disabilities transit plan to assist',
    'Residents with low income assistance program approval',
    'Items donated to the museum are discussed',
    'The Commission will consider public comments policy',
    'Public comments are part of the new plan for parks',
    'Posted speed limit on Elm Street, posting of signs',
    'Contact tracing program with the county clerk offices now',
  ])('is an item although it begins like a notice: %s', (title) => expect(kindOf(row(title))).toBe('item'));

  test.each([
    'NOTE: A revised order of business may be posted.',
    'Note: Item 12 must be heard before Item 14 may be considered.',
    'This meeting will be held by videoconference and in the chambers.',
    'The Commission may recess into executive session on any item of this agenda.',
    'Members of the public who wish to speak must sign up by noon.',
    'Persons with disabilities who need an interpreter should call the clerk two days before.',
    'Pursuant to Section 30.06, Penal Code, a person may not enter this property with a concealed handgun.',
    'All items under the consent agenda are considered routine and are enacted by one motion.',
    'To join the meeting by Zoom, dial 555-0100.',
    'Para solicitar un intérprete, llame a la secretaría.',
    'A quorum of the park board may be present at this meeting.',
    'Jointly with the Committee on Parks',
    'The Council reserves the right to take up any item out of order.',
    'Individuals with disabilities requiring assistance should contact the clerk.',
    'Items removed from the consent agenda are discussed individually.',
  ])('is a notice on the meeting: %s', (title) => expect(kindOf(row(title))).toBe('notice'));

  test.each([
    'Call to Order',
    'CALL TO ORDER AND ROLL CALL',
    'Invocation – Pastor Lee, Elm Church',
    'Invocation and Pledge of Allegiance',
    'Moment of Silence',
    'Declaration of a Quorum',
    'Recess at 11:00 a.m.',
    'Approval of Minutes of the May 4, 2026 Council Meeting',
    'Minutes - May 4, 2026 Work Session',
    'Public Comments',
    'Citizen Comments on Non-Agenda Items (three minutes each)',
    'Open Microphone Speakers',
    'Hearing of Visitors',
    'Announcements',
    'Council Member Comments',
    'Executive Session',
    'Executive Session pursuant to Section 551.071 of the Texas Government Code',
    'Personnel Matters (Sec. 551.074)',
    'Approval of the Agenda',
    'Next Meeting: June 1, 2026',
    'ADJOURNMENT',
    'Llamada al orden',
    'Juramento a la bandera',
    'Comentarios públicos',
    'Set next meeting date',
  ])('is a step of every meeting: %s', (title) => {
    expect(kindOf(row(title))).toBe('procedural');
    expect(kindOf(numbered('3.', title))).toBe('procedural');
  });

  test('is a step with a file, an action or a vote', () => {
    const fields = { matterFile: '26-9', matterType: 'Minutes', actionText: 'Approved', hasVotes: true };
    expect(kindOf(row('Approval of Minutes', fields))).toBe('procedural');
  });

  test.each([
    'Public comment on the proposed budget for parks',
    'Minutes of the election of officers and appointment of a treasurer',
    'Roll call vote on the purchase of benches',
    'Executive session: purchase of 12 Elm Street',
    'Closed Session\nAttorney Briefings (Sec. 551.071)\n- the lawsuit of Lee v. City',
    'Meeting room rental policy',
    'Approve the minutes fee schedule',
    'Set future meeting dates',
    'The owners of Elm Street will pay for the new wall',
  ])('is an item when it names a subject: %s', (title) => expect(kindOf(row(title))).toBe('item'));

  test('is an item with a file, a type, a document, an action or a text, whatever its title', () => {
    for (const fields of [
      { matterFile: '26-1' },
      { matterType: 'Zoning Case' },
      { hasAttachments: true },
      { text: 'On the budget.' },
    ]) {
      expect([fields, kindOf(row('PUBLIC HEARING', fields))]).toEqual([fields, 'item']);
    }
    for (const fields of [{ actionText: 'Approved' }, { outcome: 'approved' as const }, { hasVotes: true }]) {
      expect([fields, kindOf(row('STREET NAME CHANGE', fields))]).toEqual([fields, 'item']);
    }
    expect(kindOf(row('Executive Session', { text: 'Discuss the purchase of 12 Elm Street.' }))).toBe('item');
    expect(kindOf(matter('26-2', 'Page Break'))).toBe('item');
  });

  test('is a heading with the vote on its section, and with a text that is a notice', () => {
    expect(kindOf(row('Consent Agenda', { actionText: 'Approved', hasVotes: true }))).toBe('heading');
    expect(kindOf(row('Consent Agenda', { text: 'All items under the consent agenda are considered routine.' }))).toBe(
      'heading',
    );
  });

  test('says that the meeting does not take place: readers of its page look for it', () => {
    expect(kindOf(row('The board meeting scheduled for May 4, 2026, has been cancelled.'))).toBe('procedural');
  });
});

describe('a row of an agenda among others', () => {
  test('is a heading in capitals or as a department, above a matter', () => {
    expect(read(row('PARKS'), matter('26-1'), row('Department of Streets'), matter('26-2'))).toEqual([
      ['heading', null],
      ['item', 'PARKS'],
      ['heading', null],
      ['item', 'Department of Streets'],
    ]);
  });

  test('is an item in capitals among items in capitals, and with nothing below it', () => {
    expect(
      read(row('CALL TO ORDER'), row('BUDGET AMENDMENT'), row('NEW FENCE AT ELM PARK'), row('ADJOURN')).map(
        ([kind]) => kind,
      ),
    ).toEqual(['procedural', 'item', 'item', 'procedural']);
    expect(read(numbered('1.', 'Approve a lease'), row('BUDGET WORKSHOP')).at(-1)).toEqual(['item', null]);
  });

  test('is a heading when its number contains that of the next row, and an item without such rows', () => {
    expect(
      read(numbered('4', 'Zoning Cases'), numbered('4.1', 'Rezone Elm Street'), numbered('5', 'Zoning Cases')),
    ).toEqual([
      ['heading', null],
      ['item', 'Zoning Cases'],
      ['item', null],
    ]);
    expect(read(numbered('D.', 'Appointments'), numbered('D1', 'Appoint a clerk'))[1]).toEqual([
      'item',
      'Appointments',
    ]);
    expect(read(numbered('7.', 'Appointments to Boards'), numbered('8.', 'Approve a lease'))[0]).toEqual([
      'item',
      null,
    ]);
  });

  test('is an item that begins with a deed, with parts below it', () => {
    expect(read(numbered('5.', 'Consider contracts for the following parks:'), numbered('5.a', 'Elm Park'))[0]).toEqual(
      ['item', null],
    );
  });
});

describe('the section of an item', () => {
  test('is its nearest heading, without the number and the sign of its continuation', () => {
    const rows = [
      row('II. PUBLIC HEARINGS:'),
      row('ZONING CASES - CONSENT'),
      matter('26-1'),
      row('PUBLIC HEARINGS (Continued)'),
      matter('26-2'),
    ];
    expect(read(...rows).map(([, section]) => section)).toEqual([
      null,
      null,
      'ZONING CASES - CONSENT',
      null,
      'PUBLIC HEARINGS',
    ]);
  });

  test('ends with a row of the same level, and with a step that has no number', () => {
    const rows = [
      numbered('2', 'Consent Agenda'),
      numbered('2.1', 'Approve a lease'),
      numbered('3', 'Approve the budget'),
    ];
    expect(read(...rows).map(([, section]) => section)).toEqual([null, 'Consent Agenda', null]);
    expect(
      read(row('CONSENT AGENDA'), matter('26-1'), row('RECESS'), matter('26-2')).map(([, section]) => section),
    ).toEqual([null, 'CONSENT AGENDA', null, null]);
  });

  test('is that of a Roman numeral over letters, the first nine of which are numerals too', () => {
    const rows = [
      numbered('I.', 'Consent Agenda'),
      numbered('A.', 'Approve a lease'),
      numbered('B.', 'Approve a fence'),
      numbered('II.', 'Elm Park'),
    ];
    expect(read(...rows).map(([, section]) => section)).toEqual([null, 'Consent Agenda', 'Consent Agenda', null]);
    const letters = [
      numbered('H.', 'Consent Agenda'),
      numbered('I.', 'Approve a lease'),
      numbered('J.', 'Approve a fence'),
    ];
    expect(read(...letters).map(([, section]) => section)).toEqual([null, null, null]);
  });

  test('does not end at a page break', () => {
    expect(read(row('CONSENT AGENDA'), row('Page Break'), matter('26-1'))[2]).toEqual(['item', 'CONSENT AGENDA']);
  });

  test('is the type of its matter on an agenda without headings, where the types are groups', () => {
    const typed = (agendaNumber: string | null, matterType: string) =>
      matter('26-1', 'Authorize a contract', { agendaNumber, matterType });
    const sectionsOf = (...rows: readonly AgendaRow[]) => read(...rows).map(([, section]) => section);
    expect(sectionsOf(typed(null, 'Land'), typed(null, 'Land'), typed(null, 'Zoning Case'))).toEqual([
      'Land',
      'Land',
      'Zoning Case',
    ]);
    expect(sectionsOf(typed('1.', 'Land'), typed('1.', 'Zoning Case'), typed('2.', 'Land'))).toEqual([
      'Land',
      'Zoning Case',
      'Land',
    ]);
    expect(sectionsOf(typed('1.', 'Land'), typed('2.', 'Zoning Case'), typed('3.', 'Land'))).toEqual([
      null,
      null,
      null,
    ]);
    expect(sectionsOf(row('CONSENT AGENDA'), typed('1.', 'Land'))).toEqual([null, 'CONSENT AGENDA']);
  });

  test('is the group that the source states', () => {
    expect(read(numbered('K.', 'AWARDS'), numbered('K. BIDS (1)', 'Authorize a lease', { group: 'BIDS' }))[1]).toEqual([
      'item',
      'BIDS',
    ]);
  });
});
