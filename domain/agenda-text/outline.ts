import { type Count, type CountStyle, type Label, readLabel } from './labels.ts';
import { findBareNumbers } from './bare-numbers.ts';
import { isEnding, isOpening } from './agenda-words.ts';
import type { TextLine } from './text-line.ts';

/** A line that begins with a number of a list. */
export interface Entry {
  readonly label: Label;
  /** Index of its line. */
  readonly index: number;
  readonly line: TextLine;
  readonly list: List;
}

/** Numbers that count the same things: "1.", "2.", "3.". */
export interface List {
  readonly entries: Entry[];
  /** The entry that the list belongs to; null for a list of the agenda itself. */
  parent: Entry | null;
  readonly style: CountStyle;
  readonly mark: string;
  readonly prefix: string;
  /** True for lists of several sections that count on from one to the next. */
  isCountedOn: boolean;
}

interface OpenList {
  readonly list: List;
  value: number;
  x: number;
  page: number;
}

/** Points by which the numbers of a list differ in their left edge, because some are right-aligned. */
const SAME_EDGE = 12;
/** The same where a new page may have another margin. */
const SAME_EDGE_OF_PAGES = 36;
/** Points by which the middle of a centered line differs from that of the page. */
const CENTERED = 12;
/** Points within which a list that counts from the start replaces another one. */
const SAME_PLACE = 5;
/** Numbers of an agenda that are missing in a row. */
const MISSING = 4;
/** Lists among which those inside of an earlier entry are looked for. */
const RECENT = 100;
/** Lines between two numbers that begin a list. */
const MAX_BETWEEN = 60;
/** Share of the longest line that a line with a wrapped text has. */
const LONG = 0.75;
/** Characters of a line with the title of a section. */
const MAX_SECTION = 40;
/** Lists that can be continued after a list inside them. */
const SUSPENDED = 12;

interface Suspended {
  readonly open: readonly OpenList[];
  /** Number of lists that were found until then. */
  readonly found: number;
}

interface Unplaced {
  readonly label: Label;
  readonly index: number;
  readonly line: TextLine;
}

interface Candidate {
  readonly open: OpenList;
  readonly count: Count;
  readonly distance: number;
}

/** "III. PETITIONS (CONTINUED)". */
const CONTINUED = /\bcont(?:inued|['’]d|\.)\)?\s*$/i;

interface FoundLists {
  readonly lists: readonly List[];
  readonly entries: ReadonlyMap<number, Entry>;
  /** Lines that repeat an entry: they begin nothing. */
  readonly repeated: ReadonlySet<number>;
}

/** Finds the entries of all numbered lists of a text. */
export class OutlineReader {
  readonly #middle: number;
  readonly #lists: List[] = [];
  /** Lists around the current line, outermost first. */
  #open: OpenList[] = [];
  /** Lists that were left for a list that counts from the start at the same place, latest last. */
  readonly #suspended: Suspended[] = [];
  readonly #entries = new Map<number, Entry>();
  /** Lines that repeat an entry on a further page. */
  readonly #repeated = new Set<number>();
  /** Numbers that continue no list, latest last. */
  #unplaced: Unplaced[] = [];
  /** The right edge of the longest line. */
  #right = 0;
  /** The list of each style that was counted last. */
  readonly #latest = new Map<CountStyle, OpenList>();

  constructor(pageWidth: number) {
    this.#middle = pageWidth / 2;
  }

  read(lines: readonly TextLine[]): FoundLists {
    this.#right = lines.reduce((furthest, { right }) => Math.max(furthest, right), 0);
    const bare = findBareNumbers(lines);
    for (const [index, line] of lines.entries()) {
      const label = readLabel(line) ?? bare.get(index) ?? null;
      if (label !== null && !this.#isWrapped(label, line, lines[index - 1], index)) this.#place(label, index, line);
    }
    return { lists: this.#lists, entries: this.#entries, repeated: this.#repeated };
  }

  /** "E. Main Street", "1.5 minutes" and "R-1 to R-2" within a paragraph. */
  #isWrapped(label: Label, line: TextLine, above: TextLine | undefined, index: number): boolean {
    if (above === undefined || above.page !== line.page || above.isParagraph) return false;
    const isClose = line.y - above.y < 1.6 * line.size && above.right > LONG * this.#right;
    if (!isClose || /[.:;!?]$/.test(above.text.trimEnd())) return false;
    const isSmall = /^\p{Ll}/u.test(line.text.slice(label.length).trimStart());
    if (label.mark === '' && (isSmall || !this.#isNamed(label.prefix))) return true;
    const isLetter = label.mark === '.' && label.number.length === 1 && /[A-Z]/.test(label.number);
    const isAtEdge = Math.abs(above.x - line.x) < 2 && above.right - above.x > 250;
    const isWhole = line.text.slice(label.length).trim() === '';
    const isBelow = isAtEdge && (isWhole || !this.#entries.has(index - 1));
    return isBelow && (isLetter || isSmall || label.mark === '');
  }

  /** True if the latest entry of an open list has the number. */
  #isNamed(number: string): boolean {
    return this.#open.some(({ list }) => list.prefix === number || list.entries.at(-1)?.label.stem === number);
  }

  #place(label: Label, index: number, line: TextLine): void {
    if (CONTINUED.test(line.text.slice(-20)) && this.#repeat(label, index)) return;
    const next = this.#bestOf(this.#open, label, line, 1);
    if (next !== null) return this.#continue(next, label, index, line);
    const first = label.counts.find(({ value }) => value === 1);
    const resumed = first === undefined ? this.#resume(label, line) : null;
    if (resumed !== null) return this.#continue(resumed, label, index, line);
    if (first !== undefined) return this.#start(first, label, index, line);
    const later = this.#bestOf(this.#open, label, line, MISSING);
    if (later !== null) return this.#continue(later, label, index, line);
    if (this.#startInside(label, index, line) || this.#countOn(label, index, line)) return;
    this.#startLate(label, index, line);
  }

  /** True if the line repeats the heading of an open list on a further page. */
  #repeat(label: Label, index: number): boolean {
    const isOpen = this.#open.some(({ list }) => list.entries.at(-1)?.label.number === label.number);
    if (isOpen) this.#repeated.add(index);
    return isOpen;
  }

  /** Two numbers in a row begin a list that does not count from the start: "14." and "15." of an addendum. */
  #startLate(label: Label, index: number, line: TextLine): void {
    const isCounted = this.#open.some(
      ({ list, x }) =>
        Math.abs(x - line.x) <= SAME_PLACE &&
        list.mark === label.mark &&
        label.counts.some(({ style }) => style === list.style),
    );
    if (isCounted) return;
    for (const before of this.#unplaced.toReversed())
      for (const count of label.counts) {
        const first = before.label.counts.find(
          ({ style, value }) => style === count.style && value === count.value - 1,
        );
        const isSame = before.label.mark === label.mark && before.label.prefix === label.prefix && label.prefix === '';
        const isNear = Math.abs(before.line.x - line.x) <= SAME_PLACE && index - before.index <= MAX_BETWEEN;
        if (first === undefined || !isSame || !isNear) continue;
        this.#open = this.#open.filter(({ x }) => x < line.x - SAME_PLACE);
        this.#begin(first, before.label, before.index, before.line);
        return this.#continue({ open: this.#open.at(-1)!, count, distance: 0 }, label, index, line);
      }
    this.#unplaced = [...this.#unplaced.slice(1 - SUSPENDED), { label, index, line }];
  }

  /** Returns the open list that the label continues, the nearest by its left edge. */
  #bestOf(open: readonly OpenList[], label: Label, line: TextLine, missing: number): Candidate | null {
    // The end of the meeting is outside of the lists before it.
    const isEnd = isEnding(line.text.slice(label.length));
    let best: Candidate | null = null;
    for (const list of open) {
      const candidate =
        continues(list, label, line, missing) ?? (missing > 1 ? null : this.#continuesCentered(list, label, line));
      if (candidate !== null && (best === null || isBetter(candidate, best, isEnd))) best = candidate;
    }
    return best;
  }

  /** "C. Roll Call" at the left, then "D. Hearings" in the middle of the page. */
  #continuesCentered(open: OpenList, label: Label, line: TextLine): Candidate | null {
    const isCentered = Math.abs((line.x + line.right) / 2 - this.#middle) < CENTERED && line.x > open.x + SAME_EDGE;
    if (!isCentered || open.list.mark !== label.mark || open.list.prefix !== label.prefix) return null;
    const count = label.counts.find(({ style, value }) => style === open.list.style && value === open.value + 1);
    return count === undefined ? null : { open, count, distance: line.x - open.x };
  }

  #resume(label: Label, line: TextLine): Candidate | null {
    for (let index = this.#suspended.length - 1; index >= 0; index -= 1) {
      const { open, found } = this.#suspended[index]!;
      const candidate = this.#bestOf(open, label, line, 1);
      if (candidate === null) continue;
      this.#insertSince(found, open);
      this.#open = [...open];
      this.#suspended.splice(index);
      return candidate;
    }
    return null;
  }

  /** Lists that interrupted another one at its left edge are inside of it: "5.", "b.", "1.", "2.", "c.". */
  #insertSince(found: number, open: readonly OpenList[]): void {
    const inner = open.at(-1)?.list;
    const outer = inner?.entries.at(-1);
    if (inner === undefined || outer === undefined) return;
    const around = new Set(open.map(({ list }) => list.parent));
    for (const list of this.#lists.slice(found))
      if (list.prefix === '' && around.has(list.parent) && !opensMeeting(list)) list.parent = outer;
  }

  #continue({ open, count }: Candidate, label: Label, index: number, line: TextLine): void {
    this.#open = this.#open.slice(0, this.#open.indexOf(open) + 1);
    open.value = count.value;
    const isCentered = line.x > open.x + SAME_EDGE_OF_PAGES;
    if (!isCentered) open.x = line.x;
    open.page = line.page;
    if (label.prefix === '') this.#latest.set(open.list.style, open);
    this.#add(open.list, label, index, line);
  }

  #start({ style, value }: Count, label: Label, index: number, line: TextLine): void {
    const same = this.#open.findLastIndex(
      ({ list, x }) =>
        list.style === style &&
        isSameMark(list.mark, label.mark) &&
        (list.prefix === '') === (label.prefix === '') &&
        Math.abs(x - line.x) <= SAME_PLACE,
    );
    const isBelow = this.#isBelowStep(style, index) || this.#isBelowFirst(index, line);
    if (isOpening(line.text.slice(label.length)) && !isBelow) {
      // A meeting begins, whatever precedes it.
      this.#suspend();
      this.#open = [];
    } else if (same !== -1 && !this.#hasSibling(style)) {
      this.#suspend();
      this.#open = this.#open.slice(0, same);
    } else if (same === -1) {
      const outer = this.#open.findIndex(({ x, list }, level) => {
        const isInside = level > 0 && line.x > this.#open[level - 1]!.x + SAME_PLACE;
        const isNumberBesideBullet = list.style === 'bullet' && style !== 'bullet' && line.x <= x + SAME_PLACE;
        return isNumberBesideBullet || (x > line.x + SAME_PLACE && !isInside && !isPartOf(label, list));
      });
      if (outer !== -1) {
        this.#suspend();
        this.#open = this.#open.slice(0, outer);
      }
    }
    this.#begin({ style, value }, label, index, line);
  }

  /** True if an earlier entry of the innermost list has a list of the same style inside of it. */
  #hasSibling(style: CountStyle): boolean {
    const inner = this.#open.at(-1)?.list;
    const recent = this.#lists.slice(-RECENT);
    return inner !== undefined && recent.some((list) => list.style === style && list.parent?.list === inner);
  }

  /** "a. Roll Call" below "1. Roll Call": the meeting has begun. */
  #isBelowStep(style: CountStyle, index: number): boolean {
    const list = this.#open.at(-1)?.list;
    const entry = list?.entries.at(-1);
    if (list === undefined || entry === undefined || list.style === style) return false;
    return index - entry.index <= 2 && isOpening(entry.line.text.slice(entry.label.length));
  }

  /** "1. Call to Order" inside of "A. Opening", the first section. */
  #isBelowFirst(index: number, line: TextLine): boolean {
    const entries = this.#open.length === 1 ? this.#open[0]!.list.entries : [];
    const [first] = entries;
    if (first === undefined || entries.length > 1 || index !== first.index + 1) return false;
    return line.x > first.line.x + SAME_PLACE && first.line.text.length <= MAX_SECTION && first.line.page === line.page;
  }

  /** "4.2" belongs to "4" even if "4.1" was not found. */
  #startInside(label: Label, index: number, line: TextLine): boolean {
    if (label.prefix === '') return false;
    const parent = this.#open.findLastIndex(({ list }) => list.entries.at(-1)?.label.stem === label.prefix);
    const count = label.counts.find(({ value }) => value <= MISSING);
    if (parent === -1 || count === undefined) return false;
    this.#open = this.#open.slice(0, parent + 1);
    this.#begin(count, label, index, line);
    return true;
  }

  /** "3." under another section than "2.": the sections share their numbers. */
  #countOn(label: Label, index: number, line: TextLine): boolean {
    for (const count of label.counts) {
      const latest = this.#latest.get(count.style);
      if (latest === undefined || count.value !== latest.value + 1 || count.style === 'bullet') continue;
      if (latest.list.mark !== label.mark || Math.abs(latest.x - line.x) > SAME_PLACE) continue;
      const around = latest.list.parent?.list;
      const outer = this.#open.findIndex(({ x, list }) => x >= line.x - SAME_PLACE && list !== around);
      if (outer !== -1) this.#open = this.#open.slice(0, outer);
      this.#begin(count, label, index, line);
      latest.list.isCountedOn = true;
      this.#open.at(-1)!.list.isCountedOn = true;
      return true;
    }
    return false;
  }

  #begin({ style, value }: Count, label: Label, index: number, line: TextLine): void {
    const { prefix, mark } = label;
    const named =
      prefix === '' ? -1 : this.#open.findLastIndex(({ list }) => list.entries.at(-1)?.label.stem === prefix);
    if (named !== -1) this.#open = this.#open.slice(0, named + 1);
    const parent = this.#open.at(-1)?.list.entries.at(-1) ?? null;
    const list: List = { entries: [], parent, style, mark, prefix, isCountedOn: false };
    this.#lists.push(list);
    const open = { list, value, x: line.x, page: line.page };
    this.#open.push(open);
    if (prefix === '') this.#latest.set(style, open);
    this.#add(list, label, index, line);
  }

  #suspend(): void {
    this.#suspended.push({ open: this.#open, found: this.#lists.length });
    if (this.#suspended.length > SUSPENDED) this.#suspended.shift();
  }

  #add(list: List, label: Label, index: number, line: TextLine): void {
    const entry: Entry = { label, index, line, list };
    list.entries.push(entry);
    this.#entries.set(index, entry);
  }
}

const isBetter = (candidate: Candidate, best: Candidate, isEnd: boolean): boolean =>
  isEnd ? candidate.distance < best.distance : candidate.distance <= best.distance;

const opensMeeting = ({ entries: [first] }: List): boolean => isOpening(first!.line.text.slice(first!.label.length));

/** A number alone in its column has lost its full stop. */
const isSameMark = (one: string, other: string): boolean =>
  one === other || [one, other].every((mark) => mark === '.' || mark === ' ');

const isPartOf = (label: Label, { entries }: List): boolean =>
  label.prefix !== '' && entries.at(-1)?.label.stem === label.prefix;

function continues(open: OpenList, label: Label, line: TextLine, missing: number): Candidate | null {
  const { list, value, x, page } = open;
  if (list.prefix !== label.prefix) return null;
  const count = label.counts.find(
    (own) =>
      own.style === list.style && (list.style === 'bullet' || (own.value > value && own.value <= value + missing)),
  );
  if (count === undefined || (list.mark !== label.mark && (missing > 1 || list.style === 'bullet'))) return null;
  const distance = Math.abs(x - line.x);
  const isNear =
    list.prefix !== '' ||
    distance <=
      (missing > 1 || list.style === 'bullet' ? SAME_PLACE : page === line.page ? SAME_EDGE : SAME_EDGE_OF_PAGES);
  return isNear ? { open, count, distance } : null;
}
