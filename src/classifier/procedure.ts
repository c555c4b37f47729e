import { MONTHS } from '../../domain/months.ts';
import type { ClassificationSubject } from '../../domain/ports/classifier.ts';
import { meetingDay, saidBy, type Standing, type Said } from './item-standing.ts';
import type { NormalizedContent } from '../../domain/records/resources.ts';

type Context = NormalizedContent<'agenda_hits'>['proceduralContext'];

/** These items reach no decision on the day of the agenda, so they have neither a stage nor a next step. */
const NOT_REACHED: ReadonlySet<Said> = new Set(['withdrawn', 'deleted', 'dropped', 'cancelled']);
/** A postponed item or meeting has no decision. */
const PUT_OFF: ReadonlySet<Said> = new Set(['deferred', 'referred', 'no_action', 'postponed']);
/** A body with the power to decide has decided at the hearing, so the hearing is over. */
const DECIDED: ReadonlySet<Said> = new Set(['approved', 'denied']);
const DECIDING: ReadonlySet<Context['proceduralStage']> = new Set(['final_action', 'final_reading']);

/** `unknown` or null without a statement in the records, or where the item has ended before it. */
export function proceduralContext(subject: ClassificationSubject, standing: Standing): Context {
  const { kind } = standing;
  // The status of a matter, and words without an outcome, withhold a stage or a next step. That a recommendation was
  // followed is a decision, either way.
  const decided = saidBy(standing);
  const { item, body } = subject;
  const texts = [item.title, item.text, item.actionText].filter((text) => text !== null);
  const listedFor = proceduralStage(subject);
  const isOver = NOT_REACHED.has(decided);
  const next =
    isOver || kind === 'postponed' ? { nextBodyName: null, nextMeetingDate: null } : nextStep(subject, texts);
  const isFollowed = kind === 'handled' && decided === 'decided';
  const isDecided =
    (DECIDED.has(kind) || isFollowed) &&
    listedFor === 'public_hearing' &&
    body.actingBodyRole === 'final_decision_maker';
  const stage =
    isOver || (PUT_OFF.has(decided) && DECIDING.has(listedFor)) ? 'unknown' : isDecided ? 'final_action' : listedFor;
  return {
    proceduralStage: stage,
    actingBodyRole: REPORT.test(item.matterType ?? '') || isOversight(item) ? 'unknown' : body.actingBodyRole,
    ...next,
    ...publicAction(subject, listedFor, texts, standing, next.nextMeetingDate),
  };
}

/** Returns a calendar day as `YYYY-MM-DD`, or null if there is no such day. */
function calendarDay(year: string, monthName: string, day: string): string | null {
  const time = new Date(Date.UTC(Number(year), MONTHS.indexOf(monthName.toLowerCase()), Number(day)));
  const text = time.toISOString().slice(0, 10);
  return text.startsWith(year) && time.getUTCDate() === Number(day) ? text : null;
}

const DATE = String.raw`(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? )?(?<month>${MONTHS.join('|')}) (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4})`;
/** Words that announce a later meeting on the item itself. */
const ANNOUNCED = new RegExp(
  String.raw`\b(?:(?:hearings?|meeting|session|item|case|reading)(?: [^.;:]{0,80}?)? to be (?:held|heard|considered)|(?:continue|continued|defer|deferred|postpone|postponed|held under advisement|table|tabled|carried over|moved)(?: (?:this|the) (?:item|case|hearing|request))?(?: (?:to|until))(?: the)?|scheduled for (?:consideration|(?:a )?(?:public hearing|second reading|final reading|action))|(?:hearing|meeting|item|case|reading) (?:will|shall) be (?:held|heard|considered|taken up)|second reading|final reading|next (?:meeting|hearing)|public hearings?)(?: (?:by|before) the (?:[A-Z][\w&-]* ?){1,5})?(?:,? on| for|,? at the)?:? ${DATE}`,
  'giu',
);
/** The name of a body, or the short name of a commission or board to which a matter is referred. */
const BODY =
  /\b(?:to be (?:held|heard|considered)|scheduled for (?:consideration|(?:a )?(?:public hearing|action))|(?:will|shall) be (?:held|heard|considered)|(?:referred|forwarded|refer|forward|recommendation|goes|proceed) to)(?: [a-z]+)?(?: (?:by|before|to))? ?the (?<name>(?:[A-Z][\p{L}&'’-]*(?: and | of | & | )?){0,5}(?:Council|Commission|Court|Board|Committee))\b|\b[Rr]eferred to (?:the )?(?<short>\p{Lu}{1,3}[BC])\b/gu;

/** Further days of one announcement: "on May 4, 2026, May 11, 2026, and May 18, 2026". */
const FURTHER = new RegExp(String.raw`,?(?: and)? ${DATE}`, 'iuy');

/** Returns the days that a text announces. */
function announced(text: string): string[] {
  const days: (string | null)[] = [];
  for (const first of text.matchAll(ANNOUNCED)) {
    FURTHER.lastIndex = first.index + first[0].length;
    for (let match: RegExpExecArray | null = first; match !== null; match = FURTHER.exec(text))
      days.push(calendarDay(match.groups?.['year'] ?? '', match.groups?.['month'] ?? '', match.groups?.['day'] ?? ''));
  }
  return days.filter((day) => day !== null);
}

/**
 * Returns the next meeting on an item and its body, if the texts announce one. Ignores days up to the local day of the
 * meeting. Prefers the first day that is not over, else the last one.
 */
function nextStep(
  subject: ClassificationSubject,
  texts: readonly string[],
): Pick<Context, 'nextBodyName' | 'nextMeetingDate'> {
  const dates = texts.flatMap(announced);
  const bodies = texts.flatMap((text) =>
    [...text.matchAll(BODY)].map((match) => (match.groups?.name ?? match.groups?.short ?? '').trim()),
  );
  if (dates.length === 0 && bodies.length === 0) return { nextBodyName: null, nextMeetingDate: null };
  const later = dates.filter((date) => date > meetingDay(subject)).toSorted();
  const next = later.find((date) => date >= (subject.today ?? '')) ?? later.at(-1);
  return { nextBodyName: bodies[0] ?? null, nextMeetingDate: next ?? null };
}

const REGISTRATION =
  /\b(?:register (?:to speak|online|by|at|for the)|registration (?:form|deadline|is required)|sign[- ]up to speak)\b/i;
const CONTACT =
  /\bcontact (?:the )?(?:[A-Z][\w.'’-]* ?){1,5}(?:at|by)\b|\b(?:questions|inquiries)\b.{0,60}\b(?:contact|call|e-?mail)\b/;
const ADDRESS = /\bhttps?:\/\/[^\s<>"”)]+[^\s<>"”).,;]/;

function statedUrl(text: string): string | null {
  const url = URL.parse(ADDRESS.exec(text)?.[0] ?? '');
  return url?.username === '' && url.password === '' ? url.href : null;
}

/**
 * Returns the next step while an item is open: register or ask if the texts say so, comment at a hearing, else attend.
 * After a carried call for a hearing, invites to the hearing until its day is over.
 */
function publicAction(
  { meeting, today = '' }: ClassificationSubject,
  stage: Context['proceduralStage'],
  texts: readonly string[],
  standing: Standing,
  hearing: string | null,
): Pick<Context, 'actionKind' | 'actionUrl'> {
  const isCalled = stage === 'notice' && standing.kind === 'approved' && (hearing === null || hearing >= today);
  if (standing.kind !== 'open' && !isCalled) return { actionKind: 'unknown', actionUrl: null };
  const whole = texts.join('\n');
  const url = statedUrl(whole);
  if (REGISTRATION.test(whole)) return { actionKind: 'registration', actionUrl: url };
  if (CONTACT.test(whole)) return { actionKind: 'staff_contact', actionUrl: url };
  if (stage === 'notice') return { actionKind: 'public_comment', actionUrl: url };
  return {
    actionKind: stage === 'public_hearing' ? 'public_comment' : 'meeting',
    actionUrl: url ?? meeting.sourceUrl,
  };
}

const CALLS_HEARING =
  /^.{0,60}\b(?:authorize|call|set|schedule|order)(?:s|ing)?(?: \(\d\))?(?: (?:a|the|and establish)?)? ?public hearings? (?:to be held|on|for|to)|\bpublic hearings? to be held on\b/i;
const HEARING =
  /^(?:conduct |hold |open )?(?:a )?(?:joint )?public hearing\b|\bconduct (?:a )?public hearing\b|\breceive (?:public )?comments\b/i;
const FINAL_TYPE = /\bfinal adoption\b/i;
const HEARING_TYPE = /\bhearing/i;
const FIRST_READING = /\b(?:first|1st) reading\b/i;
const FINAL_READING = /\b(?:second|third|final|2nd|3rd) (?:and final )?reading\b/i;
/** A hearing on the operation of something, after which the committee recommends nothing. */
const isOversight = ({ matterType }: ClassificationSubject['item']): boolean => /^oversight$/i.test(matterType ?? '');
/** A report that a body only receives. */
const REPORT = /\binformal report\b/i;
const BRIEFING = /\bbriefing|\bwork ?session|\binformal report|\bpresentation\b/i;
const ACTION =
  /^(?:authorize|adopt|approve|ratify|accept|award|deny|an? ordinance|an? resolution|consider(?:ation)?\b|appoint|waive|cancel|terminate|amend|execute|board appointment|discussion and (?:possible )?action)/i;
/** Some sources put the proposed decision into the text on the action. */
const RECOMMENDED = /^(?:as recommended by [^:;]{1,160}?\d{4}[,:]\s*|(?:staff )?recommendation:?\s*)/i;
const CLAUSE = /^(?:\([a-z\d]{1,3}\)\s*)+/i;
const PROPOSES =
  /^(?:adopt|approve|accept|award|authorize|ratify|establish|deny|amend|consider(?:ation)?|report on bids and award)\b/i;
const HEARD = /\bhearing (?:held|on p-c item)\b/i;
const PREFIX = /^(?:\([^)]{2,40}\)\s*|sample:\s*)+/i;

const statedActions = (item: ClassificationSubject['item']): readonly string[] =>
  (item.actions ?? [{ text: item.actionText }]).flatMap(({ text }) => text ?? []);

/**
 * Returns the stage by the item's words, the source's type and the body's role, in this order. A body that only
 * recommends takes no final action.
 */
function proceduralStage({ item, meeting, body }: ClassificationSubject): Context['proceduralStage'] {
  const words = item.title.replace(PREFIX, '');
  const type = item.matterType ?? '';
  if (FINAL_READING.test(words) || FINAL_TYPE.test(type)) return 'final_reading';
  if (FIRST_READING.test(words)) return 'first_reading';
  if (CALLS_HEARING.test(words)) return 'notice';
  if (HEARING.test(words) || HEARING_TYPE.test(type)) return 'public_hearing';
  if (item.outcome !== 'approved' && item.outcome !== 'denied' && statedActions(item).some((text) => HEARD.test(text)))
    return 'public_hearing';
  if (BRIEFING.test(type) || BRIEFING.test(meeting.title)) return 'briefing';
  if (body.actingBodyRole === 'recommending') return isOversight(item) ? 'unknown' : 'recommendation';
  const proposed = (item.actionText ?? '').replace(RECOMMENDED, '').replace(CLAUSE, '');
  const acts =
    ACTION.test(words) ||
    PROPOSES.test(proposed) ||
    item.outcome !== null ||
    /\bzoning case|\bcontract|\bconsent\b|\bordinance|\bresolution/i.test(type);
  return acts && body.actingBodyRole === 'final_decision_maker' ? 'final_action' : 'unknown';
}
