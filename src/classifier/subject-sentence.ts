import type { RecordData } from '../../domain/records/resources.ts';
import { BLANK, operativeProposal, operativeText, withoutReview } from './operative-text.ts';

/** In UTF-16 code units; a longer sentence is cut between clauses. */
const LIMIT = 500;
/** The same of all steps of a subject together, and of a second step that is longer. */
const STEPS_LIMIT = 640;
const SECOND_STEP_LIMIT = 160;

/** Text before and behind the subject of a title: districts, blanked asides, remarks on handling, attachments. */
const BEFORE = /^(?:\((?:CD|ALL|ETJ|Council|Future)[^)]{0,40}\)\s*|Sample:\s*|Communication from the Mayor - |(?:Item|Case) [\d.]+[:.] )+/i;
const ASIDES: readonly RegExp[] = [
  new RegExp(String.raw`\s*${BLANK}+`, 'g'),
  /\s*\*+In alignment with .*$/gi,
  /\s*\((?:list attached|Continued from|PUBLIC HEARING - |see Fiscal)[^()]*\)/gi,
  /\s+\bDROP(?:PED)?$/g,
  // Who presents a report.
  /\s[-–—]\s(?:(?:Dr|Mr|Ms|Mrs)\. )?\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){1,3}, [^;()\d]{3,90}\b(?:Director|Officer|Chief|Manager|Administrator|Commander|Lieutenant|Captain|Attorney|Auditor|Coordinator)$/gu,
  /\s[-–—] [A-Z]{1,4}\d{3}-\d{3}(?: \/ [A-Z\d-]+)?$/g,
  /\s\((?:Applicant|Borrower|Developer|Guarantor|Project)\)/g,
  // Numbers of grants and contracts, short names, and the laws that an action follows.
  /\s*\([^()]{0,120}\b(?:Grant|Contract|CSJ|CFDA|Award|Listing|Project|Solicitation)\b[^()]{0,60}\bNo\b[^()]{0,200}\)/gi,
  /,? (?:each )?approved as to form by the City Attorney,?/gi,
  /\s*\((?:the |collectively,? )*[“"][^”"()]{2,40}[”"]\)/g,
  /,? (?:in accordance with|pursuant to) (?:Article|Chapter|Sections?) [^;()]{3,90}?(?:\bCode|\bCharter|\bLaw|\bAct)\b(?: of (?:the )?(?:New York )?(?:State|City)\b(?: of [A-Z]\w+(?: York| Worth)?)?)?,?/g,
  /\s+Z[A-Z]?-?\d{2,3}-\d{2,8}(?:\([A-Z/]{2,7}\))?(?:\/Z-?\d[\d-]*)?\s*$/g,
];
/** A closing clause: the amount, or the seller behind a dash. Both are stated on their own. */
const CLOSING = /\s[-–—]\s?(?=(?:(?:total|estimated|annual|combined) )*(?:not to exceed|amount|revenue|cost|fore?gone|financing)\b).*$/is;
const SELLER =
  /\s[-–—]\s(?=\p{Lu}|\d).{0,900}?\b(?:lowest|most (?:highly|advantageous)|only|sole|best)\b[^;]{0,40}\b(?:bidders?|proposers?|vendors?|sources?|value)\b.*$/su;

/** Beginnings that only say in which form the subject comes, and what stands for them. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/^Consideration of (?=an? ordinance )/i, ''],
  [
    /^(?:authorize|call|set|order|schedule) (?:\(\d\) )?(?:a )?public hearings? to be held (on [A-Z][a-z]+ \d{1,2}, \d{4}(?:,(?: and)? [A-Z][a-z]+ \d{1,2}, \d{4})*),?(?: pursuant to [^,]{3,90},)?(?: (?:and )?to)?(?: (?:receive|hear))?(?: (?:public )?comments?)?(?: (?:regarding|concerning|on|about|to consider))?:? +(?:\(1\) )?(?:the )?/i,
    'Call a public hearing $1 on ',
  ],
  [
    /^(?!Call a public)(?:[\p{L}\d/&’'. -]{3,90} )?(?:conduct |hold |continue )?(?:an? )?(?:joint )?public hearings?,?(?: pursuant to .{3,90}?,)?(?: (?:and )?to)?(?: (?:receive|hear))?(?: (?:public )?comments?)?(?: (?:regarding|concerning|on|about|to consider|from))?:? +/iu,
    'Public hearing: ',
  ],
  [/^(?:adopt |authorize |approve )?(?:an |the )?ordinances? (?:of the City of [A-Z][\p{L} ]{2,30}? (?=\p{Ll}+ing\b))?/iu, ''],
  [
    /^(?:adopt |authorize |approve )?(?:a |the )?resolutions? (?:of the [A-Z][\w ]{3,30} of the (?:City|County) of [A-Z]\w+(?: Worth)?,?(?: Texas,?)? )?(?:\(1\) )?(?:to )?/i,
    '',
  ],
  [/^A Local Law to /i, ''],
  [
    /^Application number [\w ]{3,20}\(([^)]{3,90})\) submitted by .{3,160}? for (?:an? |the )(?=(?:acquisition|amendment|approval|designation|disposition|grant|issuance)\b)/i,
    '$1: ',
  ],
  [/^Application number [\w ]{3,20}\(([^)]{3,90})\) (?=[A-Z].*\1)/, ''],
  [/^Application number [\w ]{3,20}\(([^)]{3,90})\).{0,160}?(?:Charter|Character),? (?:for )?(?:an? |the )?/i, '$1: '],
];
/** Inside of it, after its beginning. */
const INNER: readonly (readonly [RegExp, string])[] = [
  [/^((?:Public hearing: )?)(?:\(\d\) )?consideration of /i, '$1'],
  [/^((?:Public hearing: )?)(?:an )?application for(?: and)?,? (?:\(\d\) )?an? ordinance /i, '$1'],
  [/^((?:Public hearing: )?)(?:an )?application for(?: and)?,? (?:\(\d\) )?a resolution /i, '$1'],
  [/^((?:Public hearing: )?)(?:an )?application (?:for|to)(?: and)? /i, '$1application for '],
  [/^((?:Public hearing: )?)(?:and )?(?:to approve )?(?:the |a |an )?(?:\(\d\) )?/i, '$1'],
  [/^(\S+(?: the)?) \(\d\) /, '$1 '],
  [/^authoriz(?:e|ing) (?:the )?(?:issuance and sale|issuance|sale and issuance) of (?:City of [A-Z]\w+(?:, Texas,?)? )?/i, 'Issue '],
  [/^authoriz(?:e|ing) (?:the )?execution of (?:an? )?/i, 'Authorize '],
];
/** Participles that open an ordinance or resolution; others stay as they are. */
const VERBS: Readonly<Record<string, string>> = Object.fromEntries(
  `abandoning=abandon accepting=accept adding=add adopting=adopt amending=amend annexing=annex appointing=appoint approving=approve
   authorizing=authorize calling=call canceling=cancel changing=change classifying=classify closing=close consenting=consent continuing=continue
   correcting=correct creating=create declaring=declare decreasing=decrease denying=deny designating=designate determining=determine
   directing=direct disapproving=disapprove endorsing=endorse establishing=establish expressing=express extending=extend finding=find
   granting=grant increasing=increase initiating=initiate levying=levy naming=name nominating=nominate opposing=oppose ordering=order
   prohibiting=prohibit providing=provide ratifying=ratify reappointing=reappoint receiving=receive recognizing=recognize rejecting=reject
   removing=remove renaming=rename renewing=renew repealing=repeal requesting=request requiring=require revising=revise rezoning=rezone
   setting=set submitting=submit suspending=suspend supporting=support terminating=terminate updating=update urging=urge vacating=vacate waiving=waive`
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string]),
);

/** "Owner; 12 Example Street, (2 acres) From: “A” … To: “B” …", as zoning cases are listed. */
const ZONING =
  /^(?:[^;$]{3,140});\s*(?<place>(?:[^;()]|\((?:odds?|evens?)\)){3,160}?),?\s*\((?<acres>[\d.,]+ acres?)\),?\s*(?:from:?\s*(?<from>.{3,160}?)\s+)?to:?\s*(?<to>.{3,900})$/i;

/** Steps that every ordinance has. */
const BOILERPLATE = /[;,]? ?(?:and )?\(\d{1,2}\) providing (?:an? )?(?:saving|severability|repealing|effective)\b[^;]*/gi;
/** A first step that only provides the money of the second one. */
const MONEY_FIRST =
  /^(?<lead>.{0,60}?)\(1\) (?<money>(?:an? |the )?(?:increase (?:in|of) appropriations?|establishment of appropriations?|(?:receipt and )?deposit of|transfer of)\b[^;]*(?:; \(\d\) (?:an? |the )?(?:increase (?:in|of) appropriations?|establishment of appropriations?|(?:receipt and )?deposit of|transfer of)\b[^;]*)*); (?:and )?\(\d\) (?!(?:an? |the )?(?:increase (?:in|of) appropriations?|establishment of appropriations?|receipt and deposit|transfer)\b)(?<next>[^;]*)/i;

/** The second step as the first one, and those that provide its money behind it with the numbers that follow. */
const moneyLast = (_: string, lead: string, money: string, next: string): string =>
  `${lead}(1) ${next}; (2) ${money.replace(/; \((\d)\)/g, (__, number: string) => `; (${Number(number) + 1})`)}`;

const NUMBERS = Array.from({ length: 29 }, (_, index) => String(index + 2));
const LETTERS = 'b c d e f g h i j k l m'.split(' ');

/** The steps of a text that numbers or letters in brackets separate, in their order. */
function stepsOf(text: string, marks: readonly string[]): string[] {
  const steps: string[] = [];
  let rest = text;
  for (const mark of marks) {
    if (!rest.includes(`(${mark}) `)) break;
    const next = new RegExp(String.raw`[;,.:]?(?: and,? at the close of the public hearing[,;:]?)?(?: and)?[;,:]? \(${mark}\) `).exec(rest);
    if (next === null) break;
    steps.push(rest.slice(0, next.index));
    rest = rest.slice(next.index + next[0].length);
  }
  return [...steps, rest];
}

/** The first step, the further ones as long as they fit, the second one at least in part, and the number of the rest. */
function joinedSteps(steps: readonly string[]): string {
  const [first = '', ...further] = steps.map((step) => step.replace(/[\s;,:–—-]+$/, ''));
  const told = [clipped(first)];
  for (const [index, step] of further.entries()) {
    const room = STEPS_LIMIT - told.join('; ').length;
    if (step.length > room && index > 0) break;
    told.push(step.length > room ? clipped(step, SECOND_STEP_LIMIT) : step);
  }
  const left = steps.length - told.length;
  return `${told.join('; ')}${left === 0 ? '' : `, and ${left} further ${left === 1 ? 'point' : 'points'}`}`;
}

const capital = (text: string): string =>
  text.replace(/^(Public hearing: )?\p{Ll}/u, (start) => start.slice(0, -1) + start.slice(-1).toUpperCase());

const CLAUSE_END =
  /[;,] (?!Inc\b|LLC\b|L\.?P\b|Ltd\b|\d)| (?=(?:for|to|with|on|from|through|including|located|in connection|between|subject)\s)/g;
/** At most the limit, cut behind a clause, else behind a word, and marked. */
export function clipped(text: string, limit = LIMIT): string {
  if (text.length <= limit) return text;
  const room = text.slice(0, limit);
  const clause = [...room.matchAll(CLAUSE_END)].findLast(({ index }) => index > limit * 0.6)?.index;
  const cut = clause === undefined ? room.replace(/\s+\S*$/, '') : room.slice(0, clause);
  return `${cut.replace(/(?:[\s,;:]|\s(?:and|or|of|for|the|a|an|in|to|with|by|at|on))+$/, '')} …`;
}

/** The action of a title and its object, in its words: without its form, its price, its seller and its further steps. */
export function subjectOf(operative: string): string {
  const plain = ASIDES.reduce((rest, aside) => rest.replace(aside, ' '), operative)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(BEFORE, '');
  const zoning = ZONING.exec(plain)?.groups;
  if (zoning !== undefined) {
    const change = zoning['from'] === undefined ? `: ${zoning['to']}` : ` from ${zoning['from']} to ${zoning['to']}`;
    return clipped(`Rezone ${zoning['acres']} at ${zoning['place']}${change}`);
  }
  const ordered = plain.replace(MONEY_FIRST, moneyLast).replace(BOILERPLATE, '');
  const priced = ordered.replace(CLOSING, '').replace(SELLER, '');
  const formed = INNER.reduce(
    (rest, [pattern, word]) => rest.replace(pattern, word),
    FORMS.reduce((rest, [pattern, word]) => rest.replace(pattern, word), priced.replace(/^(.{0,60}?):? \(1\) /, '$1 ')),
  );
  const steps = stepsOf(formed, NUMBERS).map(acted);
  return joinedSteps([capital(steps[0]!), ...steps.slice(1)]);
}

const STEP_FORM = /^(?:at the close of the public hearing[,;:]? )?(?:an? |the )?(?:ordinance|resolution)s? (?=\p{Ll}+ing\b)/u;
/** A step with its verb in the imperative, where it opens with a participle. */
function acted(step: string): string {
  const verbal = step
    .replace(STEP_FORM, '')
    .replace(/^((?:Public hearing: )?)(\p{Ll}+ing)\b(?! of\b)/iu, (whole, lead: string, verb: string) => {
      const base = VERBS[verb.toLowerCase()];
      return base === undefined ? whole : `${lead}${base}`;
    });
  const [issued, word] = INNER.at(-2)!;
  return verbal.replace(issued, word);
}

/** Words that make a title one of its own: verbs of a decision, or a thing that is decided. */
const NUMBER_ONLY = /^No\.? [\d-]+$/i;
const SPEAKING = /\b\p{L}{3,}\b.*\b\p{L}{3,}\b.*\b\p{L}{3,}\b/u;
/** The beginning of a title that states its action; another one only names a thing. */
const ACTS =
  /^(?:\([^)]{2,40}\) *)?(?:(?:authoriz|accept|adopt|amend|approv|award|conduct|consider|declar|den|direct|establish|grant|ratif|reject|set)\p{Ll}*|an? (?:ordinance|resolution|public hearing|local law)|(?:ordinance|resolution|public hearing|local law|application number)\b)/iu;
const RECOMMENDED = /^As recommended by [^:;]{1,160}?\d{4}[,:]\s*|^(?:ord|res)(?:inance|olution)?\.? no\.? [\d-]+ - /i;
const PROPOSES =
  /^(?:\([a1]\)\s*)?(?:accept|adopt|approv|authoriz|award|consider|conduct|deny|direct|hold|introduc|report on bids|an? (?:ordinance|resolution)\b)/i;

/** The action that the source proposes, as some sources write it where others write what was decided; null for another text. */
export const proposedAction = ({ actionText }: Pick<RecordData<'agenda_items'>, 'actionText'>): string | null =>
  actionText !== null && PROPOSES.test(actionText.replace(RECOMMENDED, ''))
    ? actionText.replace(RECOMMENDED, '').replace(/\s+/g, ' ')
    : null;

/** The text without the numbers of a list inside of it. */
const withoutList = (text: string): string => text.replace(/:? \(1\) .*$/s, '').replace(/[\s;.]+$/, '');

/** The lettered steps of a proposed action, each without the list behind its colon. */
function letteredSubject(proposed: string): string {
  const [first = '', ...further] = stepsOf(proposed.replaceAll(BLANK, ''), LETTERS).map(withoutList);
  return joinedSteps([subjectOf(first), ...further.map(acted)]);
}

/** What the item is about: its title; the action that the source proposes where the title only names its object; else name or text. */
export function itemSubject(item: RecordData<'agenda_items'>, operativeTitle: string): string {
  const { matterName, text } = item;
  const whole = proposedAction(item);
  const proposed = whole?.replace(/^\([a1]\)\s*/, '') ?? null;
  if (proposed !== null && !ACTS.test(operativeTitle))
    return whole === proposed
      ? subjectOf(proposed.includes('(a)') ? withoutList(operativeProposal(proposed)) : operativeProposal(proposed))
      : letteredSubject(withoutReview(proposed));
  const subject = subjectOf(operativeTitle);
  if (SPEAKING.test(subject)) return subject;
  const other = proposed ?? matterName ?? text?.split('\n')[0] ?? null;
  return other === null
    ? `Agenda item: ${clipped(item.title)}`
    : `${subject === '' ? '' : `${NUMBER_ONLY.test(subject) ? item.title : subject}: `}${subjectOf(other === proposed ? operativeProposal(other) : operativeText(other))}`;
}

const letters = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** The name of the matter where it says more than the subject does. */
export function furtherName({ matterName }: RecordData<'agenda_items'>, subject: string): string | null {
  if (matterName === undefined) return null;
  const told = new Set(letters(subject).split(' '));
  const words = letters(matterName)
    .split(' ')
    .filter((word) => word.length > 2);
  return words.filter((word) => !told.has(word)).length > words.length / 4 ? clipped(matterName.replace(/\.$/, ''), 160) : null;
}
