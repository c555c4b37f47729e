import { describe, expect, test } from 'vitest';
import { isGroupTitle, isHeadingTitle, isSectionTitle } from '../../domain/agenda/heading.ts';

describe('the title of a section', () => {
  test.each([
    'Consent Agenda',
    'IV. NEW BUSINESS',
    'Minutes - Consent',
    'Public Hearings (continued)',
    'ORDINANCES FOR SECOND READING',
    'Reports of Standing Committees',
    'Communications and Petitions',
    'ZONING: MAPLE, CHR. BIRCH CEDAR',
    'Finance Committee (Elm, Chair)',
  ])('is %s', (title) => {
    expect([title, isHeadingTitle(title)]).toEqual([title, true]);
  });

  test.each([
    'Appointment of Lee as chair',
    'Zoning of the Elm Street lots',
    'Ordinance 12 on dogs',
    'Report on the Elm Street bridge',
  ])('is not %s, which names a matter', (title) => expect(isSectionTitle(title)).toBe(false));

  test('has at most 200 characters', () => {
    expect([isHeadingTitle(`agenda -${' '.repeat(192)}`), isHeadingTitle(`agenda -${' '.repeat(193)}`)]).toEqual([
      true,
      false,
    ]);
    expect([isGroupTitle('A'.repeat(200)), isGroupTitle('A'.repeat(201))]).toEqual([true, false]);
  });
});

describe('the title of a group', () => {
  test.each([
    'PARKS',
    'Department of Streets',
    'Elm Water Utilities',
    'Zoning Cases',
    'STREET NAME CHANGES - UNDER ADVISEMENT',
  ])('may be %s', (title) => {
    expect(isGroupTitle(title)).toBe(true);
  });

  test.each(['Approve a contract with Smith', 'Budget workshop for 2026', ''])('is not %j', (title) => {
    expect(isGroupTitle(title)).toBe(false);
  });
});
