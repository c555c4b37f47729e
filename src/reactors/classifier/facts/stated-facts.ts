import type { ClassificationSubject } from '../../../domain/ports/classifier.ts';
import { operativeText } from '../operative-text.ts';
import { statedAction } from './action.ts';
import { statedAmount } from './amount.ts';
import { type Party, statedParty } from './party.ts';
import { statedRecommendations } from './recommendations.ts';

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
export const statedFacts = ({ item }: ClassificationSubject): StatedFacts => {
  const title = operativeText(item.title);
  const text = item.text === null ? '' : operativeText(item.text);
  return {
    action: statedAction(title, item.matterType ?? ''),
    amount: statedAmount(title) ?? statedAmount(text),
    party: statedParty(title, item.matterType ?? '') ?? statedParty(text, ''),
    recommendations: [...statedRecommendations(item.title), ...statedRecommendations(item.text ?? '')],
    outcome: item.outcome === null ? null : OUTCOMES[item.outcome],
  };
};
