import { type Decision, decisionIn, doneIn } from '../../../domain/decision-words.ts';
import type { NormalizedContent } from '../../../domain/records/resources.ts';
import { plainText } from '../../../domain/plain-text.ts';
import type { EventItemRow } from './rows.ts';
import { oneLine } from './values.ts';

type Outcome = NonNullable<NormalizedContent<'agenda_items'>['outcome']>;

/** The others are no outcome: a deleted or referred item is undecided, and a recommendation that was followed may be either. */
const OUTCOMES: Readonly<Partial<Record<Decision, Outcome>>> = {
  approved: 'approved',
  denied: 'denied',
  deferred: 'continued',
  withdrawn: 'withdrawn',
  no_action: 'no_action',
  filed: 'no_action',
};

/** Names that state that there was a vote, not on what. */
const VOTE = /^(?:(?:roll call|voice) )?(?:vote|motion)s?$|^roll call$/i;

/** What a vote was on: "Motion to deny carried", "Deny the application". "Reject all bids" may be what the item proposes. */
const MOVED = /\bmotion (?:to|for) (\w+)|^(deny|reject|disapprove)\b/gi;

/** An end in the words behind or before a title: "… Boulevard. DROP", "WITHDRAWN BY APPLICANT: …". */
const END = String.raw`(?:DROP(?:PED)?|WITHDRAWN(?: BY (?:THE )?[A-Z]+(?: [A-Z]+){0,3})?)`;
const BEHIND = new RegExp(String.raw`^(?<rest>.*?)(?<gap>(?<![\s.:;,(*–—-])[\s.:;,(*–—-]+)${END}\W*$`, 's');
const BEFORE = new RegExp(String.raw`^\W*${END}\W*[:–—)*-]\s`);

function isWithdrawnInTitle(title: string): boolean {
  if (BEFORE.test(title)) return true;
  const { rest = '', gap = '' } = BEHIND.exec(title)?.groups ?? {};
  // In a title in capitals, the word may be one of the title's own.
  return rest !== '' && (/[a-z]/.test(rest) || gap.trim() !== '');
}

type ActionRow = Pick<EventItemRow, 'EventItemActionName' | 'EventItemActionText' | 'EventItemPassedFlagName' | 'EventItemTitle'>;

/**
 * What one row decides: by its action, whether that passed, or its title. The status of the matter is none: the source states it as it is now,
 * after later meetings too. Whether a vote passed decides the item only where no words say what was voted on.
 */
export function outcomeOf(row: ActionRow): Outcome | null {
  const flag = oneLine(row.EventItemPassedFlagName)?.toLowerCase() ?? '';
  const hasFailed = flag.startsWith('fail');
  const name = oneLine(row.EventItemActionName);
  const isUnnamed = name === null || VOTE.test(name);
  const text = isUnnamed ? (oneLine(plainText(row.EventItemActionText ?? '')) ?? '') : name;
  const done = doneIn(text);
  if (done !== null || !isUnnamed) {
    const decision = decisionIn(done ?? '', hasFailed);
    return decision === null ? null : (OUTCOMES[decision] ?? null);
  }
  const hasPassed = flag === 'pass' || flag === 'passed';
  const [moved, further] = new Set(Array.from(text.matchAll(MOVED), ([, motion, opening]) => (motion ?? opening ?? '').toLowerCase()));
  if (moved !== undefined && (further !== undefined || !/^(?:approv|adopt|authoriz|award|ratify)/.test(moved))) {
    return further === undefined && hasPassed && /^(?:den|disapprov)/.test(moved) ? 'denied' : null;
  }
  if (hasPassed) return 'approved';
  if (hasFailed) return 'denied';
  return isWithdrawnInTitle(oneLine(row.EventItemTitle) ?? '') ? 'withdrawn' : null;
}
