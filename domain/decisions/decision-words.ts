import { anyPhrase, anyWord, pattern } from '../text/patterns.ts';
import { isContradictory } from './contradictions.ts';
import type { Act } from './lexicon.ts';
import { DECISIVE, namesBids } from './resolve.ts';
import { readStatements } from './read-statements.ts';
import { tokensOf } from './tokens.ts';
import { type VoteFlag, weighStatements } from './weigh.ts';
import { MAX_RULE_TEXT } from '../text/source-text.ts';

/*
 * Vocabulary of this folder, from the words of a source to the decision on an item:
 *
 * | term         | example                                             | file                                  |
 * |--------------|-----------------------------------------------------|---------------------------------------|
 * | Act          | "lay over" is the act `deferred`                    | lexicon.ts                            |
 * | ResolvedAct  | "grant the appeal" resolved to an act on the item   | resolve.ts                            |
 * | MotionResult | "carried"                                           | motions.ts                            |
 * | Statement    | a motion, its result, or an act that was done       | read-statements.ts                    |
 * | Decision     | what all statements decide together, or null        | weigh.ts, then this file              |
 */

/** Decision on an item according to the words of its source. */
export type Decision =
  | 'approved'
  | 'denied'
  | 'no_action'
  | 'filed'
  | 'deferred'
  | 'referred'
  | 'withdrawn'
  | 'deleted'
  | 'decided'
  | 'hearing_closed'
  | 'hearing_held';

const SUBJECT = String.raw`(?:(?:this|the) (?!motion\b)[\w' ]{2,40} was |a motion was made .{0,90}\bbe )?(?:p-c item )?`;
const DONE_WORDS = anyPhrase(`
  hearing, corrected, approved, adopted, passed, enacted, disapproved, denied, rejected, failed, filed,
  deferred, laid over, continued, held, withdrawn, deleted, amended, amendment proposed, referred, remanded,
  tabled, no action
`);
/** Words that can follow without being an object. */
const FOLLOWING = anyWord(`
  and as at back by due for from in indefinitely on over per subject to unanimously under until with without items? ordinance resolution consent
  motion staff recommendation denial
`);
/**
 * A text on what was done: the past tense near its beginning, without an object after it except the item's form. Other
 * sources put what is proposed into the same field. "P-C" is a preconsidered item.
 */
const DONE = pattern(
  'is',
  `^${SUBJECT}(`,
  String.raw`${DONE_WORDS}\b(?:(?<=hearing|no action)|(?= ?[^\w\s]| ?$| ${FOLLOWING}\b)).{0,90}?`,
  String.raw`)(?: approved by .*|\.)?$`,
);
const IN_A_YEAR = String.raw`\b(?:in|on|from|since|of) (?:\p{L}+\.? )?(?:\d{1,2},? )?(?:19|20)\d\d\b`;
const TO_DO = anyWord('accept adopt amend approve authorize award consider deny ratify receive recommends?');
/** Words about an earlier act, an act of the voters, or a future one: the text is not an action of its meeting. */
const OTHER_ACT = new RegExp(
  String.raw`${IN_A_YEAR}|\b(?:previously|earlier|voters)\b|[.;:,] (?:staff |now |to )?${TO_DO}\b`,
  'iu',
);

/** Returns the words of a text on the decision; null if the text is something else, such as a proposal or history. */
export function extractDecision(text: string | null | undefined): string | null {
  const verb = DONE.exec(text ?? '')?.[1] ?? null;
  return verb === null || OTHER_ACT.test(verb) ? null : verb;
}

/** Acts that decide an item; all others decide nothing. */
const DECISIONS: Readonly<Partial<Record<Act, Decision>>> = {
  approved: 'approved',
  denied: 'denied',
  no_action: 'no_action',
  filed: 'filed',
  deferred: 'deferred',
  referred: 'referred',
  withdrawn: 'withdrawn',
  deleted: 'deleted',
  agreed: 'decided',
  hearing_closed: 'hearing_closed',
  hearing_held: 'hearing_held',
};

interface Context {
  /** Flag of the vote: a motion passed or failed, but not which one. */
  readonly flag?: VoteFlag;
  /** The item's title. */
  readonly title?: string;
}

const REFUSAL = /\bto refuse (?:a|an|any|the|to|approval)\b|\brefus(?:ing|al)\b/i;
const APPEAL = /^\W*(?:[a-z]+ ){0,4}appeals?\b/i;

/**
 * Returns the decision that the words and the flag of a vote describe: the motion that carried, or the act that was
 * done. Null for other words, for a failed motion, for a motion that is not understood, and for two different
 * decisions. Ignores texts longer than `MAX_RULE_TEXT` code units.
 */
export function readDecision(words: string, { flag = null, title = '' }: Context = {}): Decision | null {
  if (words.length > MAX_RULE_TEXT || isContradictory(words)) return null;
  const isAppeal = APPEAL.test(title);
  const act = weighStatements(readStatements(words, isAppeal), flag);
  // Approving an appeal, or an item that denies something, is ambiguous.
  if (act === null || (act === 'approved' && (isAppeal || REFUSAL.test(title) || listNamedActs(title).has('denied'))))
    return null;
  return DECISIONS[act] ?? null;
}

/**
 * Returns the acts that words name, in any sense. Rejecting bids is not one, because a contract might be awarded as
 * well.
 */
export function listNamedActs(words: string): ReadonlySet<Decision> {
  const tokens = tokensOf(words.slice(0, MAX_RULE_TEXT));
  const actTokens = tokens.filter(
    ({ text }, at) => !(text.startsWith('reject') && namesBids(tokens.slice(at + 1, at + 5))),
  );
  return new Set(actTokens.flatMap(({ act }) => (DECISIVE.has(act) ? (DECISIONS[act!] ?? []) : [])));
}
