import { anyOf, anyPhrase } from '../text/patterns.ts';
import { findBody } from './meeting-body.ts';
import { readDays, readTimes } from './meeting-days.ts';
import { heaviest, isShort, type Stated, TITLE_LINES } from './stated-facts.ts';
import type { TextLine } from './text-line.ts';

export type MeetingStatus = 'scheduled' | 'cancelled' | 'amended';

export interface MeetingFacts {
  readonly body: string | null;
  /** `YYYY-MM-DD`. */
  readonly date: string | null;
  /** `HH:MM`. */
  readonly time: string | null;
  readonly status: MeetingStatus;
}

/** Lines before the agenda that are read. */
const MAX_HEAD = 120;

const OTHER_DAY_WORDS = anyPhrase(String.raw`
  post(?:ed|ing)?, revis(?:ed|ion), printed, publish(?:ed)?, dated, order, proclaim\w*, executive, resolution,
  ordinance, effective, since, until, deadline, next, minutes, approved, filed, received, prepared, adopted,
  emergency, governor, proclamation, pursuant
`);
const OTHER_DAY = new RegExp(String.raw`\b${OTHER_DAY_WORDS}\b`, 'i');
const OWN_DAY_WORDS = anyPhrase(String.raw`
  meeting, agenda, session, hearing, workshop, notice, will (?:be held|meet|hold|convene), held on, date
`);
const OWN_DAY = new RegExp(String.raw`\b${OWN_DAY_WORDS}\b`, 'i');
const LIMIT_WORDS = anyPhrase(String.raw`
  by, before, until, after, prior to, no later than, between, from, hours, deadline, office, monday through,
  close of, register, submitted, received, adjourn
`);
const LIMIT = new RegExp(String.raw`\b${LIMIT_WORDS}\b`, 'i');

function weighDay(line: TextLine, isRunning: boolean): number {
  const { text } = line;
  return (isShort(text) ? 4 : 0) + (OWN_DAY.test(text) ? 3 : 0) + (isRunning ? 2 : 0) - (OTHER_DAY.test(text) ? 5 : 0);
}

/** A line with the next one: "TUESDAY, MARCH 10," and "2026". */
const joined = (line: TextLine, next: TextLine | undefined): TextLine => ({
  ...line,
  text: `${line.text.slice(-60).trim()} ${next?.text.slice(0, 60).trim() ?? ''}`,
});

/** "rescheduled from March 3": not the day of the meeting. */
const EARLIER_DAY = /\b(?:from|originally|previously|meeting (?:of|on|scheduled for))\b[^.;]{0,40}$/i;
const MOVED = /\b(?:re-?scheduled|moved|changed|postponed)\b/i;
/** A day that a notice of a change names as the earlier one counts less. */
function weighMove(text: string, index: number): number {
  if (!MOVED.test(text)) return 0;
  const before = text.slice(Math.max(0, index - 60), index).split(/\bto\b/i);
  return EARLIER_DAY.test(before.at(-1)!) ? -6 : 1;
}

/** The day of the meeting. A notice that cancels a meeting names its day first. */
function findDay(head: readonly TextLine[], running: readonly TextLine[], isMoved: boolean): Stated<string> | null {
  const days: Stated<string>[] = [];
  const add = (line: TextLine, index: number, isRunning: boolean): void => {
    for (const { date, hasOwnWeekday, index: start } of readDays(line.text.slice(0, 1_000))) {
      const fit = hasOwnWeekday === null ? 0 : hasOwnWeekday ? 3 : -1;
      days.push({
        value: date,
        weight:
          weighDay(line, isRunning) + (isMoved ? weighMove(line.text, start) : 0) + fit - Math.min(index, 60) / 30,
        index,
      });
    }
  };
  for (const [index, line] of head.entries()) add(line, index, false);
  if (days.length === 0) for (const [index, line] of head.entries()) add(joined(line, head[index + 1]), index, false);
  for (const line of running) add(line, 0, true);
  return heaviest(days);
}

/** The time nearest to the day, of the meeting and not of an office or a deadline. */
function findTime(head: readonly TextLine[], day: Stated<string> | null): string | null {
  const around = day?.index ?? 0;
  const times: Stated<string>[] = [];
  for (const [index, { text }] of head.entries()) {
    const [first] = readTimes(text.slice(0, 1_000));
    if (first === undefined) continue;
    const before = text.slice(Math.max(0, first.index - 60), first.index);
    const distance = Math.abs(index - around);
    const weight =
      (isShort(text) ? 4 : 0) +
      (OWN_DAY.test(text) ? 2 : 0) +
      (/\btime\b/i.test(before) ? 2 : 0) +
      (distance === 0 ? 5 : distance === 1 ? 2 : 0) -
      (LIMIT.test(before) ? 6 : 0) -
      Math.min(distance, 30) / 4;
    times.push({ value: first.time, weight, index });
  }
  const best = heaviest(times);
  return best !== null && best.weight > 0 ? best.value : null;
}

const CANCELED = new RegExp(
  anyOf(
    String.raw`\bnotice of (?:\w+ ){0,3}cancell?(?:ation|ed)\b`,
    String.raw`\bmeeting cancell?ation\b`,
    String.raw`\b(?:has|have) been (?:cancell?ed|postponed)\b`,
    String.raw`\b(?:is|are|was|will be|hereby) (?:hereby )?cancell?ed\b`,
    String.raw`^\W*cancell?(?:ed|ation)\b`,
    String.raw`\bcancell?ed\W*$`,
    String.raw`\bcancelad[ao]s?\b`,
  ),
  'i',
);
/** Says so only in a paper without items. */
const NO_MEETING = /^\W*no (?:\w+ ){0,3}(?:meeting|quorum)\b|\bwill not (?:be held|meet|convene)\b/i;
/** A part of the meeting, which takes place without it. */
const PART_OF_MEETING = /\b(?:work ?shop|(?:work|study|closed|executive|evening|afternoon) session)s?\b/i;
/** Rules for amendments: the agenda itself might be the first. */
const RULE = /\b(?:may|can|might) be\b|\bas amended\b|\bamended (?:by|in|from time)\b|\bminutes\b/i;
const AMENDED_WORDS = anyPhrase(String.raw`
  amended, revised, addendum, supplemental agenda, amendment to (?:the )?agenda, corrected, modified agenda
`);
const AMENDED = new RegExp(String.raw`\b${AMENDED_WORDS}\b`, 'i');

function isCanceled({ text }: TextLine, hasItems: boolean): boolean {
  const own = text.slice(0, 1_000);
  if (!CANCELED.test(own)) return !hasItems && NO_MEETING.test(own);
  return !/\bmay be\b/i.test(own) && !(hasItems && PART_OF_MEETING.test(own));
}

function findStatus(head: readonly TextLine[], running: readonly TextLine[], hasItems: boolean): MeetingStatus {
  const titles = [...head.slice(0, TITLE_LINES), ...running].filter(({ text }) => isShort(text));
  if ((hasItems ? titles : head).some((line) => isCanceled(line, hasItems))) return 'cancelled';
  const isAmended = titles.some(({ text }) => AMENDED.test(text) && !RULE.test(text) && text.length <= 70);
  return isAmended ? 'amended' : 'scheduled';
}

export interface MeetingText {
  /** Lines before the agenda. */
  readonly head: readonly TextLine[];
  /** Headers and footers. */
  readonly running: readonly TextLine[];
  /** The first lines of the document. */
  readonly first: readonly TextLine[];
  readonly hasItems: boolean;
}

/** True for a short line that begins with a day and its weekday. */
const isNameOfDay = ({ text }: TextLine): boolean =>
  text.length <= 60 && readDays(text).some(({ index, hasOwnWeekday }) => index <= 2 && hasOwnWeekday === true);

/** Reads body, date, time and status from the lines before the agenda, and from headers and footers. */
export function readMeetingFacts({ head: lines, running, first, hasItems }: MeetingText): MeetingFacts {
  const head = lines.slice(0, MAX_HEAD);
  const status = findStatus(head, running, hasItems);
  const isMoved = status !== 'cancelled';
  const day = findDay(head, running, isMoved) ?? findDay(first.filter(isNameOfDay), [], isMoved);
  return {
    body: findBody(head, running, day?.index ?? null),
    date: day?.value ?? null,
    time: findTime(head, day),
    status,
  };
}
