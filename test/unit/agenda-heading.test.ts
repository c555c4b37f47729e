import { describe, expect, test } from 'vitest';
import { isGroupTitle, isHeadingTitle } from '../../domain/agenda-heading.ts';

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
