import { anyPhrase } from '../../../domain/text/patterns.ts';
import { oneLine } from '../agendas/values.ts';
import { bodyNameIn, meetingNameIn } from '../listed/listed-reader.ts';
import { dayBefore, withoutAnyDay, withoutDays } from './title-days.ts';

/** A row of a list of papers: one paper of a meeting, with the text next to it. */
export interface PaperRow {
  /** Id of the paper at the source, which stays the same when the paper is replaced. */
  readonly id: number;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly title: string;
  readonly agenda: string | null;
  readonly packet: string | null;
  readonly minutes: string | null;
  /** The agenda as a page, on platforms that have one. */
  readonly html?: string | null;
}

/** The papers of one meeting. */
export interface PaperMeeting {
  /** The lowest id of its papers: the first one that was published. */
  readonly id: number;
  readonly day: string;
  /** Null if the titles name only the paper. */
  readonly title: string | null;
  /** All titles, one per line: one of them can be a notice. */
  readonly titles: string;
  readonly agenda: string | null;
  readonly packet: string | null;
  readonly minutes: string | null;
  /** The agenda as a page. */
  readonly html: string | null;
  /** Agendas that were replaced, translations and supplements. */
  readonly others: readonly string[];
}

const phrases = (list: string): RegExp => new RegExp(String.raw`(?<![\p{L}\d])${anyPhrase(list)}(?![\p{L}\d])`, 'giu');

const TRANSLATION = phrases(
  '(?:in|en) spanish, (?:en )?espa[nñ]ol, spanish(?: (?:version|edition|translation|agenda))?',
);
const PACKET = phrases('(?:agenda )?packets?, board books?');
const SUPPLEMENT = phrases(`
  supplement(?:al|ary|s)?(?: (?:packets?|agendas?|materials?|documents?|information))?, addend(?:um|a),
  (?:additional|late|supporting|back ?up) (?:materials?|information|documents?|items?)
`);
const AMENDED = phrases('(?:amended|revised|updated|corrected|revision|amendment)(?: ?#? ?\\d{1,2})?');
const MINUTES = phrases('(?:approved |draft |meeting )?minutes');
/** Words that name the paper, not the meeting. */
const PAPER = phrases(
  '\\(?pdf\\)?, agendas?, notice of(?: public)? meetings?, final, posted, the, for, of, and, meetings?',
);
const KINDS = [TRANSLATION, PACKET, SUPPLEMENT, AMENDED, MINUTES, PAPER];

/** The form of the file at the end of a title. */
const FORM = / ?\((?:pdf|docx?)\)$/i;

/** Maximum papers of one day that can belong to one meeting. */
const MAX_PAPERS = 40;
/** Maximum characters of a title that are read. */
const MAX_TITLE = 300;

/** The words of a title that distinguish meetings of one body and day. */
function subjectOf(title: string, isMinutes: boolean): string {
  const name = bodyNameIn(title);
  const dayless = isMinutes ? withoutAnyDay(name) : withoutDays(name);
  const named = KINDS.reduce((text, kind) => text.replace(kind, ' '), dayless);
  return oneLine(named.toLowerCase().replace(/[^\p{L}\d]+/gu, ' ')) ?? '';
}

const has = (kind: RegExp, title: string): boolean => title.search(kind) !== -1;

interface ReadRow extends PaperRow {
  readonly subject: string;
  readonly isTranslation: boolean;
  readonly isPacket: boolean;
  readonly isSupplement: boolean;
  readonly isAmended: boolean;
  readonly isMinutes: boolean;
}

function readRow(row: PaperRow): ReadRow {
  const title = row.title.slice(0, MAX_TITLE);
  const isPacket = has(PACKET, title) && row.packet === null;
  const isMinutes = isOfMinutes(row);
  return {
    ...row,
    subject: subjectOf(title, isMinutes),
    isTranslation: has(TRANSLATION, title),
    isSupplement: has(SUPPLEMENT, title),
    isPacket,
    isAmended: has(AMENDED, title),
    isMinutes,
  };
}

const isTitleOfMinutes = (title: string): boolean => has(MINUTES, title) && !/\bagenda\b/i.test(title);
const isOfMinutes = ({ agenda, minutes, title }: PaperRow): boolean =>
  (agenda === null && minutes !== null) || isTitleOfMinutes(title.slice(0, MAX_TITLE));

/**
 * Returns the day of the meeting that a paper belongs to: that of the list, or for minutes an earlier one that the
 * title states. "Meeting Minutes - December 1" can be listed with the meeting that approves them.
 */
export function dayOfPaper({ title, day }: Pick<PaperRow, 'title' | 'day'>): string {
  if (!isTitleOfMinutes(title.slice(0, MAX_TITLE))) return day;
  const titleDay = dayBefore(title, day);
  return titleDay !== null && titleDay < day ? titleDay : day;
}

/** True for a paper that is published in addition to the agenda of a meeting. */
const isFurther = (row: ReadRow): boolean =>
  row.isTranslation || row.isPacket || row.isSupplement || row.isAmended || row.isMinutes;

/**
 * Joins rows of one body and day where a title says that the paper belongs to another one: an amended agenda, a packet,
 * a supplement or minutes of a meeting with the same words, or of the only meeting. Two agendas with the same words are
 * two meetings.
 */
export function joinPapers(rows: readonly PaperRow[]): readonly PaperMeeting[] {
  const groups: ReadRow[][] = [];
  if (rows.length > MAX_PAPERS) return rows.map((row) => meetingOf([readRow(row)]));
  const papers = rows.map(readRow).toSorted((left, right) => left.id - right.id);
  for (const row of papers) if (!isFurther(row)) groups.push([row]);
  const further = papers.filter(isFurther);
  const agendas = groups.length;
  for (const row of further) {
    const same = groups.filter(([first]) => first!.subject === row.subject);
    const only = agendas === 1 && isOfOnlyMeeting(row) ? groups.slice(0, 1) : [];
    const [group, ...others] = same.length > 0 ? same : only;
    if (group === undefined || others.length > 0) groups.push([row]);
    else group.push(row);
  }
  return groups.map(meetingOf);
}

/** A paper in another language, or one that names no meeting. */
const isOfOnlyMeeting = (row: ReadRow): boolean => row.isTranslation || row.subject === '';

/** An "Agenda Packet" that is published alone is the agenda, with its attachments. */
const isAgenda = ({ isPacket, isMinutes, title }: ReadRow): boolean =>
  !isMinutes && (!isPacket || /\bagenda\b/i.test(title));

function meetingOf(rows: readonly ReadRow[]): PaperMeeting {
  const agendas = rows.filter((row) => !row.isTranslation && !row.isPacket && !row.isSupplement && !row.isMinutes);
  const [newest] = agendas.toSorted(
    (left, right) => Number(right.isAmended) - Number(left.isAmended) || right.id - left.id,
  );
  const main = newest ?? rows.find((row) => !row.isTranslation) ?? rows[0]!;
  const minutes = rows.flatMap((row) => row.minutes ?? (row.isMinutes ? (row.agenda ?? []) : []));
  const packets = [main, ...rows].flatMap((row) => row.packet ?? (row.isPacket ? (row.agenda ?? []) : []));
  const agenda = isAgenda(main) ? main.agenda : null;
  const packet = packets.find((file) => file !== agenda) ?? null;
  const papers = [agenda, packet, minutes.at(-1)];
  const all = rows.flatMap((row) => [row.agenda, row.packet, row.minutes].filter((file) => file !== null));
  return {
    id: Math.min(...rows.map(({ id }) => id)),
    day: main.day,
    title: titleOf(main.title),
    titles: rows.map(({ title }) => title.replace(FORM, '')).join('\n'),
    agenda,
    packet,
    minutes: minutes.at(-1) ?? null,
    html: (agenda === null ? null : main.html) ?? null,
    others: [...new Set(all)].filter((file) => !papers.includes(file)),
  };
}

/**
 * The title without the name of the paper at its end, as in "Regular Meeting Agenda (PDF)"; null for one that names
 * only the paper.
 */
function titleOf(title: string): string | null {
  const cut = title.slice(0, MAX_TITLE);
  if (subjectOf(cut, isTitleOfMinutes(cut)) === '') return null;
  return meetingNameIn(title)
    .replace(FORM, '')
    .replace(/ (?:agenda(?: packet)?|packet)$/i, '');
}
