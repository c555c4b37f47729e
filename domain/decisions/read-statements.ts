import { readActs } from './read-acts.ts';
import { readMotion } from './motions.ts';
import { segmentsOf, withoutReports } from './sentences.ts';
import type { Statement } from './statement.ts';
import { has, splitAt, type Token, tokensOf } from './tokens.ts';
import { wordSet } from '../text/words.ts';

const CHANGES = wordSet('amend amended amends amending amendment changed changes modified revised restated');
/** A motion that is called a substitute has a result of its own. */
const SUBSTITUTES = wordSet('substitute substituted substitutes alternate alternative');
const FINAL_ACTS = new Set<Token['act']>(['approved', 'denied', 'deferred', 'no_action', 'withdrawn']);

/** Returns the acts to which a sentence changes an earlier motion: "amended to deny", "substitute: continue". */
function changesIn(sentence: readonly Token[]): Statement[] {
  if (has(sentence, 'failed')) return [];
  const isMotion = has(sentence, 'motion');
  const at = sentence.findIndex(({ text }) => CHANGES.has(text) || (SUBSTITUTES.has(text) && !isMotion));
  const changedTo =
    at < 0 ? [] : sentence.slice(at + 1).filter(({ act, form }) => FINAL_ACTS.has(act) && form !== 'past');
  return changedTo.map(({ act }) => ({ is: 'change', act: act! }));
}

/**
 * Returns the acts that a text reports as moved, done or advised, in its order. `isAppeal`: the item itself is an
 * appeal.
 */
export function readStatements(text: string, isAppeal: boolean): readonly Statement[] {
  return splitAt(tokensOf(text), ({ kind }) => kind === 'stop').flatMap((sentence) => {
    const { tokens, reported } = withoutReports(sentence);
    const advised = reported.map((act): Statement => ({ is: 'reported', act }));
    const statements = segmentsOf(tokens).flatMap((segment) =>
      segment.lead === null ? readActs(segment.tokens, isAppeal) : readMotion(segment, isAppeal),
    );
    return [...advised, ...changesIn(sentence), ...statements];
  });
}
