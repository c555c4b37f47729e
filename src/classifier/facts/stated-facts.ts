import type { ClassificationSubject } from '../../../domain/ports/classifier.ts';
import { operativeText } from '../operative-text.ts';
import { statedAction } from './action.ts';
import { statedAmount } from './amount.ts';
import { type Party, statedParty } from './party.ts';

/** What staff or a commission recommends, in the text's own words. */
const STATED = [
  /\bRecommendation of ([A-Z][\w &]{1,40}): (.+?)(?=\s+Recommendation of|\s+Note:|\s+[A-Z]{1,5}\d{2,4}-\d|$)/g,
  /\((Recommended for (?:Approval|Denial)[^()]{0,120})\)/gi,
];
const LENGTH = 160;

/** Each recommendation as one short sentence without its full stop, in the order of the text; the case numbers behind them are left out. */
function statedRecommendations(text: string): string[] {
  const [labelled, bracketed] = STATED as [RegExp, RegExp];
  const found = [...text.matchAll(labelled)].map((match) => `${match[1]} recommends: ${match[2]}`);
  found.push(...[...text.matchAll(bracketed)].map((match) => match[1] as string));
  return found.map((sentence) =>
    sentence.length > LENGTH ? `${sentence.slice(0, LENGTH).replace(/\s+\S*$/, '')} …` : sentence.replace(/[.\s]+$/, ''),
  );
}

/** What the record itself says of an item; null or empty where it says nothing. */
export interface StatedFacts {
  readonly action: string;
  readonly amount: string | null;
  readonly party: Party | null;
  readonly recommendations: readonly string[];
  readonly outcome: string | null;
}

const OUTCOMES = {
  approved: 'approved',
  denied: 'denied',
  continued: 'continued',
  withdrawn: 'withdrawn',
  no_action: 'no action taken',
} as const;

/** The facts that summaries are made of, taken from title and text without how the item is paid for. */
export function statedFacts({ item }: ClassificationSubject): StatedFacts {
  const title = operativeText(item.title);
  const text = item.text === null ? '' : operativeText(item.text);
  return {
    action: statedAction(title, item.matterType ?? ''),
    amount: statedAmount(title) ?? statedAmount(text),
    party: statedParty(title, item.matterType ?? '') ?? statedParty(text, ''),
    recommendations: [...statedRecommendations(item.title), ...statedRecommendations(item.text ?? '')],
    outcome: item.outcome === null ? null : OUTCOMES[item.outcome],
  };
}
