import { expect, test } from 'vitest';
import { figures, wilson, withoutAnyHit } from '../../tools/labels/figures.ts';
import { agreedAnswer, halfOf, parseLabels, strictAnswer } from '../../tools/labels/labels-file.ts';

const TOPICS = new Set(['zoning', 'housing']);
const HEAD = 'id\tfirst\tsecond\tagreed\n';

test('a label counts strictly only where both judges say the same without doubt', () => {
  const [label] = parseLabels(`${HEAD}nyc/1\tzoning,?housing\tzoning\tzoning,housing\n`, TOPICS);
  expect(strictAnswer(label!, 'zoning')).toBe(true);
  expect(strictAnswer(label!, 'housing')).toBeNull();
  expect(agreedAnswer(label!, 'housing')).toBe(true);
  const [none, doubt, differ] = parseLabels(`${HEAD}a\t-\t-\t-\nb\t?housing\t?housing\t\nc\tzoning\t-\t-\n`, TOPICS);
  expect(strictAnswer(none!, 'zoning')).toBe(false);
  expect([strictAnswer(doubt!, 'housing'), agreedAnswer(doubt!, 'zoning')]).toEqual([null, null]);
  expect([strictAnswer(differ!, 'zoning'), agreedAnswer(differ!, 'zoning')]).toEqual([null, false]);
});

test('a wrong line of the labels is named with what is allowed', () => {
  const parsed = (lines: string) => () => parseLabels(lines, TOPICS);
  expect(parsed('id\tfirst\n')).toThrow('line 1: must be the columns id, first, second, agreed');
  expect(parsed(`${HEAD}a\tzonning\t-\t-\n`)).toThrow(
    'line 2, first: "zonning" is no label; allowed: - or zoning, housing',
  );
  expect(parsed(`${HEAD}a\t\t-\t-\n`)).toThrow('line 2, first: "" is no label');
  expect(parsed(`${HEAD}a\tzoning,?zoning\t-\t-\n`)).toThrow('line 2, first: "zoning" occurs twice');
  expect(parsed(`${HEAD}a\t-\t-\n`)).toThrow('line 2: has 3 columns, must have 4');
  expect(parsed(`${HEAD}a\t-\t-\t-\na\t-\t-\t-\n`)).toThrow('line 3: a occurs twice');
});

test('the halves of the labeled set are stable and about equal', () => {
  const ids = Array.from({ length: 1_000 }, (_, at) => `cityofdallas/${at}`);
  const tuning = ids.filter((id) => halfOf(id) === 'tuning').length;
  expect(tuning).toBeGreaterThan(450);
  expect(tuning).toBeLessThan(550);
  expect(['nyc/402494', 'cityofdallas/75013', 'fortworthgov/1354785009'].map(halfOf)).toEqual([
    'held-out',
    'tuning',
    'held-out',
  ]);
});

test('precision and recall count decided cases, with the Wilson interval', () => {
  expect(wilson(0, 0)).toBeNull();
  const [low, high] = wilson(8, 10)!;
  expect([low, high].map((bound) => bound.toFixed(4))).toEqual(['0.4902', '0.9433']);
  const one = (item: string, belongs: boolean | null, found: boolean) => ({
    item,
    city: 'Dallas',
    topic: 'zoning',
    belongs,
    found,
  });
  const cases = [
    one('a', true, true),
    one('b', true, false),
    one('c', false, true),
    one('d', false, false),
    one('e', null, true),
  ];
  expect(figures('zoning', cases)).toEqual(['zoning', '1/2 50 % [9-91]', '1/2 50 % [9-91]', '1']);
  // A hit on another topic is a hit of the item.
  expect(withoutAnyHit([...cases, { ...one('a', false, false), topic: 'housing' }])).toBe('1/2 50 % [9-91]');
});
