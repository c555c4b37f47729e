import type { NormalizedContent } from '../../../domain/records/resources.ts';
import type { EventItemRow } from './rows.ts';
import { oneLine } from './values.ts';

type Outcome = NonNullable<NormalizedContent<'agenda_items'>['outcome']>;

/** Without ambiguous names: "CPC Recommendation Followed" may be either, "Held" may be a closed session, "Deleted" is no decision. */
const NAMES: Readonly<Record<Outcome, string>> = {
  approved: `
    approved | adopted | passed | enacted | approved as amended | adopted as amended | passed as amended | approved as an individual item |
    corrected; approved | corrected; approved as amended | corrected; approved as an individual item | hearing closed; approved |
    hearing closed; approved as amended | corrected; hearing closed; approved`,
  denied: `
    denied | disapproved | failed | failed to pass | hearing closed; denied | hearing closed; denied with prejudice |
    hearing closed; denied without prejudice | hearing closed; cpc recommendation followed and denied without prejudice`,
  continued: `
    continued | deferred | laid over | deferred with instructions | corrected; deferred | hearing open; deferred | hearing closed; deferred |
    corrected; hearing open; deferred | held under advisement | hearing closed; held under advisement |
    hearing open; held under advisement until later`,
  withdrawn: 'withdrawn',
  no_action: 'no action taken | filed',
};
const OUTCOMES: ReadonlyMap<string, Outcome> = new Map(
  (Object.keys(NAMES) as Outcome[]).flatMap((outcome) => NAMES[outcome].split('|').map((name) => [name.trim(), outcome] as const)),
);

/** "P-C" is a preconsidered item; who acted, and what followed, says nothing more of the outcome: "P-C Item Approved by Comm", "Approved, by Council". */
const outcomeNamed = (name: string): Outcome | null =>
  OUTCOMES.get(
    name
      .toLowerCase()
      .replace(/^p-c item /, '')
      .replace(/,? by .*$/, ''),
  ) ?? null;

/** Names that state that there was a vote, not on what. */
const VOTE = /^(?:(?:roll call|voice) )?(?:vote|motion)s?$|^roll call$/i;

/** An end in the words behind or before a title: "… Boulevard. DROP", "WITHDRAWN BY APPLICANT: …". */
const END = String.raw`(?:DROP(?:PED)?|WITHDRAWN(?: BY (?:THE )?[A-Z]+(?: [A-Z]+){0,3})?)`;
const BEHIND = new RegExp(String.raw`^(?<rest>.*?)(?<gap>\s*[.:;,(*–—-]+\s*|\s+)${END}\W*$`, 's');
const BEFORE = new RegExp(String.raw`^\W*${END}\W*[:–—)*-]\s`);

function isWithdrawnInTitle(title: string): boolean {
  if (BEFORE.test(title)) return true;
  const { rest = '', gap = '' } = BEHIND.exec(title)?.groups ?? {};
  // In a title in capitals, the word may be one of the title's own.
  return rest !== '' && (/[a-z]/.test(rest) || gap.trim() !== '');
}

type ActionRow = Pick<EventItemRow, 'EventItemActionName' | 'EventItemPassedFlagName' | 'EventItemTitle'>;

/**
 * What one row decides: by its action, whether that passed, or its title. The status of the matter is none: the source states it as it is now,
 * after later meetings too. A motion that failed decides nothing, unless it was the one to approve.
 */
export function outcomeOf(row: ActionRow): Outcome | null {
  const flag = oneLine(row.EventItemPassedFlagName)?.toLowerCase() ?? '';
  const name = oneLine(row.EventItemActionName);
  if (name === null || VOTE.test(name)) {
    if (flag === 'pass' || flag === 'passed') return 'approved';
    if (flag === 'fail' || flag === 'failed') return 'denied';
    return isWithdrawnInTitle(oneLine(row.EventItemTitle) ?? '') ? 'withdrawn' : null;
  }
  const named = outcomeNamed(name);
  if (flag.startsWith('fail')) return named === 'approved' ? 'denied' : null;
  return named;
}
