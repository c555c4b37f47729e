import { describe, expect, test } from 'vitest';
import { isGroupTitle, isHeading, isHeadingTitle } from '../../domain/agenda-heading.ts';

describe('the title of a heading', () => {
  test.each(['CALL TO ORDER', 'Consent Agenda', 'Minutes - Continued', 'MINUTES -  consent', 'Minutes:'])('is %s', (title) => {
    expect(isHeadingTitle(title)).toBe(true);
  });

  test('has at most 200 characters', () => {
    expect([isHeadingTitle(`minutes -${' '.repeat(191)}`), isHeadingTitle(`minutes -${' '.repeat(192)}`)]).toEqual([true, false]);
    expect([isGroupTitle('A'.repeat(200)), isGroupTitle('A'.repeat(201))]).toEqual([true, false]);
  });

  test('of a million spaces is rejected by its length', () => {
    // With a pattern alone this takes hours, and the test exceeds its timeout.
    expect(isHeadingTitle(`minutes -${' '.repeat(1_000_000)}x`)).toBe(false);
  });
});

describe('a heading', () => {
  const bare = { agendaNumber: null, matterFile: null, matterType: null, text: null, actionText: null, outcome: null };
  const heads = (fields: object) => isHeading({ title: 'PUBLIC HEARING', ...bare, ...fields } as Parameters<typeof isHeading>[0]);

  test('has no number, or the letter or Roman numeral of a section', () => {
    for (const agendaNumber of [null, 'G.', 'a)', 'IV', 'xii.'])
      expect([agendaNumber, heads({ agendaNumber })]).toEqual([agendaNumber, true]);
    for (const agendaNumber of ['7.', 'G.1', 'A1', 'Z2', 'GG'])
      expect([agendaNumber, heads({ agendaNumber })]).toEqual([agendaNumber, false]);
  });

  test('has neither a file nor a text, and the title of one', () => {
    expect(heads({ matterFile: '26-1' })).toBe(false);
    expect(heads({ text: 'On the budget' })).toBe(false);
    expect(heads({ agendaNumber: 'G.', title: 'Approve a contract with Smith' })).toBe(false);
  });

  test('with a letter has a usual title: a numbered section may have items with letters', () => {
    for (const title of ['BUDGET AMENDMENT', 'Police Department'])
      expect([heads({ title }), heads({ agendaNumber: 'b.', title })]).toEqual([true, false]);
  });
});
