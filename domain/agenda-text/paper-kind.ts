import { anyPhrase } from '../text/patterns.ts';
import { isEnding, isOpening, isStep } from './agenda-words.ts';
import type { FoundItem } from './agenda-items.ts';
import type { TextLine } from './text-line.ts';

/** Lines that can contain the name of a paper. */
const NAME_LINES = 40;
/** Characters of a line that is a name. */
const MAX_NAME = 100;

const AGENDA_WORDS = anyPhrase(String.raw`
  agendas?, addendum, docket, order of business, notice of (?:\S+ ){0,5}(?:meeting|hearing|session|workshop)
`);
const AGENDA = new RegExp(String.raw`\b${AGENDA_WORDS}\b`, 'i');
const MINUTES = /\bminutes\b/i;
const OF_MINUTES = /\b(?:approv|accept|adopt|read|consider|review|previous|correct)/i;
/** The lines at the top of a memorandum. */
const [ADDRESSED, SENT] = [/^to\s?:/i, /\bfrom\s?:/i];

/** Items that a list of links has. */
const MANY_LINKS = 5;
/** Times that a list repeats a text: "Previous Versions". */
const OFTEN = 3;
/** Share of the items of a list of links. */
const MOST = 0.6;

/** True for the menus and lists of meetings of a web site, whose entries are links or repeat the same words. */
function isListOfLinks(items: readonly FoundItem[]): boolean {
  if (items.length < MANY_LINKS) return false;
  const times = Map.groupBy(items, ({ title }) => title);
  const links = items.filter(({ isLink, title }) => isLink || times.get(title)!.length >= OFTEN);
  return links.length >= MOST * items.length;
}

/** Returns why a paper is not an agenda; null if it is one. */
export function otherPaperReason(
  head: readonly TextLine[],
  running: readonly TextLine[],
  items: readonly FoundItem[],
): string | null {
  const names = [...head.slice(0, NAME_LINES), ...running].flatMap(({ text }) =>
    text.length <= MAX_NAME ? [text] : [],
  );
  const isNamedAgenda = names.some((name) => AGENDA.test(name));
  const isNamedMinutes = names.slice(0, NAME_LINES).some((name) => MINUTES.test(name) && !OF_MINUTES.test(name));
  if (isNamedMinutes && !names.some((name) => AGENDA.test(name) && !MINUTES.test(name)))
    return 'contains minutes, not an agenda';
  const isHeld = items.some(({ title }) => isOpening(title) || isEnding(title));
  if (!isHeld && isListOfLinks(items)) return 'is a page of links, not an agenda';
  const isMeeting = isHeld || new Set(items.flatMap(({ title }) => (isStep(title) ? [title] : []))).size > 1;
  const isMemorandum = [ADDRESSED, SENT].every((mark) => names.some((name) => mark.test(name.trim())));
  if (isMemorandum && !items.some(({ title }) => isOpening(title)))
    return 'contains a memorandum or a report, not an agenda';
  if (isMeeting) return null;
  return isNamedAgenda ? null : 'is not recognized as an agenda: it has no title of an agenda and no step of a meeting';
}
