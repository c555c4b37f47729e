import { describe, expect, test } from 'vitest';
import { dateOfDay, dayOfDate } from '../../domain/local-day.ts';
import { readQuestion } from '../../queries/search/question/read-question.ts';

/** A Wednesday. */
const TODAY = dayOfDate('2026-04-15');

function daysOf(query: string): string {
  const { days, text } = readQuestion(query, TODAY);
  const dates = days === null ? [] : [days.from, days.to].map((day) => (day === null ? '' : dateOfDay(day)));
  return [...dates, text].join(' ').trim();
}

describe('days of a query', () => {
  test.each([
    ['levy today', '2026-04-15 2026-04-15 levy'],
    ['levy tonight', '2026-04-15 2026-04-15 levy'],
    ['levy tomorrow', '2026-04-16 2026-04-16 levy'],
    ['levy yesterday', '2026-04-14 2026-04-14 levy'],
    ['levy this week', '2026-04-13 2026-04-19 levy'],
    ['levy next week?', '2026-04-20 2026-04-26 levy'],
    ['levy in the last week', '2026-04-06 2026-04-12 levy'],
    ['levy next weekend', '2026-04-25 2026-04-26 levy'],
    ['levy last month', '2026-03-01 2026-03-31 levy'],
    ["next month's levy", '2026-05-01 2026-05-31 levy'],
    ['levy this year', '2026-01-01 2026-12-31 levy'],
    ['levy in the past two weeks', '2026-04-01 2026-04-15 levy'],
    ['levy last 3 months', '2026-01-15 2026-04-15 levy'],
    ['levy next 10 days', '2026-04-15 2026-04-25 levy'],
    ['levy on Tuesday', '2026-04-21 2026-04-21 levy'],
    ['levy on Wednesday', '2026-04-15 2026-04-15 levy'],
    ['levy next Wednesday', '2026-04-22 2026-04-22 levy'],
    ['levy last Wednesday', '2026-04-08 2026-04-08 levy'],
    ['did the levy pass on Tuesday?', '2026-04-14 2026-04-14 did the levy pass'],
    ['levy Tuesday night', '2026-04-21 2026-04-21 levy'],
    ["Tuesday's levy", '2026-04-21 2026-04-21 levy'],
    ['levy in June 2025', '2025-06-01 2025-06-30 levy'],
    ['levy in May', '2026-05-01 2026-05-31 levy'],
    ['levy in November', '2025-11-01 2025-11-30 levy'],
    ['will the levy come in November?', '2026-11-01 2026-11-30 will the levy'],
    ['levy last November', '2025-11-01 2025-11-30 levy'],
    ['levy in 2024', '2024-01-01 2024-12-31 levy'],
    ['levy since March 3, 2026', '2026-03-03  levy'],
    ['levy after 2026-03-03', '2026-03-04  levy'],
    ['levy before 3/3/2026', ' 2026-03-02 levy'.trim()],
    ['levy by Friday', ' 2026-04-17 levy'.trim()],
    ['levy between March and May 2026', '2026-03-01 2026-05-31 levy'],
    ['levy from Monday to Friday', '2026-04-20 2026-04-17 levy'],
    ['upcoming levy', '2026-04-15  levy'],
  ])('%s', (query, read) => {
    expect(daysOf(query)).toBe(read);
  });

  test('on a date without a year are that day of every year around this one', () => {
    const { days, text, read } = readQuestion('levy on February 29?', TODAY);
    expect(days?.sameDays?.map((day) => dateOfDay(day))).toEqual(['2024-02-29', '2020-02-29', '2016-02-29']);
    expect([text, read]).toEqual([
      'levy',
      [{ words: 'on February 29', meaning: 'meetings on February 29 of any year' }],
    ]);
  });

  test.each([
    'May Construction bid',
    'parking on May Street',
    'contract by March Construction',
    'sidewalks on Friday Street',
    'next year budget',
    "this year's budget",
    'budget for 2025',
    '1900 block in 2000 block of Elm',
    'June 2025',
    'April 14',
    '"next week"',
    'levy -today',
    'on February 30, 2026',
    '“last month”',
  ])('are not read in %s', (query) => {
    expect(readQuestion(query, TODAY)).toMatchObject({ text: query, days: null, read: [] });
  });
});

describe('amounts of a query', () => {
  const amountOf = (query: string) => {
    const { amount, text } = readQuestion(query, TODAY);
    return amount === null ? text : `${amount.least ?? ''}-${amount.most ?? ''} ${text}`;
  };

  test.each([
    ['levy above $1 million', '1000000- levy'],
    ['levy over $1.5M', '1500000- levy'],
    ['levy of more than 200 thousand dollars', '200000- levy of'],
    ['levy at least $1,250,000.50', '1250000- levy'],
    ['levy under $50k?', '-50000 levy'],
    ['levy up to $2 billion', '-2000000000 levy'],
    ['levy no more than 500 dollars', '-500 levy'],
    ['levy between $10,000 and $20,000', '10000-20000 levy'],
    ['$5 million or more levy', '5000000- levy'],
    ['levy $300 or less', '-300 levy'],
    ['levy over 50 units', 'levy over 50 units'],
    ['levy over 2 million gallons', 'levy over 2 million gallons'],
    ['levy $1 million', 'levy $1 million'],
    ['bridge over Elm', 'bridge over Elm'],
    ['levy "above $1 million"', 'levy "above $1 million"'],
    ['levy above $9999999999999', 'levy above $9999999999999'],
  ])('%s', (query, read) => {
    expect(amountOf(query)).toBe(read);
  });

  test('are named in dollars', () => {
    const { read } = readQuestion('levy above $1.5 million next week', TODAY);
    expect(read).toEqual([
      { words: 'above $1.5 million', meaning: 'amounts of $1,500,000 or more' },
      { words: 'next week', meaning: 'meetings from April 20, 2026 to April 26, 2026' },
    ]);
  });
});

test.each([
  ['what will the council decide about chickens?', 'what will the council chickens?'],
  ['How much does the city pay for toilets', 'How does the city for toilets'],
  ['show me items about towing', 'me towing'],
  ['when do they vote on the levy', 'when do they on the levy'],
  ['where are the vote centers?', 'where are the vote centers?'],
  ['meeting room rental', 'meeting room rental'],
  ['which "agenda items" are there?', 'which "agenda items" are'],
])('words that only make a question are not searched: %s', (query, text) => {
  expect(readQuestion(query, TODAY).text).toBe(text);
});
