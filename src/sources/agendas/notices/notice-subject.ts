import { MONTHS } from '../../../../domain/months.ts';
import { unaccented, wordSet } from '../../../../domain/text/words.ts';
import { isOwnDay } from './named-days.ts';
import { translateNotice } from './spanish-notices.ts';
import { oneLine, type Text } from '../values.ts';

export interface NoticeContext {
  /** The body's name as the source writes it: its words can occur in the subject of the statement. */
  readonly bodyName: string;
  /** The meeting's own name, where it has one; read like that of the body. */
  readonly title?: Text;
  /** The meeting's local day `YYYY-MM-DD`: a statement about another day is about another meeting. */
  readonly day: string;
  /** True if "briefing" or "work session" alone can mean this meeting, as they do if nothing else is on its agenda. */
  readonly sessions: boolean;
  /** True if the text is the name of this meeting: with its day it is about no other, whatever body it names. */
  readonly isName?: boolean;
}

const MEETING_NOUNS = wordSet('meeting meetings session');
const SESSION_NOUNS = wordSet('worksession briefing workshop retreat');
/** A subject with one of these words is a meeting, not a person or body that acts. */
export const ABOUT_A_MEETING = /\b(?:meetings?|session|worksession|briefing|workshop|retreat)\b/;
/** Other words that may precede the verb; any word outside these sets makes it a statement about something else. */
const PLAIN_WORDS = wordSet(
  `the this today today's todays tonight tonight's tonights regular regularly special called scheduled previously originally set planned to be held for on of at in
   and city town county council board commission committee court commissioners agenda public monday tuesday wednesday thursday friday saturday sunday
   am pm noon hall chambers chamber date ${MONTHS.join(' ')} jan feb mar apr jun jul aug sep sept oct nov dec`,
);
const NUMBER = /^\d+(?:st|nd|rd|th)?$/;

export const lowerCaseEnglish = (text: string): string => translateNotice(unaccented(text.toLowerCase()));

/** Returns a text in lower case, without marks, and in English: "cancelled" for "CANCELED/CANCELADA", "did not" for "didn't". */
export const simplify = (text: string): string =>
  lowerCaseEnglish(oneLine(text) ?? '')
    .replaceAll('’', "'")
    .replaceAll('&', ' and ')
    .replace(/["“”*_#!()[\]<>¡]/g, ' ')
    .replace(/\b([ap])\.\s?m\b\.?/g, '$1m')
    .replace(/\bwork session/g, 'worksession')
    .replace(/\bwon't\b/g, 'will not')
    .replace(/\b(can|could|did|does|has|have|is|was|were)n't\b/g, '$1 not')
    .replace(/\b(?:canceled|called off)\b/g, 'cancelled')
    .replace(/\s+/g, ' ')
    .replace(/\b(cancelled|postponed|rescheduled)(?: ?[/|–—-]? ?\1\b)+/g, '$1')
    .trim();

/** "the april 7 regular meeting" of "the april 7 regular meeting of the members of the board". */
const withoutBody = (subject: string): string => subject.replace(/(?<=\b(?:meeting|session)) (?:of|for) .*$/s, '');

/** True if a simplified subject is this meeting: it names the meeting or its body, and nothing but a day, a place and `extra` words. */
export function isAboutTheMeeting(
  subject: string,
  context: NoticeContext,
  extra: ReadonlySet<string> = new Set(),
): boolean {
  const names = [context.bodyName, context.title ?? ''].map(simplify).filter((name) => name !== '');
  const own = wordSet(names.join(' '));
  let isNamed = names.some((name) => ` ${subject} `.includes(` ${name} `));
  const isOfItsDay = isOwnDay(withoutBody(subject), context) === true;
  const words = context.isName === true && isOfItsDay ? withoutBody(subject) : subject;
  for (const word of words.split(/[\s,.:;/–—-]+/).filter((part) => part !== '')) {
    if (MEETING_NOUNS.has(word) || (SESSION_NOUNS.has(word) && (context.sessions || own.has(word)))) isNamed = true;
    else if (!PLAIN_WORDS.has(word) && !own.has(word) && !extra.has(word) && !NUMBER.test(word)) return false;
  }
  return isNamed && isOwnDay(subject, context) !== false;
}
