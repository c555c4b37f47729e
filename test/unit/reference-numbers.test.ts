import { expect, test } from 'vitest';
import { referenceNumbers } from '../../domain/reference-numbers.ts';

test('a text names its cases by their digits, whatever letters stand around them', () => {
  expect(
    referenceNumbers('Z245-177(AB), ZC-25-205, M&C 26-0243, 25-2352A, Int 0055-2024, Int 1-2026 and [Z890-182]'),
  ).toEqual(['245-177', '25-205', '26-243', '25-2352', '55-2024', '1-2026', '890-182']);
});

test('a text names its interstate highways, however they are written', () => {
  for (const text of [
    'I-35',
    'IH-35E',
    'IH 35',
    'Interstate 35',
    'Interstate Highway 35W',
    'Interstate Highway (IH) 35E',
    'INTERSTATE 35 (I-35)',
  ])
    expect([text, referenceNumbers(text)]).toEqual([text, ['i35']]);
});

test('dates, telephone numbers, ranges of one digit and other words are no numbers of cases or highways', () => {
  for (const text of [
    '2026-01-13',
    '214-670-3000',
    '3-4',
    'CSJ 0918-47-434',
    'Henri 35',
    'I think 35',
    '12345-678',
    'no digits',
  ])
    expect([text, referenceNumbers(text)]).toEqual([text, []]);
});
