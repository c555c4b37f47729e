import { isGroupTitle, isHeadingTitle } from '../../domain/agenda/heading.ts';
import type { RecordData } from '../../domain/records/resources.ts';

/** Replaces each blanked character; matches no letter, digit or white space in the classifier's patterns. */
const BLANK = '\u0001';

/** Clauses about financing, earlier handling and recommendations, which do not name the subject of an item. */
const ASIDES = [
  /\bFinancing:.*?(?=\bNote:|\bRecommendation of\b|\n|$)/g,
  /\bNote:.*?(?=\n|$)/gi,
  /\bRecommendation of [A-Z].*?(?=\n|$)/g,
  /\(Recommended for (?:Approval|Denial)[^()]*\)/gi,
  /\([Tt]his item was (?:deferred|held|postponed|continued)[^()]*\)/g,
  /\bin(?:to)? the (?<!transferred into the )(?:[A-Z\d][^\s;,()]*(?: |, | & | - )(?:and |of |for |at |from |to )?){1,14}Funds?\b/g,
  /\(?(?<!\bfunding from [^;$]{3,90} to )\b\d{4} (?:and \d{4} )?(?:General Obligation )?Bond (?:Program Project|Program\)|Funds?)/g,
  /\(see Fiscal Information\)/gi,
  /\(subject to annual appropriations\)/gi,
];

/** Clauses of a proposed action: who recommends it, its environmental review, the departments, the referral. */
const PROPOSAL_ASIDES = [
  /^As recommended by [^:;]{1,160}?\d{4}[,:]/g,
  /\bCEQA:.*?(?=\bCouncil Districts? \d|\n|$)/g,
  /\[[^\][]{0,80} referral [^\][]{0,80}\]/g,
  /\([A-Z][\w '&/,-]{2,80}\)\s*$/gm,
];

const blankOut = (text: string, asides: readonly RegExp[]): string =>
  asides.reduce((rest, aside) => rest.replace(aside, (clause) => BLANK.repeat(clause.length)), text);

/** Blanks out the asides of a text, so that offsets stay the same. The rest is the proposed decision. */
export const operativeText = (text: string): string => blankOut(text, ASIDES);

/** Blanks out the asides around a proposed action and those of every text. */
export const operativeProposal = (text: string): string => operativeText(blankOut(text, PROPOSAL_ASIDES));

/** The owner beside a street or easement that is abandoned. */
const ABUTTING_OWNER = /\bto [A-Z][^;()]{0,160}?, the abutting owners?\b/g;
/** A name that ends with its legal form. Its first word may be a keyword of its own, such as the name of a utility. */
const COMPANY =
  /(?=[ ,])(?<=\b[A-Z][\w'’.-]*)(?:(?: (?:&|and|of))? [A-Z][\w'’.-]*){0,6},? (?:Inc\b|L\.?L\.?C\b|P\.?L\.?L\.?C\b|L\.?L\.?P\b|Ltd\b|L\.P\b|LP\b)\.?/g;

/** The applicant. */
const APPLICANT = /\bsubmitted by (?:the )?[A-Z][^;()$]{2,160}?(?=,? (?:pursuant|for (?:an? |the ))\b)/g;
/** Names of divisions with the name of their department. */
const DIVISIONS = /\bfor the [A-Z][^;()$]{2,160}? Divisions\b(?: of the Department of [A-Z][\w ]{2,60}?(?= -|,|;|$))?/g;

const NAMES = [ABUTTING_OWNER, COMPANY];
const ALL_NAMES = [APPLICANT, DIVISIONS, ...NAMES];
/** The number of a first step, which can be inside a phrase: "execution of (1) an agreement with". */
const FIRST_STEP = /\(1\)(?= )/g;
/** Blanks out names of parties, applicants and divisions: no topic is read from their words. */
export function withoutParties(text: string): string {
  const blanked = blankOut(text, text.includes('submitted by') || text.includes(' Divisions') ? ALL_NAMES : NAMES);
  return blanked.includes('(1)') ? blanked.replace(FIRST_STEP, '   ') : blanked;
}

/** The beginning of a formality: minutes, notes on the order of business, attendance, closed sessions. */
const OPENING = new RegExp(
  `^(?:${[
    '(?:(?:consider(?:ation)?|discuss|review|accept|approv(?:e|al))(?: and (?:approve|act(?:ion)?))?(?: of)?(?: on)?(?: the)? )?(?:\\S+ ){0,6}minutes(?: [-–—]| of| from| for|$)',
    'note:',
    'jointly with the committees? on\\b',
    'notes?\\b.{0,20}\\bagenda item',
    'agenda (?:special called )?(?:city council|commission|board|council)?.{0,40}order of business',
    'invocation\\b',
    'pledge\\b',
    'public hearings will not be heard',
    'notices? of claims?',
    'presentation (?:of|by|to)\\b',
    'recognition\\b',
    'proclamation\\b',
    'the above schedule',
    'closed session\\b',
    'executive session\\b',
    'attorney briefings?\\b',
    'personnel matters?\\b',
    'real estate \\(sec',
    'deliberat(?:e|ion)s?\\b',
    'the (?:special called |regular )?(?:city council|commission\\S* court|commissioners court|board|commission|council)(?: special called| regular)? meeting (?:will be held|scheduled)',
    'individuals? who wish',
    'persons? (?:who wish|with disabilit|wishing)',
    'members of the public',
    'the public (?:is|may)',
    'a quorum',
    'pursuant to section 30\\.0[67]',
    'handgun prohibition',
  ].join('|')})`,
  'i',
);

/**
 * Words of the open meetings acts. An item that begins with them is a closed session. Later in the text they only mean
 * that the session can be closed.
 */
const CLOSED_WITHIN = 60;
const CLOSED_DOORS =
  /\bT\.?O\.?M\.?A\b|\b(?:sec(?:tion|s)?\.?|§+)\s*551\.0[78]\d|\bclosed session\b|\bexecutive session\b/i;

/** Instructions for attendance, anywhere in the title. */
const ATTENDANCE =
  /\bheld by videoconference\b|\bwho wish(?:es)? to speak\b|\bto (?:view|watch|attend) the meeting\b|\bmeeting (?:link|number|password)\b/i;

/**
 * Returns true if no topic can be about the item. A title that could head a group is a heading only if it has no
 * number, file or text.
 */
export function isFormality(item: RecordData<'agenda_items'>): boolean {
  const { title } = item;
  if (
    isHeadingTitle(title) ||
    OPENING.test(title) ||
    ATTENDANCE.test(title) ||
    CLOSED_DOORS.test(title.slice(0, CLOSED_WITHIN))
  )
    return true;
  if (
    /^(?:closed|executive) session\b|^minutes$|^special presentations?\b|^public presentations?\b|^claims?$/i.test(
      item.matterType ?? '',
    )
  )
    return true;
  return item.agendaNumber === null && item.matterFile === null && item.text === null && isGroupTitle(title);
}
