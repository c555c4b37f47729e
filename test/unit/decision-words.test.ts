import { describe, expect, it } from 'vitest';
import { listNamedActs, readDecision, extractDecision } from '../../domain/decisions/decision-words.ts';
import { MAX_RULE_TEXT } from '../../domain/text/source-text.ts';
import { outcomeOf, withFailedVote } from '../../src/sources/agendas/outcomes.ts';
import { processorTime } from '../support/text-rules/processor-time.ts';

const REPEATED = [
  ...[' ', '\t', '\n', '.', ',', ';', ':', '-', '—', '(', ')', '*', '&', '$1,', "'", '’s ', 'a', 'A', 'é', '\u{1F600}'],
  ...[
    'motion ',
    'moved to deny ',
    'motion to approve. ',
    'substitute motion to deny ',
    'approved ',
    'was approved ',
    'be denied and ',
    'and approve ',
  ],
  ...[
    'denial ',
    'recommended ',
    'not ',
    'if ',
    'to ',
    '7-0 ',
    'in 2017 ',
    '2017 ',
    'no second ',
    'lack of a ',
    'm/s/c ',
    'm/',
    'hold the item ',
  ],
  ...['this a was ', 'a motion was made be ', 'DROP ', 'WITHDRAWN BY AAA ', 'D.R.O.P.'],
];
const ADVERSE = REPEATED.flatMap((part) => [part, `Approved ${part}`, `${part}x DROP`]).map((part) =>
  part.repeat(MAX_RULE_TEXT).slice(0, MAX_RULE_TEXT),
);

describe('the time of reading decisions', () => {
  it.each([
    ['readDecision', (words: string) => readDecision(words, { flag: 'carried', title: words })],
    ['extractDecision', extractDecision],
    ['listNamedActs', listNamedActs],
    ['outcomeOf', (words: string) => outcomeOf({ EventItemActionText: words, EventItemTitle: words })],
    ['withFailedVote', (words: string) => withFailedVote(words, { EventItemPassedFlagName: 'Fail' })],
  ])('of %s is less than 20 ms for any text', (_, read) => {
    for (const words of ADVERSE)
      expect([words.slice(0, 30), processorTime(() => read(words), 20) <= 20]).toEqual([words.slice(0, 30), true]);
  });
});

describe('the acts that words name', () => {
  it('are those in any sense, without the rejection of bids', () => {
    expect([...listNamedActs('Staff recommended denial; approved')].toSorted()).toEqual(['approved', 'denied']);
    expect([...listNamedActs('Approve the contract and reject all other bids')]).toEqual(['approved']);
    expect([...listNamedActs('Motion to rescind')]).toEqual([]);
  });
});
