import { oneLine, type Text } from './values.ts';

/** A meeting does not take place as announced. The source has no field for this, only words. */
export type Notice = 'cancelled' | 'postponed';

interface NoticeContext {
  /** The body's name as the source writes it: its words may stand in the statement's subject. */
  readonly bodyName: string;
  /** The meeting's local day `YYYY-MM-DD`: a statement about another day is about another meeting. */
  readonly day: string;
  /** Whether "briefing" or "work session" alone may mean this meeting, as they do where nothing else stands on its agenda. */
  readonly sessions: boolean;
}

const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];
const VERB = /\b(cancell?ed|postponed|rescheduled)\b/;
const NOUN = /\b(cancell?ation|postponement)\b/;
const AUXILIARY = /(?:^|\s)(?:(?:has|have) (?:hereby |now )?been|is(?: hereby| now| being)?|was|will be|are)$/;
const OPENING = /^(?:(?:please )?(?:note|be advised)(?: that)?|attention|update|notice)\b[\s:,-]*/;
const REASON_FIRST = /^(?:due to|because of|owing to)\b[^,]{1,80},\s*/;

const words = (text: string): Set<string> => new Set(text.split(' '));
const MEETING_NOUNS = words('meeting meetings session');
const SESSION_NOUNS = words('worksession briefing workshop retreat');
/** Other words that may precede the verb; any word outside these sets makes it a statement about something else. */
const PLAIN_WORDS = words(
  `the this today's todays tonight's tonights regular regularly special called scheduled previously originally set planned to be held for on of at in
   and city town county council board commission committee court commissioners agenda public monday tuesday wednesday thursday friday saturday sunday
   am pm noon hall chambers chamber ${MONTHS.join(' ')} jan feb mar apr jun jul aug sep sept oct nov dec`.replace(/\s+/g, ' '),
);
const NUMBER = /^\d+(?:st|nd|rd|th)?$/;

/** Months and days that the text names, as `MM-DD`. */
function namedDays(text: string): string[] {
  const days: string[] = [];
  for (const match of text.matchAll(/\b([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?\b/g)) {
    const month = MONTHS.findIndex(
      (name) => name === match[1] || (match[1] !== 'may' && name.startsWith((match[1] ?? '').slice(0, 3)) && (match[1] ?? '').length <= 4),
    );
    if (month >= 0) days.push(`${String(month + 1).padStart(2, '0')}-${(match[2] ?? '').padStart(2, '0')}`);
  }
  for (const match of text.matchAll(/\b(\d{1,2})[/-](\d{1,2})(?:[/-]\d{2,4})?\b/g)) {
    days.push(`${(match[1] ?? '').padStart(2, '0')}-${(match[2] ?? '').padStart(2, '0')}`);
  }
  return days;
}

function aboutTheMeeting(subject: string, context: NoticeContext, extra: ReadonlySet<string>): boolean {
  const own = words(simplify(context.bodyName));
  let named = false;
  for (const word of subject.split(/[\s,.:;/–—-]+/).filter((part) => part !== '')) {
    if (MEETING_NOUNS.has(word) || (SESSION_NOUNS.has(word) && (context.sessions || own.has(word)))) named = true;
    else if (!PLAIN_WORDS.has(word) && !own.has(word) && !extra.has(word) && !NUMBER.test(word)) return false;
  }
  if (!named) return false;
  const days = namedDays(subject);
  return days.length === 0 || days.includes(context.day.slice(5));
}

const simplify = (text: string): string =>
  (oneLine(text) ?? '')
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/["“”*_#!()[\]<>]/g, ' ')
    .replace(/\b([ap])\.\s?m\b\.?/g, '$1m')
    .replace(/\bwork session/g, 'worksession')
    .replace(/\s+/g, ' ')
    .trim();

const NOTICE_WORDS = words('notice cancellation cancelation postponement');
const BARE_END = /^$|^[\s.,;–—-]*$|^\s*[–—,;.-]|^\s+(?:due|because|for lack|by|per|until|to|as|and will)\b/;

/** The notice that a statement gives about the meeting; null for a statement without one or about something else. */
export function noticeIn(statement: string, context: NoticeContext): Notice | null {
  const text = simplify(statement).replace(REASON_FIRST, '');
  const verb = VERB.exec(text);
  if (verb === null) {
    const noun = NOUN.exec(text);
    if (noun === null) return null;
    const said = noun[1] === 'postponement' ? 'postponed' : 'cancelled';
    if (/^(?:notice of )?(?:cancell?ation|postponement)(?: notice)?\W*$/.test(text)) return said;
    return aboutTheMeeting(text, context, NOTICE_WORDS) ? said : null;
  }
  const said: Notice = verb[1] === 'postponed' || verb[1] === 'rescheduled' ? 'postponed' : 'cancelled';
  const before = text
    .slice(0, verb.index)
    .replace(OPENING, '')
    .trim()
    .replace(/[\s:,–—-]+$/, '');
  const after = text.slice(verb.index + verb[0].length);
  const subject = before.replace(AUXILIARY, '').trim();
  if (subject === '') return before === '' && BARE_END.test(after) ? said : null;
  return aboutTheMeeting(subject, context, new Set()) ? said : null;
}

export const noticeInComment = (comment: Text, context: NoticeContext): Notice | null =>
  firstNotice([comment ?? '', ...(comment ?? '').split(/[\r\n]+|(?<![ap]\.?m|\bno)[.!?]\s+/i)], context);

/** In capitals beside a place, the word is said of the meeting, whatever stands around it. */
const IN_CAPITALS = /(?<!\b(?:NOT|NOT BE|NOT BEEN|IF|UNLESS|PREVIOUSLY)\s)\b(CANCELL?ED|POSTPONED|RESCHEDULED(?! FROM\b))\b/;

export const noticeInLocation = (location: Text, context: NoticeContext): Notice | null =>
  capitalNotice(location) ??
  firstNotice([location ?? '', ...(location ?? '').split(/[\r\n;|,()*]+|\s[-–—]+\s|(?<![ap]\.?m)[.!]\s+/i)], context);

function capitalNotice(location: Text): Notice | null {
  const word = IN_CAPITALS.exec(location ?? '')?.[1];
  return word === undefined ? null : word.startsWith('C') ? 'cancelled' : 'postponed';
}

/** The notice in a status name, which refers to the meeting only. */
export function noticeInStatusName(name: Text): Notice | null {
  const text = simplify(name ?? '');
  if (/\b(?:not|un)\b/.test(text)) return null;
  if (/\bcancell?(?:ed|ation)\b/.test(text)) return 'cancelled';
  return /\b(?:postponed|postponement|rescheduled)\b/.test(text) ? 'postponed' : null;
}

const firstNotice = (statements: readonly string[], context: NoticeContext): Notice | null =>
  statements.map((statement) => noticeIn(statement, context)).find((notice) => notice !== null) ?? null;
