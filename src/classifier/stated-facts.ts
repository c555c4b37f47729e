import type { ClassificationSubject } from '../../domain/ports/classifier.ts';
import { operativeText } from './operative-text.ts';

const LABELLED_RECOMMENDATION =
  /\bRecommendation of ([A-Z][\w &]{1,40}): (.+?)(?=\s+Recommendation of|\s+Note:|\s+[A-Z]{1,5}\d{2,4}-\d|$)/g;
const BRACKETED_RECOMMENDATION = /\((Recommended for (?:Approval|Denial)[^()]{0,120})\)/gi;
const LENGTH = 160;

/** Each recommendation as one short sentence without its full stop, in the order of the text; the case numbers behind them are left out. */
function statedRecommendations(text: string): string[] {
  const labelled = [...text.matchAll(LABELLED_RECOMMENDATION)].map((match) => `${match[1]} recommends: ${match[2]}`);
  const bracketed = [...text.matchAll(BRACKETED_RECOMMENDATION)].map((match) => match[1]!);
  return [...labelled, ...bracketed].map((sentence) =>
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

/** The facts that summaries are made of, taken from title and text without how the item is paid for. */
export function statedFacts({ item }: ClassificationSubject): StatedFacts {
  const title = operativeText(item.title);
  const text = item.text === null ? '' : operativeText(item.text);
  return {
    action: statedAction(title, item.matterType ?? ''),
    amount: statedAmount(title) ?? statedAmount(text),
    party: statedParty(title, item.matterType ?? '') ?? statedParty(text, ''),
    recommendations: [...statedRecommendations(item.title), ...statedRecommendations(item.text ?? '')],
    outcome: item.outcome === 'no_action' ? 'no action taken' : item.outcome,
  };
}

/** What an item does, by the words that it opens with; the first that fits. Nothing fits: "Agenda item". */
const ACTIONS: readonly (readonly [RegExp, string])[] = [
  [/^(?:authorize|call|set|order)\w* (?:a )?public hearings?\b/i, 'Call of a public hearing'],
  [
    /^(?:conduct |hold )?(?:a )?public hearing\b.{0,200}\b(?:specific|special|conditional) use permit\b/i,
    'Public hearing on a specific use permit',
  ],
  [
    /^(?:conduct |hold )?(?:a )?public hearing\b.{0,300}\b(?:property zoned|proper zoning|zoning)\b/i,
    'Public hearing on a zoning application',
  ],
  [/^(?:conduct |hold )?(?:a )?public hearing\b/i, 'Public hearing'],
  [/\bfrom:? ["“][^"”]+["”].{0,60}\bto:? ["“]/i, 'Zoning change'],
  [/\bto: add an? conditional use permit\b/i, 'Zoning change'],
  [/^.{0,60}\brejection of\b.{0,30}\b(?:bid|proposal)s?\b/i, 'Rejection of bids or proposals'],
  [/^.{0,60}\b(?:settlement)\b/i, 'Settlement'],
  [/^.{0,40}\beminent domain\b/i, 'Condemnation'],
  [/^.{0,60}\bcondemnation\b/i, 'Condemnation'],
  [/^.{0,60}\btax abatement\b/i, 'Tax abatement agreement'],
  [/^.{0,90}\bsupplemental agreement\b/i, 'Supplement to a contract'],
  [/^.{0,60}\b(?:amendment|change order|extension|renewal)\b.{0,80}\b(?:contract|agreement|lease)\b/i, 'Change of a contract'],
  [/^.{0,60}\bincrease\b.{0,80}\b(?:contract|agreement)\b/i, 'Increase of a contract'],
  [/^.{0,60}\bconstruction (?:services )?contract\b/i, 'Construction contract'],
  [
    /^.{0,80}\b(?:engineering|architectural|professional|consult\w+)\b.{0,30}\b(?:services )?(?:contract|agreement)\b/i,
    'Professional services contract',
  ],
  [/^.{0,80}\b(?:price|master|purchasing|cooperative) agreement\b/i, 'Purchasing agreement'],
  [/^.{0,60}\binterlocal\b/i, 'Agreement with another government'],
  [/^.{0,80}\b(?:lease)\b/i, 'Lease'],
  [/^.{0,60}\bacquisition\b/i, 'Acquisition of property'],
  [/^.{0,40}\bpurchase\b/i, 'Purchase'],
  [/^.{0,40}\bapplication\b.{0,60}\bgrant\b|^.{0,60}\bgrant\b/i, 'Grant'],
  [/^(?:an |adopt )?ordinance (?:\(1\) )?(?:abandoning|vacating)\b/i, 'Ordinance giving up a public way or easement'],
  [/^.{0,40}\bsale of\b/i, 'Sale'],
  [/^.{0,40}\bwaiver\b/i, 'Waiver'],
  [/^.{0,40}\bacceptance of a loan\b|^.{0,40}\bloan agreement\b/i, 'Loan'],
  [/^(?:an |adopt )?ordinance (?:\(1\) )?amending\b/i, 'Ordinance amending rules'],
  [/^(?:an |adopt )?(?:\S+ ){0,3}ordinances?\b/i, 'Ordinance'],
  [/^(?:a |adopt |authorize a )?resolution\b/i, 'Resolution'],
  [/^.{0,60}\b(?:appoint(?:ment|ing|ments)?|nominat\w+)\b/i, 'Appointment'],
  [/^.{0,80}\b(?:contract|agreement)\b/i, 'Contract or agreement'],
];

const PREFIX =
  /^(?:\([^)]{1,40}\)\s*)*(?:(?:authorize|approve|adopt|consider(?:ation of)?|ratify|execution of|the execution of)\s+)*(?:\(\d\)\s*)?/i;

function statedAction(title: string, matterType: string): string {
  const plain = title.replace(/^(?:\([^)]{2,40}\)\s*)+/, '');
  const bare = plain.replace(PREFIX, '');
  return (
    ACTIONS.find(([pattern]) => pattern.test(plain) || pattern.test(bare))?.[1] ??
    (/\breport\b/i.test(matterType) && !/ - report of/i.test(matterType) ? 'Report' : 'Agenda item')
  );
}

const SUM = String.raw`\$\s?\d+(?:,\d{3})*(?:\.\d{1,2})?(?:\s(?:million|billion))?`;
const ANY = new RegExp(SUM, 'g');
/** Fines and fees of an ordinance are not what the item costs. */
const PENALTY = new RegExp(String.raw`\b(?:penalty|fine|publication fee)[^$;]{0,30}${SUM}|${SUM} ordinance publication fee`, 'gi');
/** The label behind the last dash of a title: "- Not to exceed $1.00", "- Estimated Revenue: General Fund $1.00". */
const CLOSING = new RegExp(
  String.raw`[-–—]\s?((?:(?:total|estimated|annual|amount|of)\s)*(?:not to exceed|amount of|cost of|amount|cost)\s${SUM}|(?:estimated )?(?:annual )?revenue:[^$;]{0,60}${SUM})`,
  'gi',
);
const TOTAL = new RegExp(String.raw`\b(?:total|combined)(?: \w+){0,3} (?:amount|cost|value)(?: of| up to| not to exceed|:)* ${SUM}`, 'i');
/** What a private party is to spend in return is not what the item costs, so its words are kept. */
const INVESTMENT = new RegExp(String.raw`\b(?:cost|investment|value) of at least ${SUM}`, 'i');
const LABELLED = new RegExp(String.raw`\b(?:amounts? (?:of|up to|not to exceed|of up to)|not to exceed) ${SUM}`, 'i');

const sums = (text: string): string[] => [...text.matchAll(ANY)].map((match) => match[0]);

/** In the text's words: a closing label, a stated total, or the only amount; of several the first labelled one, marked as one of others. */
export function statedAmount(text: string): string | null {
  const priced = text.replace(PENALTY, '');
  const closing = [...priced.matchAll(CLOSING)].at(-1)?.[1];
  if (closing !== undefined) return closing.replace(/\((?=\$)/, '');
  const total = TOTAL.exec(priced)?.[0];
  if (total !== undefined) return total;
  const investment = INVESTMENT.exec(priced)?.[0];
  if (investment !== undefined) return investment;
  const all = new Set(sums(priced));
  if (all.size < 2) return [...all][0] ?? null;
  const labelled = sums(LABELLED.exec(priced)?.[0] ?? '')[0];
  return labelled === undefined ? null : `${labelled} among others`;
}

const WORD = String.raw`(?:[A-Z0-9][\p{L}\p{N}.&'’/+-]*|&|\([A-Z]{2,5}\)|at|of|the|and|for|de|del)`;
const SUFFIX = String.raw`(?:Inc|LLC|L\.L\.C|LLP|L\.L\.P|LP|L\.P|Corp|Corporation|Company|Co|Ltd|PLLC|P\.C|PC|Limited Partnership)\b\.?`;
const COMPANY = new RegExp(String.raw`[A-Z0-9][\p{L}\p{N}.&'’/+-]*(?:,? ${WORD}){0,7}?,? ${SUFFIX}(?:,? ${SUFFIX})?`, 'u');

const APPLICATION = new RegExp(
  String.raw`\bapplication by (?:the )?([A-Z][^()]{2,80}?)(?=,? (?:an? |represented|for |to |\(|requesting|owner)|\(|,? [-–—] )`,
  'u',
);
const BY_OR_WITH = new RegExp(String.raw`\b(?:with|to|from|by|between the City and) (${COMPANY.source})`, 'u');
/** The applicants that stand before the address in "Applicant; 100 Example Street; (2 acres) From: …". */
const BEFORE_ADDRESS = /^(?:\([^)]*\)\s*)?([^;$]{3,120});\s*\d/;

interface Party {
  readonly role: 'applicant' | 'party';
  readonly name: string;
}

const tidy = (name: string): string =>
  name
    .replace(
      /^.*\b(?:Authorize|Adopt|Approve|Resolution|Ordinance|Nominating|Execution|Contract|Agreement|Amendment|Purchase|Acquisition|Application|Supporting|Waiver|Fees)\b (?:of |with |a |an )*/,
      '',
    )
    .replace(/^(?:the |and |for |City )*(?:of [A-Z]\w+(?: Worth)?, )?(?:the |of )?/i, '')
    .replace(/^Boards? of [A-Z][a-z]+ of (?:the )?/, '')
    .replace(/[\s,;]+$/, '')
    .trim();

/** Who applies or contracts, in the text's own words: an applicant where the text says so, else the first company that it names. */
export function statedParty(text: string, matterType: string): Party | null {
  const applicant = APPLICATION.exec(text)?.[1] ?? (/\bzoning\b/i.test(matterType) ? BEFORE_ADDRESS.exec(text)?.[1] : undefined);
  if (applicant !== undefined) return { role: 'applicant', name: tidy(applicant) };
  const company = BY_OR_WITH.exec(text)?.[1] ?? COMPANY.exec(text)?.[0];
  return company === undefined ? null : { role: 'party', name: tidy(company) };
}
