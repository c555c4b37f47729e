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
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const VERB = /\b(cancell?ed|postponed|rescheduled)\b/;
const NOT_HELD =
  /\b(?:(?:will|shall) not (?:be held|take place|meet|convene)|(?:was|is) not (?:being )?held|not (?:being )?held)\b|(?:^(?:there (?:will be|is) )?|[–:-] )no meeting(?: (?:will be )?held)?\b/;
/** Before the verb: it is possible, or past and no longer so. */
const NOT_SAID = /\b(?:may be|previously)$/;
/** A condition before or behind the verb, in one phrase: "will be cancelled if there is no quorum", not "cancelled, if you have questions call …". */
const CONDITIONAL =
  /\b(?:if(?! (?:you|any|questions)\b)|unless)\b[^.;:!?)\r\n–—-]*\b(?:cancell?ed|postponed|rescheduled)\b|\b(?:cancell?ed|postponed|rescheduled)\b[^.;:!?\r\n–—-]*\b(?:if(?! (?:you|any|questions)\b)|unless|in case|in the event|should there)\b/i;
const NOUN = /\b(cancell?ation|postponement)\b/;
const AUXILIARY = /(?:^|\s)(?:(?:has|have) (?:hereby |now )?been|is(?: hereby| now| being)?|was|will be|are)$/;
const OPENING = /^(?:(?:please )?(?:note|be advised)(?: that)?|attention|update|notice)\b[\s:,-]*/;
const REASON_FIRST = /^(?:(?:due to|because of|owing to)\b[^,]{1,80},|(?:no|lack of(?: a)?) quorum[\s,.:;–—-]+)\s*/;

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

/** Whether the text names the day of the meeting; null where it names none. */
function isOwnDay(text: string, { day }: NoticeContext): boolean | null {
  const days = namedDays(text);
  return days.length === 0 ? null : days.includes(day.slice(5));
}

/** Whether the text names a day within the half year after the meeting; an earlier one is the day of the notice. */
function isLaterDay(text: string, { day }: NoticeContext): boolean {
  const ordinal = (monthDay: string) => Number(monthDay.slice(0, 2)) * 31 + Number(monthDay.slice(3));
  const distances = namedDays(text).map((named) => (ordinal(named) - ordinal(day.slice(5)) + 12 * 31) % (12 * 31));
  return distances.some((distance) => distance > 0 && distance <= 6 * 31);
}

/** Whether the text refers to another day in other words than its date: "tomorrow", "Wed.", "the 17th". */
function isOtherDay(text: string, { day }: NoticeContext): boolean {
  if (/\b(?:tomorrow|next|following|another|(?<!this )weeks?|later d(?:ay|ate))\b/.test(text)) return true;
  const date = new Date(day);
  const own = [WEEKDAYS[date.getUTCDay()], String(date.getUTCDate())];
  const named = [...text.matchAll(/\b(sun|mon|tue|wed|thu|fri|sat)(?:[a-z]*day|s|rs?)?\b|\bthe (\d{1,2})(?:st|nd|rd|th)\b(?! floor)/g)];
  return named.length > 0 && !named.some(([, weekday, number]) => own.includes(weekday ?? number));
}

function aboutTheMeeting(subject: string, context: NoticeContext, extra: ReadonlySet<string>): boolean {
  const name = simplify(context.bodyName);
  const own = words(name);
  let named = name !== '' && ` ${subject} `.includes(` ${name} `);
  for (const word of subject.split(/[\s,.:;/–—-]+/).filter((part) => part !== '')) {
    if (MEETING_NOUNS.has(word) || (SESSION_NOUNS.has(word) && (context.sessions || own.has(word)))) named = true;
    else if (!PLAIN_WORDS.has(word) && !own.has(word) && !extra.has(word) && !NUMBER.test(word)) return false;
  }
  if (!named) return false;
  return isOwnDay(subject, context) !== false;
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
const GAP = String.raw`[\s.,:;–—-]*`;
const REASON = String.raw`(?:due|because|owing|no (?:agenda(?: items)?|items|business)(?=${GAP}$)|(?:a )?quorum (?:was |is )?not (?:met|present)|(?:for |a )?lack|(?:no|for|want of|without a) quorum|(?:in )?observance|(?:[a-z']+ ){0,2}(?:quorum|weather|storms?|ice|snow|flood(?:ing)?|power outage|holidays?|(?:election|christmas|thanksgiving|veterans|memorial|labor|independence|presidents'?|mlk|king,?(?: jr\.?)?|columbus|good) (?:day|friday)|thanksgiving|christmas|juneteenth|spring break|recess|emergency)(?=${GAP}(?:$|\d))|(?:[a-z']+ ){0,2}quorum${GAP}(?:$|\W\s))`;
/** Nothing more than a reason behind a statement. */
const END = String.raw`${GAP}(?:$|${REASON})`;
const DAY = String.raw`(?:on )?(?:[a-z]+day,? )?(?:(?:${MONTHS.map((name) => name.slice(0, 3)).join('|')})[a-z]*\.? \d{1,2}(?:st|nd|rd|th)?|\d{1,2}[/-]\d{1,2}(?:[/-]\d{2,4})?)(?:,? \d{4})?`;
/** Words behind the verb that leave it with the meeting: a reason, another day, the day of the notice. */
const BARE_END = new RegExp(
  String.raw`^${END}|^${GAP}(?:${DAY}${END}|(?:by|per|until|to|as|(?:and )?(?:will|rescheduled|postponed|moved)|see|next meeting)\b)`,
);
/** The same behind "not held": another place or form is none. */
const NOT_HELD_END = new RegExp(String.raw`^${END}|^${GAP}(?:(?:this (?:week|month|day)|today|tonight)\b|${DAY}${END})`);
const TIME = String.raw`(?:\d{1,2}(?::\d{2})?\s?[ap]m\b|\d{1,2}:\d{2}\b|noon\b|(?:a )?later time\b)`;
/** A change on the day itself: "to 2:00 pm", "by one hour", "to Room 6ES". */
const ON_THE_DAY = new RegExp(
  String.raw`^${GAP}(?:(?:(?:to|until|till|at|begin|start|today)\s+)*${TIME}|to\s+(?:the\s+)?(?:today|room|city hall|council chambers?)\b|(?:by|for)\s+(?:an?|one|two|three|half an|\d+)\s+(?:hours?|minutes?)\b)`,
);

const OF_DAY = new RegExp(String.raw`^${GAP}${DAY}`);

/** Whether the words behind "cancelled" begin with a later day: that of another meeting. */
const isOfLaterDay = (after: string, context: NoticeContext): boolean => isLaterDay(OF_DAY.exec(after)?.[0] ?? '', context);

/** Whether a meeting that is "postponed" or "rescheduled" with these words behind takes place on its day all the same. */
function takesPlace(after: string, context: NoticeContext): boolean {
  const [from = '', to = ''] = after.split(/\b(?:to|until)\b(.*)/s);
  if (/^\s*from\b/.test(after)) {
    const isFromOwnDay = isOwnDay(from, context);
    return isFromOwnDay === null ? (isOwnDay(to, context) ?? !isOtherDay(to, context)) : !isFromOwnDay;
  }
  return isOwnDay(to, context) ?? (ON_THE_DAY.test(after) && isOwnDay(after, context) !== false && !isOtherDay(after, context));
}

/** Statements are short; a longer text is about more than the meeting. */
const MAX_STATEMENT = 1000;

/** The notice that a statement gives about the meeting; null for a statement without one or about something else. */
export function noticeIn(statement: string, context: NoticeContext): Notice | null {
  if (statement.length > MAX_STATEMENT) return null;
  const text = simplify(statement).replace(REASON_FIRST, '');
  if (CONDITIONAL.test(text)) return null;
  const verb = VERB.exec(text) ?? NOT_HELD.exec(text);
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
  if (said === 'postponed' && takesPlace(after, context)) return null;
  if (NOT_SAID.test(before)) return null;
  const isNotHeld = verb[1] === undefined;
  const isOfOtherDay = isNotHeld ? isOwnDay(after, context) === false : said === 'cancelled' && isOfLaterDay(after, context);
  if (isOfOtherDay) return null;
  const isEnd = (isNotHeld ? NOT_HELD_END : BARE_END).test(after);
  const subject = before.replace(AUXILIARY, '').trim();
  if (subject === '') {
    if (before !== '') return null;
    if (isNotHeld) return isEnd && /^not held$|\bno meeting\b/.test(verb[0]) ? said : null;
    // A "rescheduled meeting" takes place.
    const isOfMeeting = (said === 'cancelled' || /^\s*[,:;–—-]/.test(after)) && aboutTheMeeting(after.trim(), context, new Set());
    return isEnd || isOfMeeting ? said : null;
  }
  if (/\b(?:special|called) (?:[a-z]+ )?meeting\b|\breinstated\b/.test(after) && isOwnDay(after, context) !== false) return null;
  // "City Council cancelled the lease" is about a lease.
  const namesMeeting = /\b(?:meetings?|session|worksession|briefing|workshop|retreat)\b/.test(subject);
  return (isEnd || (namesMeeting && !isNotHeld)) && aboutTheMeeting(subject, context, new Set()) ? said : null;
}

/** Of a long text, the beginning is read: the patterns that divide it may take the square of its length. */
const MAX_READ = 10_000;

const statementsOf = (text: string, ends: RegExp): string[] => [text, ...text.split(ends)];

export const noticeInComment = (comment: Text, context: NoticeContext): Notice | null =>
  firstNotice(statementsOf((comment ?? '').slice(0, MAX_READ), /[\r\n]+|(?<![ap]\.?m|\bno)[.!?]\s+/i), context);

/** In capitals beside a place, the word is said of the meeting, whatever stands around it. */
const IN_CAPITALS = /(?<!\b(?:NOT|NOT BE|NOT BEEN|MAY BE|IF|UNLESS|PREVIOUSLY)\s)\b(?:CANCELL?ED|POSTPONED|RESCHEDULED)\b/;
const OF_AN_ITEM = /\b(?:cancell?ed|postponed|rescheduled)\W+(?:(?:agenda )?(?:items?|cases?)|executive session|public hearing)\b/i;
/** A part of the meeting, unless the body has its name, before the word. */
const PART =
  /\b(?:(?:executive|closed|work) session|public hearing)s?(?=\W+(?:(?:is|was|has been) )?(?:cancell?ed|postponed|rescheduled)\b)/i;

export function noticeInLocation(location: Text, context: NoticeContext): Notice | null {
  const text = (location ?? '').slice(0, MAX_READ);
  if (OF_AN_ITEM.test(text) || CONDITIONAL.test(text)) return null;
  const part = PART.exec(text)?.[0] ?? '';
  if (part !== '' && !aboutTheMeeting(simplify(part), context, new Set())) return null;
  if (isOfLaterDay(/\bcancell?ed\b(.*)/.exec(simplify(text))?.[1] ?? '', context)) return null;
  return capitalNotice(text, context) ?? firstNotice(statementsOf(text, /[\r\n;|,()*]+|(?<!\s)\s+[-–—]+\s|(?<![ap]\.?m)[.!]\s+/i), context);
}

function capitalNotice(location: string, context: NoticeContext): Notice | null {
  const found = IN_CAPITALS.exec(location);
  if (found === null) return null;
  if (found[0].startsWith('C')) return 'cancelled';
  const after = location.slice(found.index + found[0].length);
  return takesPlace(` ${simplify(after.slice(0, MAX_STATEMENT))}`, context) ? null : 'postponed';
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
