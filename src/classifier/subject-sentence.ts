import type { RecordData } from '../../domain/records/resources.ts';
import { BLANK, operativeText, withoutReview } from './operative-text.ts';

/** Length in UTF-16 code units; a longer sentence is cut between clauses. */
const LIMIT = 500;
/**
 * Lengths in UTF-16 code units: of all steps of a subject together, of a first step before long ones, the share that is
 * reserved for each of these, and the minimum of one step.
 */
const STEPS_LIMIT = 640;
const FIRST_STEP_LIMIT = 380;
const FURTHER_STEP_LIMIT = 120;
const LEAST_OF_STEP = 100;

/** Numbers of grants and contracts, short names, and the laws that an action follows. */
export const REFERENCES: readonly RegExp[] = [
  /(?<!\s)\s*\([^()]{0,120}\b(?:Grant|Contract|CSJ|CFDA|Award|Listing|Project|Solicitation)\b[^()]{0,60}\bNo\b[^()]{0,200}\)/gi,
  /,? (?:each )?approved as to form by the City Attorney,?/gi,
  /(?<!\s)\s*\((?:the |collectively,? )*[“"][^”"()]{2,40}[”"]\)/g,
  /,? (?:in accordance with|pursuant to) (?:Article|Chapter|Sections?) [^;()]{3,90}?(?:\bCode|\bCharter|\bLaw|\bAct)\b(?: of (?:the )?(?:New York )?(?:State|City)\b(?: of [A-Z]\w+(?: York| Worth)?)?)?,?/g,
];

/** Text before and after the subject of a title: districts, blanked asides, remarks on handling, attachments. */
const BEFORE =
  /^(?:\((?:(?:Near |Adjacent to )?CD|ALL|ETJ|Council|Future)[^)]{0,40}\)\s*|Sample:\s*|Communication from the Mayor - |(?:Item|Case) [\d.]+[:.] )+/i;
const ASIDES: readonly RegExp[] = [
  new RegExp(String.raw`(?<!\s)\s*${BLANK}+`, 'g'),
  /(?<!\s)\s*(?<!\*)\*+In alignment with .*$/gi,
  /(?<!\s)\s*\((?:list attached|Continued from|PUBLIC HEARING - |see Fiscal)[^()]*\)/gi,
  /(?<!\s)\s+DROP(?:PED)?$/g,
  // Who presents a report.
  /\s[-–—]\s(?:(?:Dr|Mr|Ms|Mrs)\. )?\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){1,3}, [^;()\d]{3,90}\b(?:Director|Officer|Chief|Manager|Administrator|Commander|Lieutenant|Captain|Attorney|Auditor|Coordinator)$/gu,
  /\s[-–—] [A-Z]{1,4}\d{3}-\d{3}(?: \/ [A-Z\d-]+)?$/g,
  /\s\((?:Applicant|Borrower|Developer|Guarantor|Project)\)/g,
  ...REFERENCES,
  /(?<!\s)\s+Z[A-Z]?-?\d{2,3}-\d{2,8}(?:\([A-Z/]{2,7}\))?(?:\/Z-?\d[\d-]*)?\s*$/g,
];
/** A time limit between "to" and its verb. */
const TIME_LIMIT = /,? (?:not|no) later than (?<=\bto,? \w+ later than )[^,;]{3,120},(?= \p{Ll})/gu;
/** A closing clause of a text or step: the amount, or the seller after a dash. The summary has both elsewhere. */
const CLOSING =
  /\s[-–—]\s?(?=(?:(?:total|estimated|annual|combined|gross|net) )*(?:not to exceed|amount|revenue|cost|fore?gone|financing)\b).*?(?=[;,] (?:and )?\(\d\) |$)/gis;
const SELLER =
  /\s[-–—]\s(?=\p{Lu}|\d)(?!\p{Lu}[^;$]{0,160} [a-z]+ from (?:the )?\p{Lu})(?!(?:(?!(?:Inc|INC|LLC|LLP|PLLC|Ltd|LP|L\.|Corp|Corporation|Company|Co|lowest|most|only|sole|best)\b|[-–—] )[^;$ ]+ ){3,40}[-–—] \p{Lu}).{0,900}?\b(?:lowest|most (?:highly|advantageous)|only|sole|best)\b[^;]{0,40}\b(?:bidders?|proposers?|vendors?|sources?|value)\b.*$/su;

/** Beginnings that only describe the form of the subject, and their replacements. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/^Consideration of (?=an? ordinance )/i, ''],
  [
    /^(?:authorize|call|set|order|schedule) (?:\(\d\) )?(?:a )?public hearings? to be held (on [A-Z][a-z]+ \d{1,2}, \d{4}(?:,(?: and)? [A-Z][a-z]+ \d{1,2}, \d{4})*),?(?: pursuant to [^,]{3,90},)?(?: (?:and )?to)?(?: (?:receive|hear))?(?: (?:public )?comments?)?(?: (?:regarding|concerning|on|about|to consider))?:? +(?:\(1\) )?(?:the )?/i,
    'Call a public hearing $1 on ',
  ],
  [
    /^(?!Call a public)(?:[\p{L}\d/&’'. -]{3,90} )?(?:conduct |hold |continue )?(?:an? )?(?:joint )?public hearings?,?(?: pursuant to .{3,90}?(?:,|(?= regarding )))?(?: (?:and )?to)?(?: (?:receive|hear))?(?: (?:public )?comments?)?(?: (?:regarding|concerning|on|about|to consider|from))?:? +/iu,
    'Public hearing: ',
  ],
  [
    /^(?:adopt |authorize |approve )?(?:an |the )?ordinances? (?:of the City of [A-Z][\p{L} ]{2,30}? (?=\p{Ll}+ing\b))?/iu,
    '',
  ],
  [
    /^(?:adopt |authorize |approve )?(?:a |the )?resolutions? (?:of the [A-Z][\w ]{3,30} of the (?:City|County) of [A-Z]\w+(?: Worth)?,?(?: Texas,?)? )?(?:\(1\) )?(?:to )?/i,
    '',
  ],
  [/^A Local Law to /i, ''],
  [
    /^Application number [\w ]{3,20}\(([^)]{3,90})\) submitted by .{3,160}? for (?:an? |the )(?=(?:acquisition|amendment|approval|cancellation|designation|disposition|grant|issuance|modification|renewal|termination)\b)/i,
    '$1: ',
  ],
  [/^Application number [\w ]{3,20}\(([^)]{3,90})\) (?=[A-Z].*\1)/, ''],
  [/^Application number [\w ]{3,20}\(([^)]{3,90})\).{0,160}?(?:Charter|Character),? (?:for )?(?:an? |the )?/i, '$1: '],
];
/** Matches inside of the subject, after its beginning. */
const INNER: readonly (readonly [RegExp, string])[] = [
  [/^((?:Public hearing: )?)(?:\(\d\) )?consideration of /i, '$1'],
  [/^((?:Public hearing: )?)(?:an )?application for(?: and)?,? (?:\(\d\) )?an? ordinance /i, '$1'],
  [/^((?:Public hearing: )?)(?:an )?application for(?: and)?,? (?:\(\d\) )?a resolution /i, '$1'],
  [/^((?:Public hearing: )?)(?:an )?application (?:for|to)(?: and)? /i, '$1application for '],
  [/^((?:Public hearing: )?)(?:and )?(?:to approve )?(?:the |a |an )?(?:\(\d\) )?/i, '$1'],
  [/^(\S+(?: the)?) \(\d\) /, '$1 '],
  [
    /^authoriz(?:e|ing) (?:the )?(?:issuance and sale|issuance|sale and issuance) of (?:City of [A-Z]\w+(?:, Texas,?)? )?/i,
    'Issue ',
  ],
  [/^authoriz(?:e|ing) (?:the )?execution of (?:an? )?/i, 'Authorize '],
];
/** Participles at the beginning of an ordinance or resolution. Others stay unchanged. */
const VERBS: Readonly<Record<string, string>> = Object.fromEntries(
  `abandoning=abandon accepting=accept adding=add adopting=adopt amending=amend annexing=annex appointing=appoint approving=approve
   authorizing=authorize calling=call canceling=cancel changing=change classifying=classify closing=close consenting=consent continuing=continue
   correcting=correct creating=create declaring=declare decreasing=decrease deleting=delete denying=deny designating=designate determining=determine
   directing=direct disapproving=disapprove endorsing=endorse establishing=establish expressing=express extending=extend finding=find
   granting=grant increasing=increase modifying=modify moving=move regulating=regulate replacing=replace specifying=specify initiating=initiate levying=levy naming=name nominating=nominate opposing=oppose ordering=order
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
const BOILERPLATE =
  /[;,]? ?(?:and )?\(\d{1,2}\) providing (?:an? )?(?:saving|severability|repealing|effective)\b[^;]*/gi;
/** A first step that only provides the money of the second one. */
const MONEY_FIRST =
  /^(?<lead>.{0,60}?)\(1\) (?<money>(?:an? |the )?(?:increase (?:in|of) appropriations?|establishment of appropriations?|(?:receipt and )?deposit of|transfer of)\b[^;]*(?:; \(\d\) (?:an? |the )?(?:increase (?:in|of) appropriations?|establishment of appropriations?|(?:receipt and )?deposit of|transfer of)\b[^;]*)*); (?:and )?\(\d\) (?!(?:an? |the )?(?:increase (?:in|of) appropriations?|establishment of appropriations?|receipt and deposit|transfer)\b)(?<next>[^;]*)/i;

/** Moves steps that only provide money after the step that they pay for, and renumbers them. */
const moneyLast = (_: string, lead: string, money: string, next: string): string =>
  `${lead}(1) ${next}; (2) ${money.replace(/; \((\d)\)/g, (__, number: string) => `; (${Number(number) + 1})`)}`;

const NUMBERS = Array.from({ length: 29 }, (_, index) => String(index + 2));
const LETTERS = 'b c d e f g h i j k l m'.split(' ');

/** Returns the steps of a text, which numbers or letters in parentheses separate, in their order. */
function stepsOf(text: string, marks: readonly string[]): string[] {
  const steps: string[] = [];
  let rest = text;
  for (const mark of marks) {
    if (!rest.includes(`(${mark}) `)) break;
    const next = new RegExp(
      String.raw`[;,.:]?(?: and,? at the close of the public hearing[,;:]?)?(?: and)?[;,:]? \(${mark}\) `,
    ).exec(rest);
    if (next === null) break;
    steps.push(rest.slice(0, next.index));
    rest = rest.slice(next.index + next[0].length);
  }
  return [...steps, rest];
}

/** A step that only provides the money for other steps, or signs their result. */
const FORMAL_STEP =
  /^(?:authorize )?(?:an? |the )?(?:(?:City Manager|City Controller|Chief Financial Officer) to )?(?:(?:increase (?:in|of)|establishment of|establish|increase) appropriations?|(?:receipt|receive) and deposit|deposit of|transfer of funds|disburse(?:ment)?\b|local (?:cash )?match|public hearing to be held|make corresponding|provide an effective date|(?:execution of|execute) [^;]{3,80}\b(?:terms|documents|instruments)\b)/i;

/** Splits a step at the lettered steps inside of it. */
function flattened(step: string): string[] {
  const [first = '', ...further] = stepsOf(step, LETTERS);
  const isList =
    further.length > 0 &&
    /(?:^| )\(a\) /.test(first) &&
    !further.some((part) => /^(?:\d|approximately|in|from|the)\b/.test(part));
  return isList ? [first.replace(/(^| )\(a\) /, '$1'), ...further.map(acted)] : [step];
}

/**
 * Joins all steps if they fit, else the beginnings of the steps that decide something, the formal steps that fit, and
 * the number of the others.
 */
function joinedSteps(all: readonly string[]): string {
  const clean = all.map((step) => step.replace(/(?<![\s;,:–—-])[\s;,:–—-]+$/, ''));
  const whole = clean.join('; ');
  if (whole.length <= STEPS_LIMIT && clean[0]!.length <= LIMIT) return whole;
  const steps = clean.flatMap(flattened);
  const [first = '', ...further] = steps.filter((step, index) => index === 0 || !FORMAL_STEP.test(step));
  const furtherLength = further.reduce((sum, step) => sum + Math.min(step.length, FURTHER_STEP_LIMIT), 0);
  const parts = new Set([clipped(first, Math.min(LIMIT, Math.max(FIRST_STEP_LIMIT, STEPS_LIMIT - furtherLength)))]);
  for (const [index, step] of further.entries()) {
    const room = STEPS_LIMIT - [...parts].join('; ').length;
    if (room < LEAST_OF_STEP && step.length > room && index > 0) break;
    parts.add(clipped(step, Math.max(LEAST_OF_STEP, Math.floor(room / (further.length - index)))));
  }
  for (const step of steps.slice(1).filter((one) => FORMAL_STEP.test(one)))
    if (step.length + 2 <= STEPS_LIMIT - [...parts].join('; ').length) parts.add(step);
  const missing = steps.length - parts.size;
  return `${[...parts].join('; ')}${missing === 0 ? '' : `, and ${missing} further ${missing === 1 ? 'point' : 'points'}`}`;
}

const capital = (text: string): string =>
  text.replace(/^(Public hearing: )?\p{Ll}/u, (start) => start.slice(0, -1) + start.slice(-1).toUpperCase());

const CLAUSE_END =
  /[;,] (?!Inc\b|LLC\b|L\.?P\b|Ltd\b|\d)| (?=(?:for|to|with|on|from|through|including|located|in connection|between|subject)\s)/g;
/** Length at the end of a cut text within which an open parenthesis or small words are removed. */
const TAIL = 80;
const OPEN_END = /(?<!\s)\s*[(“][^()“”]{0,60}$/;
/** The first half of "from … to …" and of "between … and …". */
const HALVES: readonly (readonly [RegExp, RegExp])[] = [
  [/^,? to /, /,? (?:(?:increas|decreas|reduc|chang)\p{Ll}* )?from (?:\$|\d)[^,;]{0,30}$/u],
  [/^,? and /, /,? between (?:(?! and )[^,;\d]){3,60}$/],
];
/** Endings that are incomplete without a noun, or without a word after "to". */
const NEEDY_END =
  /(?:(?: and)?(?: the)? \p{Ll}+ of \p{Ll}+ing)?(?: (?:for|of|in|with))? (?:access|accessibility|accordance|connection|pursuant|relation|special|certain|various)$/u;
/** Words that are incomplete without another one. */
const SMALL_END =
  /(?<![\s,;:(–—])(?:[\s,;:(–—]|\s-|\s&|\s(?:and|or|of|for|the|an?|in|to|with|by|at|on|from|as|not|exceed|up|amounts?|total|estimated|through|between|including|that|which|who|its|their|his|her|is|are|be|being|under|per|upon|within|into|any|all|each|pursuant|associated|located|adjacent|related|consisting|containing|such|both|over|near|\(\w\)))+$/i;
/** Cuts a text to the limit after a clause, else after a word, and marks the cut. */
export function clipped(text: string, limit = LIMIT, from = 0.6): string {
  if (text.length <= limit) return text;
  const room = text.slice(0, limit);
  const clause = [...room.matchAll(CLAUSE_END)].findLast(({ index }) => index > limit * from)?.index;
  const cut = clause === undefined ? room.replace(/(?<!\s)\s+\S*$/, '') : room.slice(0, clause);
  const tail = Math.max(0, cut.length - TAIL);
  const open = cut.slice(tail).replace(OPEN_END, '').replace(SMALL_END, '');
  const half = HALVES.reduce(
    (rest, [behind, before]) => (behind.test(text.slice(cut.length)) ? rest.replace(before, '') : rest),
    open,
  );
  return `${cut.slice(0, tail)}${half.replace(NEEDY_END, '').replace(SMALL_END, '')} …`;
}

/** Returns the action of a title and its object, without its form, price, seller and further steps. */
export function subjectOf(operative: string): string {
  const withoutLimit = operative.includes(' later than ') ? operative.replace(TIME_LIMIT, '') : operative;
  const plain = ASIDES.reduce((rest, aside) => rest.replace(aside, ' '), withoutLimit)
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.;,](?:\s|$))(?<=[\p{L}\d)] )/gu, '')
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
  const steps = numbered(formed).map(acted);
  return joinedSteps([capital(steps[0]!), ...steps.slice(1)]);
}

/** The end of a beginning that is a separate step, before the first number. */
const HEARING_OVER = /[,;]?(?: and)?,? at the close of the public hearing\b[^;]{0,60}$/;
/** Numbers of sections that the following steps change. */
const AMENDED_SECTIONS =
  /,? by amending (?:Sections?|Chapters?|Articles?) \d[\dA-Z.()-]*(?:(?:, and |, | and )[\dA-Z][\dA-Z.()-]*){0,30}(?=;)/g;
/** Returns the numbered steps of a text. The first number is not part of the text before it. */
function numbered(text: string): string[] {
  const [first = '', ...further] = stepsOf(text, NUMBERS);
  if (further.length === 0) return [first];
  const opening = first.replace(AMENDED_SECTIONS, '');
  const at = opening.search(/(?<!No\.) \(1\) /);
  if (at < 0) return [opening, ...further];
  const [before, behind] = [opening.slice(0, at), opening.slice(at + 5)];
  const own = before.replace(HEARING_OVER, '');
  return own === before && !before.endsWith(';') ? [`${before} ${behind}`, ...further] : [own, behind, ...further];
}

const STEP_FORM =
  /^(?:at the close of the public hearing[,;:]? )?(?:an? |the )?(?:ordinance|resolution)s? (?=\p{Ll}+ing\b)/u;
/** Returns a step with an imperative in place of an opening participle. */
function acted(step: string): string {
  const verbal = step
    .replace(STEP_FORM, '')
    .replace(/^((?:Public hearing: )?)(\p{Ll}+ing)\b(?! of\b)/iu, (whole, lead: string, verb: string) => {
      const base = VERBS[verb.toLowerCase()];
      return base === undefined ? whole : `${lead}${base}`;
    });
  const [issued, word] = INNER.at(-2)!;
  return (
    verbal === step || !step.includes(' and ')
      ? verbal
      : verbal.replace(SECOND_VERB, (_, lead: string, verb: string) => lead + (VERBS[verb] ?? verb))
  ).replace(issued, word);
}
/** A further participle of an action whose first one is read as an imperative. */
const SECOND_VERB =
  /^((?:(?!(?!hearing)\b\p{Ll}+ing\b|\bby\b)[^;,]){3,70},? and |[^;]{3,400}; and )(\p{Ll}+ing)(?= (?:the|an?|its|their)\b)/u;

/** Words that make a title complete: verbs of a decision, or a thing that is decided. */
const NUMBER_ONLY = /^No\.? [\d-]+$/i;
const SPEAKING = /\b\p{L}{3,}\b.*\b\p{L}{3,}\b.*\b\p{L}{3,}\b/u;
/** The beginning of a title that contains its action. Other titles only name a thing. */
const ACTS =
  /^(?:\([^)]{2,40}\) *)?(?:(?:authoriz|accept|adopt|amend|approv|award|conduct|consider|declar|den|direct|establish|grant|ratif|reject|set)(?!ments?\b|ance\b|ion\b|ations?\b|als?\b)\p{Ll}*|an? (?:ordinance|resolution|public hearing|local law)|(?:ordinance|resolution|local law|application number)\b)/iu;
const RECOMMENDED = /^As recommended by [^:;]{1,160}?\d{4}[,:]\s*|^(?:ord|res)(?:inance|olution)?\.? no\.? [\d-]+ - /i;
const PROPOSES =
  /^(?:\([a1]\)\s*)?(?:accept|adopt|approv|authoriz|award|consider|conduct|deny|direct|hold|introduc|report on bids|an? (?:ordinance|resolution)\b)/i;

/** More verbs of an action. They name a subject and an effect, but no topic is read from them. */
const ORGANISES =
  /^(?:\([a1]\)\s*)?(?:appoint|confirm|declar|establish|extend|increas|initiat|reject|repeal|terminat|transfer|waiv)/i;

function action(text: string | null, verbs: readonly RegExp[]): string | null {
  const words = text?.replace(RECOMMENDED, '') ?? '';
  return verbs.some((verb) => verb.test(words)) ? words.replace(/\s+/g, ' ') : null;
}
type Acting = Pick<RecordData<'agenda_items'>, 'actionText'>;

/** Returns the proposed action, which some sources put into the field of the decision; null for any other text. */
export const proposedAction = ({ actionText }: Acting): string | null => action(actionText, [PROPOSES]);
/** Returns the proposed action, including one from which no topic is read. */
export const statedAction = ({ actionText }: Acting): string | null => action(actionText, [PROPOSES, ORGANISES]);

/** A table of labels and values, with the words that introduce it. */
export const TABLE = /,? as (?:outlined|shown|listed)(?: in)? below: \p{Lu}[\p{L} ]{2,30}: .*$/su;
/** Removes a list or table from a text, and the sentence that only introduces it. */
const withoutList = (text: string): string =>
  text
    .replace(TABLE, '')
    .replace(/(?:(?<=\.) [^.:]{3,160}:|:)? \(1\) .*$/s, '')
    .replace(/(?<![\s;.])[\s;.]+$/, '');
/** An introduction of lettered steps without content of its own. */
const INTRODUCTION = /^Adopt an? (?:resolution|ordinance):? ?$/i;
/** The district after the proposal, which the summary has as a place. */
const ITS_DISTRICT = /(?<!\s)\s*Council Districts? \d[\d,& and]*\.?\s*(?:END OF [A-Z ]+)?$/;
/** A capitalized verb at the beginning of a step. The first word of a name is followed by another capital. */
const CAPITAL_STEP = /^\p{Lu}(?=\p{Ll}+ \p{Ll})/u;

/** Firms with their places, in a numbered list behind an action. */
const FIRMS =
  /,? \(1\) (?<first>\p{Lu}[^()]{2,60}? \([^()]{3,40}, [A-Z]{2}\)) (?<further>(?:\(\d{1,2}\) \p{Lu}[^()]{2,60}? \(?[^()]{3,40}, [A-Z]{2}\),? ?){2,40})/u;
/** Shortens a list of firms to the first one and the number of the others, which are not parts of the action. */
const withFirmsCounted = (text: string): string =>
  text.replace(
    FIRMS,
    (_, first: string, further: string) => ` ${first} and ${further.match(/\(\d{1,2}\) /g)?.length} others.`,
  );

/** Returns the lettered steps of a proposed action, each without the list after its colon. */
function proposedSubject(proposed: string): string {
  const text = withFirmsCounted(withoutReview(proposed).replaceAll(BLANK, '').replace(ITS_DISTRICT, ''));
  const start = text.indexOf('(a) ');
  if (start < 0) return subjectOf(operativeText(text));
  const [first = '', ...further] = stepsOf(text.slice(start + 4), LETTERS).map(withoutList);
  return joinedSteps([
    subjectOf(`${text.slice(0, start).replace(INTRODUCTION, '')}${first}`),
    ...further.map((step) => acted(step.replace(CAPITAL_STEP, (letter) => letter.toLowerCase()))),
  ]);
}

/**
 * Returns what the item is about: its title; the proposed action if the title only names its object; else name or text.
 */
export function itemSubject(item: RecordData<'agenda_items'>, operativeTitle: string): string {
  const { matterName, text } = item;
  const proposed = statedAction(item);
  if (proposed !== null && !ACTS.test(operativeTitle)) return proposedSubject(proposed);
  const subject = subjectOf(operativeTitle);
  if (SPEAKING.test(subject)) return subject;
  const other = proposed ?? matterName ?? text?.split('\n')[0] ?? null;
  return other === null
    ? `Agenda item: ${clipped(item.title)}`
    : `${subject === '' ? '' : `${NUMBER_ONLY.test(subject) ? item.title : subject}: `}${other === proposed ? proposedSubject(other) : subjectOf(operativeText(other))}`;
}

const letters = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** The number of an application and the committee before a name. */
const FORMAL_NAME = /(?<!\s)\s*\([A-Z] ?\d[^()]*\)|^(?:Landmarks|Zoning|Planning), /g;
/** Returns the name of the matter if it adds something to the subject and the title. */
export function furtherName({ matterName, title }: RecordData<'agenda_items'>, subject: string): string | null {
  if (matterName === undefined) return null;
  const present = new Set(letters(`${subject} ${title}`).split(' '));
  const words = letters(matterName.replace(FORMAL_NAME, ''))
    .split(' ')
    .filter((word) => word.length > 2);
  return words.filter((word) => !present.has(word)).length > words.length / 4
    ? clipped(matterName.replace(/\.$/, ''), 160)
    : null;
}
