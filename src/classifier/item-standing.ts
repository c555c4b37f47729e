import { dateOfDay, localDay } from '../../domain/local-day.ts';
import { type Decision, decisionIn, doneIn } from '../../domain/decision-words.ts';
import type { ClassificationSubject } from '../../domain/ports/classifier.ts';

const OF_OUTCOME = {
  approved: 'approved',
  denied: 'denied',
  continued: 'deferred',
  withdrawn: 'withdrawn',
  no_action: 'no_action',
} as const;

/** What an outcome or the status of the meeting says. To file a matter is an outcome in other words. */
type Ended = (typeof OF_OUTCOME)[keyof typeof OF_OUTCOME] | 'filed' | 'dropped' | 'cancelled' | 'postponed';

/**
 * What became of an item. `handled`: its action or title says it, without an outcome. `open`: the records say nothing of an end, so it may be
 * reported as listed, but never as still to come.
 */
export interface Standing {
  readonly kind: Ended | 'open' | 'past' | 'handled';
  /** The source's own words behind it, where it has any; of a past item the status of its matter, of a handled one its action or title. */
  readonly words: string | null;
  readonly place?: 'action' | 'mark in the title';
}

/** What the words of a standing say too. */
export type Said = Standing['kind'] | Decision;

/** Words that say only where a matter is on its way. */
const UNDER_WAY =
  /^(?:agenda ready|draft|pending|introduced|new|in (?:committee|council|process)|committee|to be \w+|for .*|first reading|passed to agenda|agenda.*)$/i;
/** An end that stands behind a title: "… Boulevard. DROP", "… WITHDRAWN BY APPLICANT". */
const IN_TITLE = /[\s.:;–—-](?:\(|\*+)?(DROP(?:PED)?|DELETED|DEFERRED|WITHDRAWN(?: BY [A-Z ]{3,40})?)\W*$/;

/** Dropped from this agenda only: a further notice follows. */
const RENOTICED = /\bDROP(?:PED)? TO BE RE-?NOTICED\b/;

const kindOf = (words: string): Said => decisionIn(words) ?? 'handled';

/** The outcome with the first words that say the same. To file a matter ends it without a decision; the words say so more exactly. */
function concluded(kind: Ended, texts: readonly (string | null)[]): Standing {
  const said = texts.filter((words) => words !== null);
  const filed = kind === 'no_action' ? said.find((words) => kindOf(words) === 'filed') : undefined;
  if (filed !== undefined) return { kind: 'filed', words: filed };
  return { kind, words: said.find((words) => kindOf(words) === kind || kindOf(words) === 'handled') ?? null };
}

/** The day of the meeting at its place, `YYYY-MM-DD`. */
export const meetingDay = ({ meeting }: ClassificationSubject): string =>
  dateOfDay(localDay(Date.parse(meeting.startsAt), meeting.timezone));

/**
 * From the meeting's status, the outcome, and the words of the source on what was done. The status of the matter is that of now: it may be of
 * another meeting, so that it ends no item. Of a past one it stands beside what the item was listed for.
 */
export function standingOf(subject: ClassificationSubject): Standing {
  const { item, meeting, today = '' } = subject;
  const done = doneIn(item.actionText);
  const named = IN_TITLE.exec(item.title)?.[1] ?? null;
  if (meeting.status === 'cancelled' || meeting.status === 'postponed') return { kind: meeting.status, words: null };
  if (named !== null && RENOTICED.test(item.actionText ?? '')) return { kind: 'dropped', words: null };
  if (item.outcome !== null) return concluded(OF_OUTCOME[item.outcome], [done, named]);
  // Words alone may be those of a vote that failed, so that they are quoted.
  if (done !== null) return { kind: 'handled', words: item.actionText, place: 'action' };
  if (named !== null) return { kind: 'handled', words: named, place: 'mark in the title' };
  // A source may leave a past meeting scheduled for ever.
  if (meeting.status !== 'held' && today <= meetingDay(subject)) return { kind: 'open', words: null };
  return { kind: 'past', words: UNDER_WAY.test(item.matterStatus ?? '') ? null : (item.matterStatus ?? null) };
}

/** What the words of a standing say, be they of the meeting or the status that the matter has now: it withholds statements, and makes none. */
export function saidBy({ kind, words, place }: Standing): Said {
  if (words === null || (kind !== 'past' && kind !== 'handled')) return kind;
  return kindOf(place === 'action' ? (doneIn(words) ?? '') : words);
}

type Stage = 'notice' | 'briefing' | 'public_hearing' | 'recommendation' | 'first_reading' | 'final_reading' | 'final_action' | 'unknown';

const LISTED: Readonly<Record<Stage, string>> = {
  notice: 'listed to call a public hearing',
  briefing: 'listed for a briefing',
  public_hearing: 'listed for a public hearing',
  recommendation: 'listed for a recommendation',
  first_reading: 'listed for a first reading',
  final_reading: 'listed for a final reading',
  final_action: 'listed for a decision',
  unknown: 'listed',
};
const ENDED: Readonly<Record<Ended, string>> = {
  approved: 'approved',
  denied: 'denied',
  no_action: 'no action taken',
  filed: 'filed',
  deferred: 'deferred',
  withdrawn: 'withdrawn',
  dropped: 'dropped from this agenda, to be noticed again',
  cancelled: 'the meeting was cancelled',
  postponed: 'the meeting was postponed',
};

/** What the agenda and the record of an item say of it, true at any later time: body, day, file, and its end or what it is listed for. */
export function standingSentence(subject: ClassificationSubject, { kind, words, place }: Standing, stage: Stage): string {
  const { item, body, jurisdiction } = subject;
  const file = item.matterFile === null ? '' : `, file ${item.matterFile}`;
  const said = words !== null && words.toLowerCase() !== kind ? ` (“${words}”)` : '';
  const end =
    kind === 'open'
      ? LISTED[stage]
      : kind === 'past'
        ? `${LISTED[stage]}; ${words === null ? 'the record gives no outcome' : `the status of the file is “${words}”`}`
        : kind === 'handled'
          ? `${place} “${words}”`
          : `${ENDED[kind]}${said}`;
  return `Agenda of the ${jurisdiction.name} ${body.name}, ${meetingDay(subject)}${file}: ${end}`;
}
