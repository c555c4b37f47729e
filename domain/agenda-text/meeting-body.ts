import { MONTHS } from '../months.ts';
import { anyOf, anyPhrase, anyWord, pattern } from '../text/patterns.ts';
import { wordSet } from '../text/words.ts';
import { cellsOf } from './cells.ts';
import { isCapitals } from './leads.ts';
import { heaviest, isShort, type Stated, TITLE_LINES } from './stated-facts.ts';
import type { TextLine } from './text-line.ts';

const ASSEMBLY = anyWord(String.raw`
  council commission commissions board committee court authority corporation corp district trustees supervisors aldermen selectmen commissioners
  agency association task\sforce panel bureau subcommittee assembly cabinet legislature directors
`);
const NAME_OF_BODY = new RegExp(String.raw`\b${ASSEMBLY}\b`, 'i');
const MEETING_WORDS = anyOf(
  'notice(?: of)?(?: an?| the)?',
  '(?:public|regular(?:ly)?|special(?:ly)?(?: called)?|called|joint|emergency|scheduled|revised|amended|draft|final|tentative|annual|quarterly|monthly|virtual|hybrid|open|adjourned|zoom|the|official|city hall)',
  '(?:meeting|session|workshop|work session|study session|hearing|agenda)s?(?: of| for)?(?: the)?',
  '(?:and|&|/)',
);
const BEFORE_BODY = new RegExp(String.raw`^(?:${MEETING_WORDS}[\s:–—-]+)+`, 'i');
const MEETING_WORD = /\b(?:meeting|session|workshop|hearing|agenda|docket)s?\b/i;
const KINDS_OF_MEETING = wordSet(
  'regular special specially called joint work study public revised amended notice and of quarterly annual & hybrid virtual emergency – - —',
);

/** "City Council Special Called Meeting" without the kind of the meeting. */
function withoutMeeting(name: string): string {
  const at = name.search(MEETING_WORD);
  if (at <= 0) return name;
  const words = name.slice(0, at).trim().split(/\s+/);
  const last = words.findLastIndex((word) => !KINDS_OF_MEETING.has(word.toLowerCase()));
  return words.slice(0, last + 1).join(' ');
}
const PLACE = '(?:city|town|village|county)';
const STATE = '(?:texas|tx)';
const MARKS = String.raw`[\s,–—-]+`;
/** Words that follow the name of a place in the name of a body. */
const BODY_AFTER_PLACE = String.raw`(?=(?:city|town|village|county|planning|board|parks)\b)`;
/** "City of Example, Texas City Council": the place before the body. */
const PLACE_BEFORE = pattern(
  'iu',
  String.raw`^.*?\b${PLACE} of [\p{L} .'’]+?${MARKS}`,
  `(?:${STATE}${MARKS})?`,
  BODY_AFTER_PLACE,
);
const PLACE_OF_COUNCIL = /^.*\s(?=(?:city|town|village) (?:council|commission)$)/i;
const COUNTY = String.raw`[\p{L}.'’ ]{1,40}? county`;
/** "Sample County Commissioners Court", "Commissioners' Court of Sample County, Texas": the county around its court. */
const COURT_OF_COUNTY = pattern(
  'iu',
  `^(?:${COUNTY},? (?:texas,? )?)?`,
  String.raw`(commissioners?['’]? court)`,
  String.raw`(?: of ${COUNTY}(?:,? texas)?)?$`,
);
/** "City Council of Sample, Texas": the body before its place. */
const COUNCIL_OF_CITY = /^((?:city|town|village) (?:council|commission)) of .*$/i;
const WEEKDAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';
const MONTH = anyOf(...MONTHS);
/** "Sample Board Monday, August 14, 2026": the day after the name. */
const DAY_AFTER = new RegExp(String.raw`(?<![\s,–—|-])[\s,–—|-]+(?:${WEEKDAY}|${MONTH} \d)\b.*$`, 'i');
/** "August 14, 2026 at 6:00 PM - Sample Board": the day before the name. */
const DAY_BEFORE = pattern(
  'i',
  String.raw`^(?:${WEEKDAY},?\s)?${MONTH} \d{1,2}, \d{4}`,
  String.raw`(?:(?: at|,|\s[-–—|])? \d{1,2}:\d\d ?[ap]\.?m\.?)?\s[-–—|]\s`,
);
const NOT_BODY_WORDS = anyPhrase(String.raw`
  how, to, if, join, watch, view, please, this, all, any, approv, consider
`);
const NOT_BODY_PARTS = anyPhrase(String.raw`
  provided, presented, discussed, approved, made, has, have, not, this, your?, chambers?, (?:court)?room, street, avenue,
  members?$, building, hall$, will, may, shall, must, is, are, be, packet, staff, wishing, public comment,
  clerk, center, floor, drive, blvd, road
`);
const NOT_BODY = new RegExp(String.raw`^${NOT_BODY_WORDS}\b|\b${NOT_BODY_PARTS}\b|@|\d{3}|[.;:?!]$`, 'i');

const SMALL_WORDS = /\b(?:Of|And|The|For|On|In|At|To)\b/g;
/** "CITY COUNCIL" as "City Council". */
const inTitleCase = (text: string): string =>
  isCapitals(text)
    ? text
        .toLowerCase()
        .replace(/(?<![\p{L}'’])\p{L}/gu, (letter) => letter.toUpperCase())
        .replace(SMALL_WORDS, (word, index: number) => (index === 0 ? word : word.toLowerCase()))
    : text;

function bodyIn(text: string): string | null {
  const line = text.slice(0, 400).replace(/\s+/g, ' ').trim().replace(DAY_BEFORE, '').replace(DAY_AFTER, '');
  if (line.length > 160 || /^(?:\d{1,2}[.)]|[•*])/.test(line) || !NAME_OF_BODY.test(line)) return null;
  const name = withoutMeeting(line.replace(/^of\s+/i, '').replace(BEFORE_BODY, ''))
    .replace(BEFORE_BODY, '')
    .replace(PLACE_BEFORE, '')
    .replace(PLACE_OF_COUNCIL, '')
    .replace(COURT_OF_COUNTY, '$1')
    .replace(/^(?:(?:of|the|for)\s+)+/i, '')
    .replace(COUNCIL_OF_CITY, '$1')
    .replace(/(?<![\s,:–—-])[\s,:–—-]+$/, '')
    .trim();
  return name.length < 4 || name.length > 120 || !NAME_OF_BODY.test(name) || NOT_BODY.test(name)
    ? null
    : inTitleCase(name);
}

/** "notice that the Commissioners' Court of Example County will meet": the body in a sentence. */
const SENTENCE_ASSEMBLY = anyWord(String.raw`
  Council Commission Board Committee Court Authority Corporation District Trustees Directors Supervisors
  COUNCIL COMMISSION BOARD COMMITTEE COURT CORPORATION
`);
const IN_SENTENCE = pattern(
  'u',
  String.raw`\b(?:meeting of the|that the|of the)\s+`,
  String.raw`((?:[\p{Lu}&][\p{L}.'’&-]*\s+|of\s+|and\s+|the\s+){0,8}${SENTENCE_ASSEMBLY}`,
  String.raw`(?:\s+of\s+(?:the\s+)?(?:\p{Lu}[\p{L}.'’-]*\s?){1,5})?)`,
);

/** Names of those who meet, not of the organization that they govern. */
const GOVERNS = new RegExp(String.raw`\b${anyWord('council commission board committee court trustees')}\b`, 'i');
/** Weight of a name of those who meet, in lines. */
const GOVERNING = 4;
/** Lines around the day of the meeting that can name the body. */
const NEAR_DAY = 6;

/** The names in the columns of a line, most probable first. */
function namesOn(line: TextLine, index: number): readonly Stated<string>[] {
  const name = cellsOf(line)
    .flatMap((cell) => cell.text.split(/\s{3,}|\s[|•■]\s/))
    .flatMap((part) => bodyIn(part) ?? [])
    .at(0);
  if (name === undefined) return [];
  const weight = line.size / 4 - index / 3 + (isShort(line.text) ? 2 : 0) + (GOVERNS.test(name) ? GOVERNING : 0);
  return [{ value: name, weight, index }];
}

function findInProse(head: readonly TextLine[]): string | null {
  const prose = head
    .map(({ text }) => text)
    .join(' ')
    .slice(0, 4_000);
  const name = IN_SENTENCE.exec(prose)?.[1]?.trim();
  if (name === undefined) return null;
  return inTitleCase(name.replace(/ of the (?:city|town|county)$/i, '').replace(COURT_OF_COUNTY, '$1'));
}

/** Returns the name of the body that meets. `day` is the index of the line with the day of the meeting. */
export function findBody(head: readonly TextLine[], running: readonly TextLine[], day: number | null): string | null {
  const best = heaviest(head.slice(0, TITLE_LINES).flatMap(namesOn));
  if (best !== null) return best.value;
  for (const { text } of running) {
    const name = bodyIn(text);
    if (name !== null) return name;
  }
  const around = day === null ? [] : head.slice(Math.max(0, day - NEAR_DAY), day + NEAR_DAY);
  return heaviest(around.flatMap(namesOn))?.value ?? findInProse(head);
}
