import {
  type Decision,
  extractDecision,
  listNamedActs,
  readDecision,
} from '../../../domain/decisions/decision-words.ts';
import { anyPhrase } from '../../../domain/text/patterns.ts';
import { dateOfDay, localDay } from '../../../domain/local-day.ts';
import type { ClassificationSubject } from '../../../domain/ports/classifier.ts';

const OF_OUTCOME = {
  approved: 'approved',
  denied: 'denied',
  continued: 'deferred',
  withdrawn: 'withdrawn',
  no_action: 'no_action',
} as const;

/** Ends of an item, from its outcome or the status of its meeting. Filing a matter is an outcome too. */
export type Ended = (typeof OF_OUTCOME)[keyof typeof OF_OUTCOME] | 'filed' | 'cancelled' | 'postponed';

/**
 * Outcome of an item. `handled`: its action or title shows that it was handled, without an outcome. `open`: the
 * records show no end, so it can be reported as listed, but not as upcoming. `past`: its meeting is over.
 */
export interface Standing {
  readonly kind: Ended | 'open' | 'past' | 'handled';
  /** The source's own words, if any: the status of the matter for a past item, else those of the action or title. */
  readonly words: string | null;
  readonly place?: 'action' | 'title';
}

/** Everything that the words of a standing can mean. */
export type Meaning = Standing['kind'] | Decision;

/** Words for the place of a matter in the process, without an outcome. */
const UNDER_WAY = new RegExp(
  `^${anyPhrase('agenda.*, draft, pending, introduced, new, (?:in )?committee, in council, in process, to be \\w+, for .*, first reading')}$`,
  'i',
);
/** An outcome after a title: "… Boulevard. DROP", "… WITHDRAWN BY APPLICANT". */
const END_WORDS = '(DROP(?:PED)?|DELETED|DEFERRED|WITHDRAWN(?: BY [A-Z ]{3,40})?)';
const IN_TITLE = new RegExp(String.raw`[\s.:;–—-](?:\(|\*+)?${END_WORDS}\W*$`);

const meaningOf = (words: string): Meaning => readDecision(words) ?? 'handled';

interface Worded {
  readonly words: string;
  readonly meaning: Meaning;
}

/**
 * Returns the outcome with the first words that mean the same. Filing a matter ends it without a decision, and the
 * words describe that more exactly.
 */
function concluded(kind: Ended, texts: readonly Worded[]): Standing {
  const filed = kind === 'no_action' ? texts.find(({ meaning }) => meaning === 'filed') : undefined;
  if (filed !== undefined) return { kind: 'filed', words: filed.words };
  const namesOnly = (words: string): boolean => [...listNamedActs(words)].every((act) => act === kind);
  const same = ({ words, meaning }: Worded): boolean => meaning === kind || (meaning === 'handled' && namesOnly(words));
  return { kind, words: texts.find(same)?.words ?? null };
}

/** The day of the meeting at its place, `YYYY-MM-DD`. */
export const meetingDay = ({ meeting }: ClassificationSubject): string =>
  dateOfDay(localDay(Date.parse(meeting.startsAt), meeting.timezone));

/**
 * Derives the standing from the meeting's status, the outcome and the source's words about the action. The matter's
 * current status might come from another meeting, so it ends no item.
 */
export function standingOf(subject: ClassificationSubject): Standing {
  const { item, meeting, today = '' } = subject;
  const actionText = item.actionText ?? '';
  const done = extractDecision(actionText);
  const mark = IN_TITLE.exec(item.title)?.[1] ?? null;
  if (meeting.status === 'cancelled' || meeting.status === 'postponed') return { kind: meeting.status, words: null };
  if (item.outcome !== null)
    return concluded(OF_OUTCOME[item.outcome], [
      ...(done === null ? [] : [{ words: done, meaning: meaningOf(actionText) }]),
      ...(mark === null ? [] : [{ words: mark, meaning: meaningOf(mark) }]),
    ]);
  // The words might describe a failed vote, so they are quoted.
  if (done !== null) return { kind: 'handled', words: actionText, place: 'action' };
  if (mark !== null) return { kind: 'handled', words: mark, place: 'title' };
  // A source might never change the status of a past meeting.
  if (meeting.status !== 'held' && today <= meetingDay(subject)) return { kind: 'open', words: null };
  const status = item.matterStatus ?? '';
  return { kind: 'past', words: status === '' || UNDER_WAY.test(status) ? null : status };
}

/** Returns what a standing means by its words. That of a matter's status withholds statements and makes none. */
export function meaningOfStanding({ kind, words }: Standing): Meaning {
  if (words === null || (kind !== 'past' && kind !== 'handled')) return kind;
  const [act, further] = listNamedActs(words);
  return readDecision(words) ?? (act !== undefined && further === undefined ? act : 'handled');
}
