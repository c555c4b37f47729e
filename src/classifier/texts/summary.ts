import { dateInWords } from '../../../domain/months.ts';
import type { ClassificationSubject } from '../../../domain/ports/classifier.ts';
import { anyWord } from '../../../domain/text/patterns.ts';
import { type Ended, meetingDay, type Standing } from '../stage/item-standing.ts';
import type { Stage } from '../stage/stage-words.ts';
import { breaksOf } from './clauses.ts';
import type { Span } from './sentences.ts';
import { titleWordsOf } from './title-words.ts';

/** Length of the words of a title in a summary, in UTF-16 code units. */
export const WORDS_LIMIT = 200;
/** Length behind the limit that decides whether a text can end there, in UTF-16 code units. */
const AHEAD = 30;
/** Number of characters by which an end of each rank may precede an end before a preposition. */
const WORTH = [45, 20, 0, -70] as const;
/** Words and marks at the end of a beginning that belong to what follows. */
const NEEDY = anyWord(`
  and or the an? of for to with by as at not located pertaining associated allowing providing including regarding managed generally amending authorizing approving establishing requiring but limited related relating
  in(?:\\s(?:connection|conjunction|accordance|order|response))? pursuant due \\(?\\d\\)
`);
const OPEN_END = new RegExp(String.raw`(?<![\s,;:–—-])[\s,;:–—-]+(?:${NEEDY}[\s,;:–—-]*)*$`, 'i');

/** All before the last word that begins with a small letter and follows no number, else everything. */
const BEFORE_WORD = /^.*(?<!\d)(?= \p{Ll})|^.*/su;

/** Cuts a text to the limit: between clauses, inside of none of the `whole` spans. Marks a cut inside of a sentence. */
export function shortened(text: string, whole: readonly Span[] = []): string {
  if (text.length <= WORDS_LIMIT) return text;
  const room = text.slice(0, WORDS_LIMIT - 2);
  const worth = breaksOf(text.slice(0, WORDS_LIMIT + AHEAD), whole)
    .filter(({ at }) => at < WORDS_LIMIT)
    .map(({ at, rank }) => ({ at, worth: at + WORTH[rank]! }));
  const best = worth.toSorted((left, right) => right.worth - left.worth)[0]?.at;
  const beginning = (best === undefined ? BEFORE_WORD.exec(room)![0] : text.slice(0, best))
    .replace(OPEN_END, '')
    .trim();
  return /[.!?]$/.test(beginning) ? beginning : `${beginning} …`;
}

const LISTED: Readonly<Record<Stage, string>> = {
  notice: 'Notice of a hearing on the agenda of',
  briefing: 'Briefing',
  public_hearing: 'Public hearing',
  recommendation: 'Up for a recommendation',
  first_reading: 'Up for first reading',
  final_reading: 'Up for final reading',
  final_action: 'Up for a vote',
  unknown: 'On the agenda of',
};
const ENDED: Readonly<Record<Ended, (day: string) => string>> = {
  approved: (day) => `Approved on ${day}`,
  denied: (day) => `Denied on ${day}`,
  no_action: (day) => `No action taken on ${day}`,
  filed: (day) => `Filed on ${day}`,
  deferred: (day) => `Deferred on ${day}`,
  withdrawn: (day) => `Withdrawn from the agenda of ${day}`,
  cancelled: (day) => `Meeting of ${day} canceled`,
  postponed: (day) => `Meeting of ${day} postponed`,
};

/** Returns what happens to an item or what became of it, true at any later time. */
function standingClause({ kind, words, place }: Standing, stage: Stage, day: string): string {
  const listed = `${LISTED[stage]} ${day}`;
  if (kind === 'open') return listed;
  if (kind === 'past')
    return words === null
      ? `${listed}; the record gives no outcome`
      : `${words} (status of the file) · agenda of ${day}`;
  if (kind === 'handled')
    return place === 'action' ? `Action on ${day}: “${words}”` : `Marked “${words}” on the agenda of ${day}`;
  return `${ENDED[kind](day)}${words !== null && words.toLowerCase() !== kind ? ` (“${words}”)` : ''}`;
}

const hasWords = (text: string): boolean => (text.match(/\p{L}{3,}/gu)?.length ?? 0) > 2;

/** Returns the words of the title, with those of the matter or the text behind a title that says nothing. */
function aboutOf({ title, matterName, text }: ClassificationSubject['item'], proposed: string | null): string {
  const own = titleWordsOf(title);
  const further = [matterName, proposed, text?.split('\n')[0]].find((other) => other != null && other !== title);
  return hasWords(own) || further == null ? own : `${own.replace(/(?<![\s.:])[\s.:]+$/, '')}: ${titleWordsOf(further)}`;
}

interface SummaryParts {
  /** The action that the source proposes. */
  readonly proposed: string | null;
  readonly standing: Standing;
  readonly stage: Stage;
  /** Names and amounts, which are not cut. */
  readonly whole: readonly string[];
}

/** Returns the words of the title, then one clause on what happens and the number of the file. */
export function summaryOf(subject: ClassificationSubject, { proposed, standing, stage, whole }: SummaryParts): string {
  const about = aboutOf(subject.item, proposed).normalize('NFC');
  const spans = whole.flatMap((name) => {
    const start = name === '' ? -1 : about.indexOf(name);
    return start < 0 ? [] : [{ start, end: start + name.length }];
  });
  const words = shortened(about, spans);
  const clause = standingClause(standing, stage, dateInWords(meetingDay(subject)));
  const file = subject.item.matterFile === null ? '' : ` · file ${subject.item.matterFile}`;
  return `${words}${/[.!?…]["”)]*$/.test(words) ? '' : '.'} ${clause}${file}`.normalize('NFC').trim();
}
