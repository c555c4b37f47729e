import { MONTHS } from '../../../domain/months.ts';
import type { NormalizedContent } from '../../../domain/records/resources.ts';
import { anyPhrase } from '../../../domain/text/patterns.ts';

type NextStep = Pick<NormalizedContent<'agenda_hits'>['proceduralContext'], 'nextBodyName' | 'nextMeetingDate'>;

const WEEKDAY = '(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? )?';
const DATE = String.raw`${WEEKDAY}(?<month>${MONTHS.join('|')}) (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4})`;
const DATES = new RegExp(DATE, 'giu');
/** Words between two days of one announcement: "May 4, 2026, and May 11, 2026". */
const AND = /^,?(?: and)? $/;
/** Length of the words before a day that can announce it, in UTF-16 code units. */
const ANNOUNCEMENT = 200;

const MATTER = '(?:public )?(?:hearings?|meeting|session|item|case|reading)';
const BY_BODY = String.raw`(?: (?:by|before) the (?:[A-Z][\w&-]* ?){1,5})?`;
const TIES = '(?:,? on| for|,? at the)?:? ';
const PUT_OFF = anyPhrase('continued?, defer(?:red)?, postponed?, held under advisement, tabled?, carried over, moved');
/** Words right before a day of a later meeting on the item itself; a future election is none. */
const ANNOUNCES = [
  String.raw`\b${MATTER}(?: [^.;:]{0,80}?)? to be (?:held|heard|considered)`,
  String.raw`\b${PUT_OFF}(?: (?:this|the) (?:item|case|hearing|request))? (?:to|until)(?: the)?`,
  String.raw`\bscheduled for (?:consideration|(?:a )?(?:public hearing|(?:second|final) reading|action))`,
  String.raw`\b${MATTER} (?:will|shall) be (?:held|heard|considered|taken up)`,
  String.raw`\b(?:(?:second|final) reading|next (?:meeting|hearing)|public hearings?)`,
].map((words) => new RegExp(`${words}${BY_BODY}${TIES}$`, 'iu'));

const NAME = String.raw`(?:[A-Z][\p{L}&'’-]*(?: and | of | & | )?){0,5}(?:Council|Commission|Court|Board|Committee)\b`;
const GOES_TO = anyPhrase(
  String.raw`to be (?:held|heard|considered), (?:will|shall) be (?:held|heard|considered), scheduled for (?:consideration|(?:a )?(?:public hearing|action)), (?:referred?|forward(?:ed)?|recommendation|goes|proceed) to`,
);
/** The name of the body that a matter goes to, or its short name: "referred to CPC". */
const BODY = new RegExp(
  String.raw`\b${GOES_TO}(?: [a-z]+)?(?: (?:by|before|to))? ?the (?<name>${NAME})|\b[Rr]eferred to (?:the )?(?<short>\p{Lu}{1,3}[BC])\b`,
  'gu',
);

/** Returns a calendar day as `YYYY-MM-DD`, or null if there is no such day. */
function calendarDay({ year = '', month = '', day = '' }: Readonly<Record<string, string>>): string | null {
  const time = new Date(Date.UTC(Number(year), MONTHS.indexOf(month.toLowerCase()), Number(day)));
  const text = time.toISOString().slice(0, 10);
  return text.startsWith(year) && time.getUTCDate() === Number(day) ? text : null;
}

/** Returns the days that a text announces, with further days of one announcement. */
function announcedDays(text: string): string[] {
  const days: (string | null)[] = [];
  let isAnnounced = false;
  let end = 0;
  for (const match of text.matchAll(DATES)) {
    const before = text.slice(Math.max(end, match.index - ANNOUNCEMENT), match.index);
    isAnnounced = (isAnnounced && AND.test(before)) || ANNOUNCES.some((words) => words.test(before));
    if (isAnnounced) days.push(calendarDay(match.groups ?? {}));
    end = match.index + match[0].length;
  }
  return days.filter((day) => day !== null);
}

/**
 * Returns the next meeting on an item and its body, if the texts announce one. Ignores days up to `held`, the local day
 * of the meeting. Prefers the first day that is not over, else the last one.
 */
export function nextStepOf(texts: readonly string[], meetingDay: string, today: string): NextStep {
  const later = texts
    .flatMap(announcedDays)
    .filter((day) => day > meetingDay)
    .toSorted();
  const body = texts
    .flatMap((text) => [...text.matchAll(BODY)])
    .map(({ groups }) => groups?.['name'] ?? groups?.['short'])[0];
  return {
    nextBodyName: body?.trim() ?? null,
    nextMeetingDate: later.find((day) => day >= today) ?? later.at(-1) ?? null,
  };
}
