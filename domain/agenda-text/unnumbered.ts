import { isSectionTitle } from '../agenda/heading.ts';
import { beginsWithDeed } from '../agenda/notices.ts';
import {
  beginsNote,
  isEnding,
  isNameOfAgenda,
  isOpening,
  isRuleOfParticipation,
  isStepOrSection,
  isTitleOfOtherPaper,
  isTitleOfPart,
  isTitleOfSession,
} from './agenda-words.ts';
import { anyWord, wordIn } from '../text/patterns.ts';
import { type Layout, isFull } from './layout.ts';
import { fontOfText, isCapitals, isShortRest, letters, type TitleLeads } from './leads.ts';
import { readDays } from './meeting-days.ts';
import type { TextLine } from './text-line.ts';
import { type ReadTitle, readTitle } from './titles.ts';

/** Characters of a title without a number. */
const MAX_TITLE = 160;
/** Lines after the last item in which the end of the meeting is looked for. */
const MAX_TAIL = 80;
/** Lines of text between titles of an agenda without numbers. */
const MAX_BETWEEN = 16;
const EDGE = 4;
/** Steps in one style that show how the titles of an agenda without numbers look. */
const MIN_STEPS = 3;

export interface NumberedPart {
  readonly lines: readonly TextLine[];
  readonly layout: Layout;
  readonly leads: TitleLeads;
  /** True for a line of the title of a numbered item. */
  readonly isTaken: (index: number) => boolean;
  /** True for the first line of an entry of any list. */
  readonly isEntry: (index: number) => boolean;
  /** Indexes of the first lines of numbered items, in order. */
  readonly numbered: readonly number[];
  /** True if a numbered item opens the meeting. */
  readonly hasOpening: boolean;
  /** The left edge of the outermost numbers; null without numbers. */
  readonly edge: number | null;
}

export interface UnnumberedTitle extends ReadTitle {
  /** The title without a speaker or a subject after it. */
  readonly name: string;
  readonly index: number;
  /** True for "Section II - Consent Matters". */
  readonly isSection: boolean;
}

/** A run of capitals before other text: "CONSENT CALENDAR - All matters …". */
function leadingCapitals({ runs }: TextLine): string | null {
  const first = runs[0]!;
  const lead = runs.filter((_, index) => runs.slice(0, index + 1).every(({ font }) => font === first.font));
  if (lead.length === runs.length || first.font === null) return null;
  const text = lead
    .map((run) => run.text)
    .join('')
    .replace(/(?<![\s.:–—-])[\s.:–—-]+$/, '');
  return isCapitals(text) && text.length <= 60 ? text.trim() : null;
}

/** A line above the step that opens the meeting: it names the list, not a section. */
const isListName = (name: string): boolean => /^agenda items?$/i.test(name);
/** The name of a paper that adds items to an agenda. */
const isAddendum = (name: string): boolean => /^(?:supplemental )?addend(?:um|a)\b/i.test(name);
/** A title begins with a capital, or with a time. */
const BEGINNING = /^[“"(*•]?\s?(?:\p{Lu}|\d{1,2}(?::\d\d|\s?[ap]\.?m))/u;
/** True for the rest of a text in brackets that began before. */
function isEndOfBrackets(text: string): boolean {
  const [open, close] = [text.indexOf('('), text.indexOf(')')];
  return close !== -1 && (open === -1 || close < open);
}
const PERMITTED = anyWord('limited invited welcome allowed required asked encouraged');
const VERB = wordIn(`(?:will|shall|may|must|(?:is|are) ${PERMITTED})`);
/** True for a text with an end or a verb, apart from a note in brackets. */
const isSentence = (text: string): boolean =>
  /[.;,]$/.test(text) || isEndOfBrackets(text) || VERB.test(text.split('(', 1)[0]!);
/** True for a text that states a day and nothing else. */
function isDay(text: string): boolean {
  const [day] = readDays(text);
  return day !== undefined && day.index === 0 && day.end >= text.length - 1;
}
/** "Section II - Consent Matters", "PART A: Hearings". */
const SECTION = /^(?:section|part|division)\s(?:[ivx]{1,5}|[a-z]|\d{1,2})\s?[:.–—-]\s(?=\p{Lu})/iu;
/** "Section II - Consent Matters (Items 4 - 24)" names a section like "Consent Matters". */
const nameOfSection = (text: string): string => text.replace(SECTION, '').replace(/\s\([^()]{1,40}\)$/, '');
const isNoTitle = (text: string): boolean => isDay(text) || isNameOfAgenda(text);
const isOtherTitle = (text: string): boolean => isTitleOfPart(text) || isTitleOfOtherPaper(text);

/** False for a title that repeats the one directly above it. */
const isFirstOfSame = ({ text, index }: UnnumberedTitle, at: number, titles: readonly UnnumberedTitle[]): boolean =>
  titles[at - 1]?.text !== text || titles[at - 1]!.end !== index;

type Bounds = readonly [start: number, end: number];

/** Returns the indexes of the lines of titles. */
const coveredBy = (titles: readonly UnnumberedTitle[]): ReadonlySet<number> =>
  new Set(titles.flatMap(({ index, end }) => Array.from({ length: end - index }, (_, at) => index + at)));

export interface UnnumberedPart {
  readonly titles: readonly UnnumberedTitle[];
  /** True if matters of an agenda without numbers cannot be distinguished from other text. */
  readonly isDoubtful: boolean;
}

/** Finds the titles without a number among numbered items, or all titles of an agenda without numbers. */
export class UnnumberedTitles {
  readonly #part: NumberedPart;
  /** Styles of titles that name a step or a section. */
  readonly #styles = new Map<string, number>();
  readonly #font: string | null;

  constructor(part: NumberedPart) {
    this.#part = part;
    this.#font = fontOfText(part.lines);
  }

  read(): UnnumberedPart {
    const all = this.#part.lines.flatMap((_, index) => this.#titleAt(index) ?? []);
    const sure = all.filter(({ name }) => isStepOrSection(name));
    const bounds = this.#bounds(sure);
    const [start, end] = bounds;
    const inside = all.filter(({ index }) => index >= start && index < end);
    const titles = (this.#plainTitles(inside, bounds) ?? this.#markedTitles(inside)).filter(isFirstOfSame);
    return { titles, isDoubtful: this.#isAlone() && this.#missesMatters(titles, bounds) };
  }

  /** True if the agenda has no numbers. */
  #isAlone(): boolean {
    return this.#part.numbered.length === 0;
  }

  /** Titles that name a step or a section, and titles in capitals in their style. */
  #markedTitles(inside: readonly UnnumberedTitle[]): readonly UnnumberedTitle[] {
    for (const { index, name } of inside)
      if (isStepOrSection(name)) {
        const style = this.#styleOf(index);
        this.#styles.set(style, (this.#styles.get(style) ?? 0) + 1);
      }
    return inside.filter((title) => this.#isTitle(title));
  }

  /**
   * All lines of an agenda without numbers whose steps look like every other title: one style, no capitals, and no
   * prose in that style. Null for other agendas.
   */
  #plainTitles(inside: readonly UnnumberedTitle[], [start, end]: Bounds): readonly UnnumberedTitle[] | null {
    if (!this.#isAlone()) return null;
    const steps = inside.filter(({ name }) => isStepOrSection(name));
    const styles = Map.groupBy(steps, ({ index }) => this.#styleOf(index));
    const [style, own] = [...styles].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [null, []];
    if (own.length < MIN_STEPS || own.filter(({ text }) => isCapitals(text)).length > own.length / 2) return null;
    const isTitle = ({ index, name }: UnnumberedTitle): boolean =>
      (this.#styleOf(index) === style && !this.#isNote(index)) || isStepOrSection(name);
    const titles = inside.filter(isTitle);
    const covered = coveredBy(titles);
    for (let index = start; index < end; index += 1)
      if (this.#styleOf(index) === style && !covered.has(index) && !this.#isNote(index)) return null;
    return titles;
  }

  /** True for a line that begins a note on an item, or is below the name of the note. */
  #isNote(index: number): boolean {
    const { lines } = this.#part;
    const above = lines[index - 1]?.text.trim() ?? '';
    return beginsNote(lines[index]!.text) || (beginsNote(above) && above.endsWith(':'));
  }

  /** True if matters stand below the title of a section, or several below another title, and are no titles. */
  #missesMatters(titles: readonly UnnumberedTitle[], [, end]: Bounds): boolean {
    const covered = coveredBy(titles);
    return titles.some(({ name, end: from }, at) => {
      let matters = 0;
      for (let index = from; index < (titles[at + 1]?.index ?? end); index += 1)
        if (!covered.has(index) && this.#beginsParagraph(index) && this.#isMatter(index)) matters += 1;
      return matters > (isSectionTitle(name) ? 0 : 1);
    });
  }

  #isMatter(index: number): boolean {
    const text = this.#part.lines[index]!.text.trim();
    return beginsWithDeed(text) && !isRuleOfParticipation(text) && !this.#isNote(index);
  }

  #isTitle({ text, name, index, isSection }: UnnumberedTitle): boolean {
    if (isTitleOfSession(text)) return false;
    if (isStepOrSection(name) || isSection) return true;
    return isCapitals(text) && (this.#styles.get(this.#styleOf(index)) ?? 0) > 1;
  }

  /** Titles have a font of their own, or stand at the same place. */
  #styleOf(index: number): string {
    const line = this.#part.lines[index]!;
    const { font } = line.runs[0]!;
    const place = this.#isCentered(line) ? 'center' : Math.round(line.x / EDGE);
    return JSON.stringify([font, Math.round(line.size), font === this.#font ? place : null]);
  }

  /** The lines from the first to the last title of the agenda. */
  #bounds(sure: readonly UnnumberedTitle[]): Bounds {
    const { lines, numbered, hasOpening } = this.#part;
    const opening = sure.find(({ name }) => isOpening(name))?.index ?? Infinity;
    let start = Math.min(opening, numbered[0] ?? Infinity);
    const isOpened = opening !== Infinity || hasOpening;
    const reach = isOpened ? 0 : MAX_BETWEEN;
    for (const { index, end, name } of sure.toReversed())
      if (index < start && this.#isNear(end, start, reach) && !(isOpened && isListName(name)) && !isAddendum(name))
        start = index;
    const last = numbered.at(-1) ?? -1;
    const tail = lines.slice(last + 1, last < 0 ? lines.length : last + MAX_TAIL);
    const other = tail.findIndex(({ text, page }, at) => {
      const isAtTop = lines[last + at]?.page !== page;
      return isTitleOfOtherPaper(text) && (isAtTop || !this.#isAlone());
    });
    const limit = last + 1 + (other === -1 ? tail.length : other);
    const ending = sure.find(({ name, index }) => isEnding(name) && index > Math.max(last, start) && index < limit);
    return [start, ending === undefined ? (last < 0 ? limit : last + 1) : ending.index + 1];
  }

  /**
   * Nothing stands between a title and the first item; a few lines where the agenda has no step that opens the meeting.
   */
  #isNear(end: number, start: number, reach: number): boolean {
    const { lines } = this.#part;
    if (reach === 0) return end === start && lines[end - 1]!.page === lines[start]!.page;
    return start - end <= reach && !lines.slice(end, start).some(({ text }) => isNameOfAgenda(text));
  }

  #titleAt(index: number): UnnumberedTitle | null {
    const { lines, layout, leads, isTaken, isEntry, edge } = this.#part;
    const line = lines[index]!;
    if (isTaken(index) || isEntry(index) || !this.#beginsParagraph(index)) return null;
    if (edge !== null && line.x > edge + EDGE && !this.#isCentered(line)) return null;
    const lead = leadingCapitals(line);
    if (lead !== null && isStepOrSection(lead)) {
      const rest = line.text.slice(line.text.indexOf(lead) + lead.length);
      const isWhole = letters(rest) !== '' && isShortRest(rest);
      return { text: isWhole ? line.text.trim() : lead, name: lead, index, end: index + 1, isSection: false };
    }
    const isStart = (at: number): boolean => isEntry(at) || isTaken(at);
    const title = readTitle(lines, index, 0, { layout, leads, isStart });
    const { text } = title;
    if (SECTION.test(text) && text.length <= MAX_TITLE)
      return { ...title, name: nameOfSection(text), index, isSection: true };
    if (
      text.length > MAX_TITLE ||
      !BEGINNING.test(text) ||
      isSentence(text) ||
      isRuleOfParticipation(text) ||
      isNoTitle(text) ||
      (isOtherTitle(text) && !(this.#isAlone() && isSectionTitle(text)))
    )
      return null;
    return { ...title, name: text, index, isSection: false };
  }

  #isCentered({ x, right }: TextLine): boolean {
    const middle = (this.#part.layout.rightEdgeAt(x) + this.#part.layout.leftEdge) / 2;
    return Math.abs((x + right) / 2 - middle) < 15 && x > this.#part.layout.leftEdge + 30;
  }

  #beginsParagraph(index: number): boolean {
    const { lines, layout, isTaken } = this.#part;
    const [above, line] = [lines[index - 1], lines[index]!];
    if (above === undefined || above.page !== line.page || above.isParagraph || isTaken(index - 1)) return true;
    if (line.y - above.y > layout.spacing * Math.max(line.size, above.size)) return true;
    if (Math.abs(line.size - above.size) > 0.12 * line.size) return true;
    if (isCapitals(line.text) !== isCapitals(above.text)) return true;
    return !isFull(above, line, layout.rightEdgeAt(above.x));
  }
}
