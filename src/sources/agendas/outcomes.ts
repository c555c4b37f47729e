import { anyOf } from '../../../domain/text/patterns.ts';
import { listNamedActs, type Decision, readDecision } from '../../../domain/decisions/decision-words.ts';
import { isContradictory } from '../../../domain/decisions/contradictions.ts';
import type { VoteFlag } from '../../../domain/decisions/weigh.ts';
import type { NormalizedContent } from '../../../domain/records/resources.ts';
import { plainText, MAX_RULE_TEXT } from '../../../domain/text/source-text.ts';
import type { EventItemRow } from './rows.ts';
import { oneLine } from './values.ts';

type Outcome = NonNullable<NormalizedContent<'agenda_items'>['outcome']>;

/** Other decisions have no outcome: a deleted or referred item is undecided, and a followed recommendation is ambiguous. */
const OUTCOMES: Readonly<Partial<Record<Decision, Outcome>>> = {
  approved: 'approved',
  denied: 'denied',
  deferred: 'continued',
  withdrawn: 'withdrawn',
  no_action: 'no_action',
  filed: 'no_action',
};

/** An end of an item in the words after or before its title: "… Boulevard. DROP", "WITHDRAWN BY APPLICANT: …". */
const END = String.raw`(?:DROP(?:PED)?|WITHDRAWN(?: BY (?:THE )?[A-Z]+(?: [A-Z]+){0,3})?)`;
const BEHIND = new RegExp(String.raw`^(?<rest>.*?)(?<gap>(?<![\s.:;,(*–—-])[\s.:;,(*–—-]+)${END}\W*$`, 's');
const BEFORE = new RegExp(String.raw`^\W*${END}\W*[:–—)*-]\s`);

function isWithdrawnInTitle(title: string): boolean {
  if (BEFORE.test(title)) return true;
  const { rest = '', gap = '' } = BEHIND.exec(title)?.groups ?? {};
  // The word can belong to the title itself if the title is in capitals.
  return rest !== '' && (/[a-z]/.test(rest) || gap.trim() !== '');
}

type ActionRow = Pick<
  EventItemRow,
  'EventItemActionName' | 'EventItemActionText' | 'EventItemPassedFlagName' | 'EventItemTitle'
>;

const VOTE_WORDS = '(?:(?:roll call|voice) )?(?:vote|motion)s?(?: (?:carried|passed|approved|adopted))?';
/** Names that state that there was a vote, not on what. */
const VOTE = new RegExp(`^${VOTE_WORDS}$|^roll call$|^carried$`, 'i');

const titleOf = (row: ActionRow): string => (oneLine(row.EventItemTitle) ?? '').slice(0, MAX_RULE_TEXT);

function flagOf({ EventItemPassedFlagName: name }: ActionRow): VoteFlag {
  const flag = oneLine(name) ?? '';
  return /^pass/i.test(flag) ? 'carried' : /^fail/i.test(flag) ? 'failed' : null;
}

const BEFORE_FAILURE = String.raw`(?:^|[.;]\s*|\b(?:motion|vote|item|matter|ordinance|resolution)\b[^.;]{0,60} )`;
const FAILURE = anyOf(
  String.raw`(?<!\b(?:a|an|the) )fail(?:ed|s)`,
  'lost',
  '(?:was )?defeated',
  'die[ds]',
  'did not (?:pass|carry|receive)',
);
/** "Failed to receive a second", "the motion did not pass". */
const HAS_FAILED = new RegExp(String.raw`${BEFORE_FAILURE}${FAILURE}\b`, 'i');

function isAgainst(words: string): boolean {
  const text = words.slice(0, MAX_RULE_TEXT);
  return listNamedActs(text).has('denied') || HAS_FAILED.test(text) || isContradictory(text);
}

/** Returns the decision of the action's name unless its text contradicts it, or that of the text if the name is only a vote. */
function decisionOf(row: ActionRow): Decision | null {
  const context = { flag: flagOf(row), title: titleOf(row) };
  const name = oneLine(row.EventItemActionName) ?? '';
  const text = oneLine(plainText(row.EventItemActionText ?? '')) ?? '';
  const textDecision = readDecision(text, context);
  if (name === '' || VOTE.test(name)) return textDecision;
  const nameDecision = readDecision(name, context);
  if (nameDecision === null) return null;
  const [outcome, other] = [OUTCOMES[nameDecision], textDecision === null ? undefined : OUTCOMES[textDecision]];
  const isContrary = other === undefined ? outcome === 'approved' && isAgainst(text) : other !== outcome;
  return isContrary ? null : nameDecision;
}

const SAYS_FAILED = /\b(?:fail|lost|defeat|died|tie|(?:not|n['’]t) (?:pass|carr|adopt|approv))/i;

/** Adds the flag of a failed vote to the words of an action that do not mention the failure: "Approved (Fail)". */
export function withFailedVote(words: string | null, row: ActionRow): string | null {
  const isUnsaid = words !== null && flagOf(row) === 'failed' && !SAYS_FAILED.test(words);
  return isUnsaid ? `${words} (${oneLine(row.EventItemPassedFlagName)})` : words;
}

/**
 * Returns the outcome that the words of a row's action or title state. The flag of the vote states that a motion passed or failed, but not which one:
 * without words there is no outcome. A failed motion decides nothing; a failed motion to approve is not a denial. The status of the matter is not read: the
 * source states it as it is now, after later meetings too.
 */
export function outcomeOf(row: ActionRow): Outcome | null {
  const decision = decisionOf(row);
  if (decision !== null) return OUTCOMES[decision] ?? null;
  const isUnstated = oneLine(row.EventItemActionName) === null && flagOf(row) === null;
  return isUnstated && isWithdrawnInTitle(titleOf(row)) ? 'withdrawn' : null;
}
