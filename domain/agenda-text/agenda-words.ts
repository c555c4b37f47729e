import { isSectionTitle } from '../agenda/heading.ts';
import { isClosedSession, isStepTitle } from '../agenda/steps.ts';
import { anyOf, anyPhrase } from '../text/patterns.ts';
import type { TextLine } from './text-line.ts';
import { isNumberWord, titleWords, wordSet } from '../text/words.ts';

const OPENING_WORDS = anyPhrase(String.raw`
  call(?:ed)?(?: (?:\w+ ){0,4})?to order, (?:public )?roll ?call, convene, opening (?:of|prayer|ceremon),
  invocation, pledges?, quorum, flag salute, establish
`);
/** The first step of a meeting. */
const OPENING = new RegExp(String.raw`^${OPENING_WORDS}\b`, 'i');
const ENDING = /^(?:meeting )?adjourn(?:ed|ment)?\b/i;

/** Words of rules for those who take part. */
const PARTICIPATION = new RegExp(
  String.raw`https?:|www\.|@[\w-]+\.|\(\d{3}\) ?\d{3}|\d{3}-\d{3}-\d{4}|\b${anyOf(
    'zoom',
    'webinar',
    'dial',
    'e-?mail(?:ed|s)?',
    'raise (?:your )?hand',
    String.raw`speakers?(?:[’']s?)? (?:card|form|slip)s?`,
    'livestream(?:ed)?',
    'in person',
    'your?',
    'speakers? (?:will|must|may|shall|are|is)',
    'persons? (?:who|wishing)',
    'governmental body',
    'subject of the inquiry',
    'recitation of existing policy',
    '(?:statement of )?specific factual information',
  )}\b`,
  'i',
);

const COUNCIL = '(?:the )?(?:city |town |county |village )?(?:council|commission(?:ers)?|board|court|committee)';
/** Ends the line before a list of proposed decisions. */
const PROPOSAL = new RegExp(
  String.raw`\b${anyOf(
    'recommend(?:ed|ation|ations|ing)?(?: (?:actions?|motions?|that|decision))?',
    `recommends?(?: that)?(?: ${COUNCIL})?`,
    '(?:suggested|proposed|requested|possible|staff) (?:actions?|motions?)',
    '(?:actions? requested|alternatives?|options?|fiscal impact|attachments?|exhibits?|conditions?)',
  )}\b[()s]*[^.]{0,60}:?\s*$`,
  'i',
);

const OTHER_PAPER_WORDS = anyPhrase(String.raw`
  (?:draft |approved |unofficial |summary )?minutes\b, (?:agenda )?staff report, memorandum,
  agenda (?:item )?(?:report|memo|bill|form|request), staff memo, (?:a )?resolution no, ordinance no,
  item (?:summary|report), council (?:agenda )?report, to:, from:, exhibit [a-z\d]\b
`);
/** Titles of papers that follow an agenda in one file, and their first lines. */
const OTHER_PAPER = new RegExp(String.raw`^${OTHER_PAPER_WORDS}`, 'i');

const PART_OF_ITEM_WORDS = anyPhrase(String.raw`
  staff report, attach(?:ment|ed), recommend, background, fiscal impact, exhibit, supporting, discussion:,
  summary, sponsors?, legislative history, proposed action, department recommendation, applicant, location,
  project, presenter, staff contact, note, page \d, -+$
`);
/** Titles of parts of an item. */
const PART_OF_ITEM = new RegExp(String.raw`^${PART_OF_ITEM_WORDS}`, 'i');

/** The label at the beginning of a part of an item: "Recommendation: …", "Staff Recommendation: …". */
const PART_LABEL = new RegExp(
  String.raw`^${anyOf(
    '(?:(?:staff|department|committee|board|commission|suggested|requested|proposed) )?(?:recommendations?|recommended (?:actions?|motions?)|motions?|actions?)',
    'actions? requested',
    'attachments?',
    'exhibits?',
    'background',
    'summary',
    'description',
    'discussion',
    'alternatives?',
    'fiscal impact',
    'conditions?(?: of approval)?',
    'supporting documents?',
  )}\s*:`,
  'i',
);

/** The label of a note on an item: "Presenter: …", "Staff Contact: …". */
const NOTE_LABEL = new RegExp(
  String.raw`^${anyOf(
    '(?:presenters?|presented by|submitted by|prepared by|requested by|sponsors?|sponsored by|applicants?|owners?|engineers?)',
    '(?:staff|department|city|town|county)(?: (?:contacts?|resources?|presenters?|members?|liaisons?))?',
    '(?:contacts?|council district|legislative history|time estimate|estimated time)',
  )}\s*:`,
  'i',
);

/** "Jane Doe, Senior Planner": a person who presents an item. */
const PERSON = new RegExp(
  String.raw`^(?:\p{Lu}[\p{L}.'’-]{1,20} ){1,3}\p{Lu}[\p{L}.'’-]{1,20}, [^,;]{0,50}\b${anyOf(
    'Director',
    'Manager',
    'Engineer',
    'Planner',
    'Coordinator',
    'Administrator',
    'Chief',
    'Attorney',
    'Clerk',
    'Secretary',
    'Officer',
    'Superintendent',
    'Auditor',
    'Treasurer',
    'Assistant',
    'Analyst',
    'Supervisor',
    'Specialist',
  )}$`,
  'u',
);

/** The lines below an agenda that say when it was posted. */
const POSTING = /^(?:(?:posted|filed|dated) (?:this|on|by|at)\b|(?:i|we),? .{0,60}\bcertify\b)/i;

const STEP_ON_AGENDA = /\b(?:approv|adopt|accept|review|chang|addition|amend|posting|declar|consider|modif)/i;
const plain = (text: string): string => text.replace(/^[\s*•]+/, '').replace(/(?<![\s:])[\s:]+$/, '');

export const isOpening = (text: string): boolean => OPENING.test(plain(text));
export const isEnding = (text: string): boolean => ENDING.test(plain(text));
/** True for the title of a step that every meeting has. */
export const isStep = (text: string): boolean => isStepTitle(plain(text)) || isOpening(text) || isEnding(text);
export const isStepOrSection = (text: string): boolean => isStep(text) || isSectionTitle(plain(text));
export const isRuleOfParticipation = (text: string): boolean => PARTICIPATION.test(text);
/** True for a text that a list of proposed decisions follows. */
export const introducesProposal = (text: string): boolean => PROPOSAL.test(text.slice(-160));
export const isTitleOfOtherPaper = (text: string): boolean => OTHER_PAPER.test(text.trim());
/** True for a line that begins a part of an item, such as a recommendation. */
export const beginsPart = (text: string): boolean => PART_LABEL.test(text.trim());
/** True for a line that begins a part of an item, a note on it or the end of the paper, not more of its title. */
export function beginsNote(text: string): boolean {
  const own = text.trim();
  return beginsPart(own) || NOTE_LABEL.test(own) || PERSON.test(own) || POSTING.test(own);
}
/** Maximum characters of a separate title at the top of a paper. */
const MAX_TITLE_OF_PAPER = 80;
const MINUTES = /\bminutes\W*$/i;
const ON_MINUTES = /\b(?:approv|accept|adopt|consider|read|review|previous|prior|\d)/i;
/** Points by which the middle of a title differs from that of its page. */
const CENTERED = 15;
/** True for a line at the top of a page that begins a paper after the agenda: minutes, a report, a resolution. */
export function beginsOtherPaper({ text, x, right }: TextLine, pageWidth: number): boolean {
  const own = text.trim();
  if (/^be it remembered\b/i.test(own)) return true;
  const isTitle = Math.abs((x + right) / 2 - pageWidth / 2) < CENTERED && own.length <= MAX_TITLE_OF_PAPER;
  return isTitle && ((MINUTES.test(own) && !ON_MINUTES.test(own)) || isTitleOfOtherPaper(own));
}
export const isTitleOfPart = (text: string): boolean => PART_OF_ITEM.test(text.trim());

const KINDS_OF_SESSION = wordSet(`
  regular special work study open public evening afternoon morning joint called emergency budget city town council board
  commission closed executive and the of a am pm m p
`);
const SESSIONS = wordSet('session sessions meeting meetings workshop workshops');

/**
 * True for a title over the steps of one of several meetings: "WORK SESSION – 5:30 P.M.", "6:00 PM - OPEN SESSION". A
 * closed session is a step.
 */
export function isTitleOfSession(text: string): boolean {
  if (text.length > 80 || (isClosedSession(text) && !/\d:\d\d/.test(text))) return false;
  const words = titleWords(text);
  const session = words.findIndex((word) => SESSIONS.has(word));
  return session !== -1 && words.slice(0, session).every((word) => isNumberWord(word) || KINDS_OF_SESSION.has(word));
}

const AGENDA_NAME = /^(.{0,80}\s)?agenda(?: and notice| packet)?$|^(?:regular )?order of business$/iu;
/** Words before "agenda" in the name of a whole agenda, in addition to the kinds of sessions. */
const BODIES = wordSet(
  'meeting session workshop hearing county court authority district trustees directors corporation committee planning zoning',
);
/** True for the name of a whole agenda: "CITY COUNCIL REGULAR MEETING AGENDA". "CONSENT AGENDA" is a section. */
export function isNameOfAgenda(text: string): boolean {
  const match = text.length <= 120 ? AGENDA_NAME.exec(plain(text)) : null;
  if (match === null || STEP_ON_AGENDA.test(text) || /\b(?:consent|regular) agenda$/i.test(plain(text))) return false;
  const words = titleWords(match[1] ?? '');
  return (
    words.length === 0 || words.some((word) => BODIES.has(word)) || /\b(?:council|board|commission|court)\b/i.test(text)
  );
}
