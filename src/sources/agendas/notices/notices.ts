import { anyOf, anyPhrase, anyWord } from '../../../../domain/text/patterns.ts';
import { MAX_RULE_TEXT } from '../../../../domain/text/source-text.ts';
import { DAY, isEarlierDay, isLaterDay, isOtherDay, isOwnDay } from './named-days.ts';
import {
  ABOUT_A_MEETING,
  isAboutTheMeeting,
  lowerCaseEnglish,
  type NoticeContext,
  simplify,
} from './notice-subject.ts';
import type { Text } from '../values.ts';

/** Status of a meeting that does not take place as announced. The source has no field for it, only words. */
export type Notice = 'cancelled' | 'postponed';

const CANCELLED_VERB = String.raw`(?:cancelled|postponed|rescheduled|deferred)`;
const VERB = new RegExp(String.raw`\b${CANCELLED_VERB}\b`);
const MOVES = anyPhrase(String.raw`
  moved, changed, pushed, shifted, reset, (?<=\b(?:meeting|session|is|was|been|be) )(?:delayed|continued)
`);
/** "Moved to December 20": a notice where another day follows, and none before "to Room 5". */
const MOVED = new RegExp(String.raw`\b(?:has )?${MOVES}(?: up| back| out| forward)?(?= (?:from|to|until)\b)`);
/** Does not match "did not meet a quorum". */
const OF_NO_QUORUM = '(?! (?:a |the )?quorum)';
const HAPPEN = anyPhrase(`be (?:held|convened), take place, meet${OF_NO_QUORUM}, convene, occur, happen`);
const NOT = '(?:(?:was|is|were) (?:not|never)|not|never)';
const HELD = anyPhrase('held, convened, called to order, taking place');
const NO_QUORUM_CAUSE = '(?:for|due to|because of) (?:a )?lack of (?:a )?quorum';
/** "will not take place", "was not held", "unable to meet", "failed due to lack of quorum", "no meeting". */
const NOT_HELD = new RegExp(
  [
    String.raw`\b(?:will|shall|could|can|did|does) not ${HAPPEN}\b`,
    String.raw`\b${NOT} (?:being )?${HELD}\b|\bis not meeting\b`,
    String.raw`\b(?:was |were |is )?unable to (?:convene|meet|be held)\b`,
    String.raw`\bfailed (?:to (?:convene|meet|take place|occur)\b${OF_NO_QUORUM}|(?=${NO_QUORUM_CAUSE}))`,
    String.raw`(?:^(?:there (?:will be|is) )?|[–:-] )no meeting(?: (?:will be |was )?held)?\b`,
  ].join('|'),
);
const NOUN = /\b(cancell?ation|postponement)\b/;
/** Words before the verb that make the change only possible, or no longer true. */
const NOT_SAID = /\b(?:(?:may|might|could|can|would) be|previously|formerly|no longer|not|never)$/;
const AUXILIARIES = anyPhrase('(?:has|have) (?:hereby |now )?been, is(?: hereby| now| being)?, was, will be, are');
/** "has hereby been", "will be" at the end of "the meeting will be". */
const AUXILIARY = new RegExp(String.raw`(?:^|\s)${AUXILIARIES}$`);
const OPENING =
  /^(?:(?:please )?(?:note|be advised)(?: that)?|attention|update|notice(?: of cancell?ation)?)\b[\s:,–—-]*/;
/** "- and", ", " after a first clause. */
const NEXT_CLAUSE = String.raw`[\s,.:;–—-]+(?:(?:and|so)\s+)?`;
const REACHED = '(?:present|met|reached|achieved|established|obtained)';
/** "Due to the weather,", "No quorum -", "There was no quorum and". */
const REASON_FIRST = new RegExp(
  [
    String.raw`^(?:due to|because(?: of)?|owing to|as|since)\b[^,]{1,80},\s*`,
    String.raw`^(?:there (?:was|is|will be) )?(?:no|not a|lack of(?: a)?) quorum(?: present)?${NEXT_CLAUSE}`,
    String.raw`^(?:a )?quorum (?:was|is) not ${REACHED}${NEXT_CLAUSE}`,
  ].join('|'),
);

/** Conditions before the verb count only if they are "if" or "unless"; not "if you have questions". */
const IF = String.raw`if(?! (?:you|any|questions)\b)|unless`;
const CONDITIONS = new RegExp(String.raw`\b(?:(${IF})|in case|in the event|should there)\b`, 'g');
const CHANGES = anyWord(
  'cancell?ed postponed rescheduled deferred moved changed pushed shifted reset delayed continued',
);
const VERBS = new RegExp(String.raw`\b${CHANGES}\b`, 'g');

/**
 * A condition before or after the verb, in one phrase: "will be cancelled if there is no quorum", not "cancelled, if
 * you have questions call …".
 */
const isConditional = (text: string): boolean =>
  lowerCaseEnglish(text)
    .split(/[.:;!?\r\n–—-][\s.:;!?–—-]*/)
    .some(isConditionalPhrase);

function isConditionalPhrase(phrase: string): boolean {
  const [verb] = phrase.matchAll(VERBS);
  const condition = [...phrase.matchAll(CONDITIONS)].at(-1);
  if (verb === undefined || condition === undefined) return false;
  // The end of a parenthesis ends the reach of a condition in it.
  return verb.index < condition.index || phrase.split(')').some(isConditionFirst);
}

function isConditionFirst(part: string): boolean {
  const condition = [...part.matchAll(CONDITIONS)].find(([, first]) => first !== undefined);
  const verb = [...part.matchAll(VERBS)].at(-1);
  return condition !== undefined && verb !== undefined && condition.index < verb.index;
}

const GAP = String.raw`[\s.,:;–—-]*`;
const NAME_OF_DAY = anyPhrase(String.raw`
  election, christmas, thanksgiving, veterans, memorial, labor, independence, presidents'?, mlk,
  king,?(?: jr\.?)?, columbus, good
`);
/** "veterans day", "good friday", "spring break". */
const HOLIDAY = `(?:${NAME_OF_DAY} (?:day|friday)|thanksgiving|christmas|juneteenth|spring break)`;
const EVENT = anyPhrase(`
  quorum, weather, storms?, ice, snow, flood(?:ing)?, power outage, holidays?, ${HOLIDAY}, recess, emergency
`);
/** "winter weather" at the end, or before a date. */
const CAUSE = String.raw`(?:(?:[a-z']+ ){0,2}${EVENT}(?=${GAP}(?:$|\d)))`;
const NO_BUSINESS = String.raw`no (?:agenda(?: items)?|items|business)(?=${GAP}$)`;
const NO_QUORUM = [
  '(?:a )?quorum (?:was |is )?not (?:met|present)',
  '(?:for |a )?lack',
  '(?:no|for|want of|without a) quorum',
].join('|');
const REASON = anyOf(
  `due|because|owing|${NO_BUSINESS}|${NO_QUORUM}|(?:in )?observance|${CAUSE}`,
  String.raw`(?:[a-z']+ ){0,2}quorum${GAP}(?:$|\W\s)`,
);
/** Only a reason follows the statement. */
const END = String.raw`${GAP}(?:$|${REASON})`;
/** "for two weeks", "3 days". */
const A_WHILE = String.raw`(?:for )?(?:an?|one|two|three|four|\d+) (?:days?|weeks?|months?)`;
const GOES_ON = `by|per|until|to|as|${A_WHILE}|(?:and )?(?:will|rescheduled|postponed|deferred|moved)|see|next meeting`;
/** Words after the verb that do not turn it to another subject: a reason, another day, the day of the notice. */
const BARE_END = new RegExp(String.raw`^${END}|^${GAP}(?:${DAY}${END}|(?:${GOES_ON})\b)`);
/** The same after "not held"; another place or form does not match. */
const NOT_HELD_END = new RegExp(
  String.raw`^${END}|^${GAP}(?:(?:this (?:week|month|day)|today|tonight)\b|${DAY}${END})`,
);
const TIME = String.raw`(?:\d{1,2}(?::\d{2})?\s?[ap]m\b|\d{1,2}:\d{2}\b|noon\b|(?:a )?later time\b)`;
const TO_TIME = String.raw`(?:(?:to|until|till|at|begin|start|today)\s+)*${TIME}`;
const TO_ROOM = String.raw`to\s+(?:the\s+)?(?:today|room|city hall|council chambers?)\b`;
const BY_HOURS = String.raw`(?:by|for)\s+(?:an?|one|two|three|half an|\d+)\s+(?:hours?|minutes?)\b`;
/** A change on the day itself: "to 2:00 pm", "by one hour", "to Room 6ES". */
const ON_THE_DAY = new RegExp(`^${GAP}(?:${TO_TIME}|${TO_ROOM}|${BY_HOURS})`);
const LATER = [
  '(?:a|some) (?:later|new|different|future) (?:date|day)|another (?:date|day)|tomorrow',
  '(?:next|following) (?:day|week|month|[a-z]+day|(?:regular |scheduled )?meeting)',
].join('|');
/** "Tuesday at", "Tuesday" at the end; not "Tuesday meeting". */
const WEEKDAY = String.raw`[a-z]+day(?=[\s,]*(?:$|at\b|\d|the\b))`;
/** A day after "moved to": "March 31", "2:00 pm on the following Tuesday". */
const MOVED_DAY = new RegExp(String.raw`^\s*(?:${TIME}(?:,| on)?\s)?(?:on )?(?:the )?(?:${DAY}|${LATER}|${WEEKDAY})`);

const OF_DAY = new RegExp(String.raw`^${GAP}${DAY}`);

/** True if the words after "cancelled" begin with a later day, which is that of another meeting. */
const isOfLaterDay = (after: string, context: NoticeContext): boolean =>
  isLaterDay(OF_DAY.exec(after)?.[0] ?? '', context);

/** True if a meeting that is "postponed" or "rescheduled" with these words still takes place on its day. */
function takesPlace(after: string, context: NoticeContext): boolean {
  const [from = '', to = ''] = after.split(/\b(?:to|until)\b(.*)/s);
  if (/^\s*from\b/.test(after)) {
    const isFromOwnDay = isOwnDay(from, context);
    return isFromOwnDay === null ? (isOwnDay(to, context) ?? !isOtherDay(to, context)) : !isFromOwnDay;
  }
  return (
    isOwnDay(to, context) ??
    (ON_THE_DAY.test(after) && isOwnDay(after, context) !== false && !isOtherDay(after, context))
  );
}

/** True for "rescheduled 3/16" of a meeting on March 24: it was moved to March 24. */
const isMovedHere = (verb: string, after: string, context: NoticeContext): boolean =>
  verb.toLowerCase() === 'rescheduled' &&
  !/\b(?:to|until)\b/.test(after) &&
  isEarlierDay(OF_DAY.exec(after)?.[0] ?? '', context);

/** True if the words after "moved" name another day than the meeting's. */
function isMovedToOtherDay(after: string, context: NoticeContext): boolean {
  const [, to = ''] = after.split(/\b(?:to|until)\b(.*)/s);
  const day = MOVED_DAY.exec(to)?.[0];
  return (
    day !== undefined &&
    !takesPlace(after, context) &&
    (isOwnDay(day, context) === false || /\bda(?:te|y)\b/.test(day) || isOtherDay(day, context))
  );
}

/** True for " of item 5 - regular meeting" after "cancellation": the canceled thing is not a meeting. */
function isOfAnotherThing(after: string, context: NoticeContext): boolean {
  const object = /^(?: notice)? (?:of|for) (.*)$/s.exec(after.split(/ [–-] /)[0] ?? '')?.[1];
  return (
    object !== undefined && !ABOUT_A_MEETING.test(object) && !isAboutTheMeeting(object, { ...context, title: null })
  );
}

const NO_QUORUM_AT_ALL = String.raw`no quorum\W{0,3}$`;
/** "No quorum": the meeting did not take place. */
const ONLY_NO_QUORUM = new RegExp(String.raw`^\W{0,3}${NO_QUORUM_AT_ALL}`);
/** "Parks Board - 2/10/2026 - No Quorum". */
const NAME_WITHOUT_QUORUM = new RegExp(String.raw` [–—-] ${NO_QUORUM_AT_ALL}`);

/** The notice in a statement without a verb: "Notice of cancellation". */
function noticeByNoun(text: string, context: NoticeContext): Notice | null {
  if (ONLY_NO_QUORUM.test(text) || (context.isName === true && NAME_WITHOUT_QUORUM.test(text))) return 'cancelled';
  const noun = NOUN.exec(text);
  if (noun === null) return null;
  const notice = noun[1] === 'postponement' ? 'postponed' : 'cancelled';
  if (/^(?:notice of )?(?:cancell?ation|postponement)(?: notice)?\W*$/.test(text)) return notice;
  if (isOfAnotherThing(text.slice(noun.index + noun[0].length), context)) return null;
  return isAboutTheMeeting(text, context, new Set(['notice', 'cancellation', 'cancelation', 'postponement']))
    ? notice
    : null;
}

type Verb = 'cancelled' | 'postponed' | 'deferred' | 'moved' | 'not held';

function verbIn(text: string) {
  const verb = VERB.exec(text);
  if (verb !== null) return { match: verb, verb: (verb[0] === 'rescheduled' ? 'postponed' : verb[0]) as Verb };
  const notHeld = NOT_HELD.exec(text);
  if (notHeld !== null) return { match: notHeld, verb: 'not held' as const };
  const moved = MOVED.exec(text);
  return moved === null ? null : { match: moved, verb: 'moved' as const };
}

/** True if, by the words after the verb, the meeting still takes place on its day or another meeting is meant. */
function isOfOtherMeeting(verb: Verb, after: string, context: NoticeContext): boolean {
  if (verb === 'not held') return isOwnDay(after, context) === false;
  // "The meeting cancelled on December 8 will be held on December 15."
  const isHeld = isOwnDay(/\bwill be held\b(.*)/s.exec(after)?.[1] ?? '', context) === true;
  if (verb === 'cancelled') return isHeld || isOfLaterDay(after, context);
  return verb === 'moved' ? !isMovedToOtherDay(after, context) : takesPlace(after, context);
}

/** True if words without a subject are about the meeting: "Cancelled due to weather", "Cancelled: regular meeting". */
function isVerbOfTheMeeting(verb: Verb, after: string, context: NoticeContext): boolean {
  if (verb === 'moved') return true;
  if (verb === 'not held') return NOT_HELD_END.test(after);
  // A "rescheduled meeting" still takes place.
  const [firstName = ''] =
    verb === 'cancelled' ? [after] : /^\s*[,:;–—-]/.test(after) ? after.split(/\b(?:to|until)\b/) : [];
  return BARE_END.test(after) || isAboutTheMeeting(firstName.trim(), context);
}

/** Statements are short; a longer text is about more than the meeting. */
const MAX_STATEMENT = 1000;

/** Returns the notice of a statement about the meeting; null for a statement without one or about something else. */
export function noticeIn(statement: string, context: NoticeContext): Notice | null {
  if (statement.length > MAX_STATEMENT) return null;
  const text = simplify(statement).replace(REASON_FIRST, '');
  const predicate = verbIn(text);
  if (predicate === null) return noticeByNoun(text, context);
  const { match, verb } = predicate;
  const notice: Notice = verb === 'cancelled' || verb === 'not held' ? 'cancelled' : 'postponed';
  const before = text
    .slice(0, match.index)
    .replace(OPENING, '')
    .trim()
    .replace(/(?<![\s:,–—-])[\s:,–—-]+$/, '');
  const after = text.slice(match.index + match[0].length);
  if (NOT_SAID.test(before) || isConditional(statement)) return null;
  if (isOfOtherMeeting(verb, after, context) || isMovedHere(match[0], after, context)) return null;
  const subject = before.replace(AUXILIARY, '').trim();
  if (subject === '') return before === '' && isVerbOfTheMeeting(verb, after, context) ? notice : null;
  if (/\b(?:special|called) (?:[a-z]+ )?meeting\b|\breinstated\b/.test(after) && isOwnDay(after, context) !== false)
    return null;
  const isEnd = verb === 'moved' || (verb === 'not held' ? NOT_HELD_END : BARE_END).test(after);
  // "City Council cancelled the lease" is about a lease, "The meeting deferred item 5" about an item.
  const isPassive = (verb === 'cancelled' || verb === 'postponed') && ABOUT_A_MEETING.test(subject);
  return (isEnd || isPassive) && isAboutTheMeeting(subject, context) ? notice : null;
}

/** The shortest statements are "canceled" and "not held". */
const MIN_STATEMENT = 8;

function firstNotice(text: string, ends: RegExp, context: NoticeContext): Notice | null {
  for (const statement of new Set([text, ...text.split(ends)])) {
    const notice = statement.length < MIN_STATEMENT ? null : noticeIn(statement, context);
    if (notice !== null) return notice;
  }
  return null;
}

export const noticeInComment = (comment: Text, context: NoticeContext): Notice | null =>
  firstNotice((comment ?? '').slice(0, MAX_RULE_TEXT), /[\r\n]+|(?<![ap]\.?m|\bno)[.!?]\s+/i, context);

const SPANISH_CAPITALS = '(?:CANCELAD|SUSPENDID|POSPUEST|APLAZAD|POSTERGAD|REPROGRAMAD)[OA]S?';
const DENIED =
  'NOT|NOT BE|NOT BEEN|NO LONGER|NEVER|MAY BE|MIGHT BE|COULD BE|IF|UNLESS|PREVIOUSLY|FORMERLY|NO|NO HA SIDO|PUEDE SER|PODR[IÍ]A SER';
const CANCELLED_CAPITALS = 'CANCELL?ED|CANCELAD[OA]S?|SUSPENDID[OA]S?';
/** A word in capitals next to a place is about the meeting, whatever the other words are. */
const IN_CAPITALS = new RegExp(
  String.raw`(?<!\b(?:${DENIED})\s)\b(?:(${CANCELLED_CAPITALS})|POSTPONED|RESCHEDULED|${SPANISH_CAPITALS})\b`,
);
const BE = String.raw`(?:(?:is|are|was|were|has been|have been) )?`;
const AN_ITEM = '(?:(?:agenda )?(?:items?|cases?)|executive session|public hearing)';
const ITEMS = String.raw`(?:items?|cases?)(?: \d{1,4}[a-z]?(?:,| and| &)?){1,9}`;
/** "Cancelled: item 5", "Items 3 and 4 cancelled". */
const OF_AN_ITEM = new RegExp(
  String.raw`\b${CANCELLED_VERB}\W+${AN_ITEM}\b|\b${ITEMS}(?: [–-])? ${BE}${CANCELLED_VERB}\b`,
);
const A_PART = '(?:(?:executive|closed) session|worksession|public hearing)s?';
/** A part of the meeting, unless the body has its name, before the word. */
const PART = new RegExp(String.raw`\b${A_PART}(?=\W+${BE}${CANCELLED_VERB}\b)`);

export function noticeInLocation(location: Text, context: NoticeContext): Notice | null {
  // The comma of "January 5, 2027" ends no statement.
  const text = (location ?? '').slice(0, MAX_RULE_TEXT).replace(/(?<=\b\d{1,2}),(?=\s?(?:19|20)\d\d\b)/g, '');
  const simplified = simplify(text);
  if (OF_AN_ITEM.test(simplified) || isConditional(text)) return null;
  const part = PART.exec(simplified)?.[0] ?? '';
  if (part !== '' && !isAboutTheMeeting(part, context)) return null;
  if (isOfLaterDay(/\bcancelled\b(.*)/.exec(simplified)?.[1] ?? '', context)) return null;
  return (
    capitalNotice(text, context) ?? firstNotice(text, /[\r\n;|,()*]+|(?<!\s)\s+[-–—]+\s|(?<![ap]\.?m)[.!]\s+/i, context)
  );
}

function capitalNotice(location: string, context: NoticeContext): Notice | null {
  const capitals = IN_CAPITALS.exec(location);
  if (capitals === null) return null;
  if (capitals[1] !== undefined) return 'cancelled';
  const after = ` ${simplify(location.slice(capitals.index + capitals[0].length).slice(0, MAX_STATEMENT))}`;
  return takesPlace(after, context) || isMovedHere(capitals[0], after, context) ? null : 'postponed';
}

/** The notice in a status name, which refers to the meeting only. */
export function noticeInStatusName(name: Text): Notice | null {
  const text = simplify((name ?? '').slice(0, MAX_RULE_TEXT));
  if (/\b(?:not|un|no longer)\b/.test(text)) return null;
  if (/\bcancell?(?:ed|ation)\b/.test(text)) return 'cancelled';
  return /\b(?:postponed|postponement|rescheduled)\b/.test(text) ? 'postponed' : null;
}
