import { dateOfDay, localDay } from '../../domain/local-day.ts';
import { listNamedActs, type Decision, readDecision, extractDecision } from '../../domain/decisions/decision-words.ts';
import type { ClassificationSubject } from '../../domain/ports/classifier.ts';

const OF_OUTCOME = {
  approved: 'approved',
  denied: 'denied',
  continued: 'deferred',
  withdrawn: 'withdrawn',
  no_action: 'no_action',
} as const;

/** Ends of an item, from its outcome or the status of its meeting. Filing a matter is an outcome too. */
type Ended = (typeof OF_OUTCOME)[keyof typeof OF_OUTCOME] | 'filed' | 'dropped' | 'cancelled' | 'postponed';

/**
 * The outcome of an item. `handled`: its action or title shows that it was handled, without an outcome. `open`: the
 * records show no end, so it can be reported as listed, but not as upcoming.
 */
export interface Standing {
  readonly kind: Ended | 'open' | 'past' | 'handled';
  /**
   * The source's own words, if any: the status of the matter for a past item, the action or title for a handled one.
   */
  readonly words: string | null;
  readonly place?: 'action' | 'mark in the title';
}

/** Everything that the words of a standing can mean. */
export type Said = Standing['kind'] | Decision;

/** Words for the place of a matter in the process, without an outcome. */
const UNDER_WAY =
  /^(?:agenda ready|draft|pending|introduced|new|in (?:committee|council|process)|committee|to be \w+|for .*|first reading|passed to agenda|agenda.*)$/i;
/** An outcome after a title: "… Boulevard. DROP", "… WITHDRAWN BY APPLICANT". */
const IN_TITLE = /[\s.:;–—-](?:\(|\*+)?(DROP(?:PED)?|DELETED|DEFERRED|WITHDRAWN(?: BY [A-Z ]{3,40})?)\W*$/;

/** Dropped from this agenda only: a further notice follows. */
const RENOTICED = /\bDROP(?:PED)? TO BE RE-?NOTICED\b/;

const kindOf = (words: string): Said => readDecision(words) ?? 'handled';

/**
 * Returns the outcome with the first words that mean the same. Filing a matter ends it without a decision, and the words
 * describe that more exactly.
 */
function concluded(kind: Ended, texts: readonly { readonly words: string | null; readonly said: Said }[]): Standing {
  const worded = texts.filter(({ words }) => words !== null);
  const filed = kind === 'no_action' ? worded.find(({ said }) => said === 'filed') : undefined;
  if (filed !== undefined) return { kind: 'filed', words: filed.words };
  const isOfIt = (words: string): boolean => [...listNamedActs(words)].every((act) => act === kind);
  return {
    kind,
    words: worded.find(({ words, said }) => said === kind || (said === 'handled' && isOfIt(words!)))?.words ?? null,
  };
}

/** The day of the meeting at its place, `YYYY-MM-DD`. */
export const meetingDay = ({ meeting }: ClassificationSubject): string =>
  dateOfDay(localDay(Date.parse(meeting.startsAt), meeting.timezone));

/**
 * Derives the standing from the meeting's status, the outcome and the source's words about the action. The matter's
 * current status might come from another meeting, so it ends no item. For a past item it appears next to the purpose on
 * the agenda.
 */
export function standingOf(subject: ClassificationSubject): Standing {
  const { item, meeting, today = '' } = subject;
  const done = extractDecision(item.actionText);
  const titleWords = IN_TITLE.exec(item.title)?.[1] ?? null;
  if (meeting.status === 'cancelled' || meeting.status === 'postponed') return { kind: meeting.status, words: null };
  if (titleWords !== null && RENOTICED.test(item.actionText ?? '')) return { kind: 'dropped', words: null };
  if (item.outcome !== null)
    return concluded(OF_OUTCOME[item.outcome], [
      { words: done, said: kindOf(item.actionText ?? '') },
      { words: titleWords, said: kindOf(titleWords ?? '') },
    ]);
  // The words might describe a failed vote, so they are quoted.
  if (done !== null) return { kind: 'handled', words: item.actionText, place: 'action' };
  if (titleWords !== null) return { kind: 'handled', words: titleWords, place: 'mark in the title' };
  // A source might never change the status of a past meeting.
  if (meeting.status !== 'held' && today <= meetingDay(subject)) return { kind: 'open', words: null };
  return { kind: 'past', words: UNDER_WAY.test(item.matterStatus ?? '') ? null : (item.matterStatus ?? null) };
}

/**
 * Returns what the words of a standing say, from the meeting or the matter's current status. It suppresses statements
 * and makes none.
 */
export function saidBy({ kind, words }: Standing): Said {
  if (words === null || (kind !== 'past' && kind !== 'handled')) return kind;
  const [act, further] = listNamedActs(words);
  return readDecision(words) ?? (act !== undefined && further === undefined ? act : 'handled');
}

type Stage =
  | 'notice'
  | 'briefing'
  | 'public_hearing'
  | 'recommendation'
  | 'first_reading'
  | 'final_reading'
  | 'final_action'
  | 'unknown';

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

/**
 * Returns what the agenda and the record say about an item, true at any later time: body, day, file, and its outcome or
 * purpose.
 */
export function standingSentence(
  subject: ClassificationSubject,
  { kind, words, place }: Standing,
  stage: Stage,
): string {
  const { item, body, jurisdiction } = subject;
  const file = item.matterFile === null ? '' : `, file ${item.matterFile}`;
  const quoted = words !== null && words.toLowerCase() !== kind ? ` (“${words}”)` : '';
  const end =
    kind === 'open'
      ? LISTED[stage]
      : kind === 'past'
        ? `${LISTED[stage]}; ${words === null ? 'the record gives no outcome' : `the status of the file is “${words}”`}`
        : kind === 'handled'
          ? `${place} “${words}”`
          : `${ENDED[kind]}${quoted}`;
  return `Agenda of the ${jurisdiction.name} ${body.name}, ${meetingDay(subject)}${file}: ${end}`;
}
