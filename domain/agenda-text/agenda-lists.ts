import { isClosedSession } from '../agenda/steps.ts';
import {
  beginsOtherPaper,
  beginsPart,
  introducesProposal,
  isEnding,
  isOpening,
  isRuleOfParticipation,
  isStep,
  isStepOrSection,
  isTitleOfOtherPaper,
} from './agenda-words.ts';
import type { Entry, List } from './outline.ts';
import type { TextLine } from './text-line.ts';

/** Levels of an agenda. */
const MAX_DEPTH = 4;
/** Lines at the top of a page in which another paper can begin. */
const TOP = 5;
/** Characters of a line that opens a meeting. */
const MAX_OPENING = 80;
/** Lines before a list in which a part of its item is looked for. */
const MAX_PART = 60;
/** Points by which left edges at one place differ. */
const SAME_EDGE = 4;
/** Share of the entries of a list that decides what the list is. */
const SOME = 0.3;
const HALF = 0.5;

const titleOf = ({ line, label }: Entry): string => line.text.slice(label.length).trim();

const share = ({ entries }: List, test: (text: string, entry: Entry) => boolean): number =>
  entries.filter((entry) => test(titleOf(entry), entry)).length / entries.length;

function depthOf(list: List): number {
  let depth = 1;
  for (let parent = list.parent; parent !== null; parent = parent.list.parent) depth += 1;
  return depth;
}

/** True for a list after the end of the meeting. "6.1 Adjourn" and "a. Adjournment" belong to "6. Adjourn". */
const endsBefore = (list: List, parent: Entry): boolean =>
  isEnding(titleOf(parent)) && list.prefix === '' && !isEnding(titleOf(list.entries[0]!));

const endsPart = (text: string): boolean => /;\s*(?:and|or)?$/.test(text);

export interface Outline {
  readonly pageWidth: number;
  readonly lines: readonly TextLine[];
  readonly lists: readonly List[];
  readonly entries: ReadonlyMap<number, Entry>;
}

/** Decides which of the lists of a text count the items of its agenda. */
export class AgendaLists {
  readonly #outline: Outline;
  readonly #accepted = new Set<List>();
  /** Lists of rules for those who take part. */
  readonly #rules = new Set<List>();

  constructor(outline: Outline) {
    this.#outline = outline;
  }

  read(): ReadonlySet<List> {
    for (const list of this.#outline.lists) if (this.#counts(list)) this.#accepted.add(list);
    this.#dropBeforeStart();
    this.#dropOtherPapers();
    this.#dropAfterEnd();
    return this.#accepted;
  }

  #counts(list: List): boolean {
    const { parent } = list;
    if (parent !== null && (!this.#accepted.has(parent.list) || endsBefore(list, parent))) {
      // The steps of a meeting are not inside of another text.
      if (!this.#accepted.has(parent.list) && (share(list, isStep) >= SOME || this.#isBesideRules(list, parent)))
        list.parent = null;
      else return false;
    }
    if (this.#isBesideParent(list)) list.parent = null;
    if (this.#hasRules(list)) {
      this.#rules.add(list);
      return false;
    }
    if (depthOf(list) > MAX_DEPTH) return false;
    if (list.style === 'bullet' && share(list, isStepOrSection) < SOME) return false;
    return list.parent === null || !this.#isPartOfText(list, list.parent);
  }

  /** A list at the left edge of rules does not belong to the last of them. */
  #isBesideRules({ entries, style }: List, { line, list }: Entry): boolean {
    return this.#rules.has(list) && style !== 'bullet' && entries[0]!.line.x <= line.x + SAME_EDGE;
  }

  /** Bullets of steps at the left edge of the entry before them do not belong to it. */
  #isBesideParent(list: List): boolean {
    const { parent, style, entries } = list;
    return (
      parent !== null &&
      style === 'bullet' &&
      entries[0]!.line.x <= parent.line.x + SAME_EDGE &&
      share(list, isStep) >= HALF
    );
  }

  #hasRules(list: List): boolean {
    const { lines, entries } = this.#outline;
    // "3.1" is numbered as an item, whatever it tells the public.
    if (list.prefix !== '') return false;
    const isRule = (_: string, { index, line }: Entry): boolean =>
      isRuleOfParticipation(`${line.text} ${entries.has(index + 1) ? '' : (lines[index + 1]?.text ?? '')}`);
    return share(list, isRule) >= HALF && share(list, isStepOrSection) < SOME;
  }

  #isPartOfText(list: List, parent: Entry): boolean {
    if (list.style === 'bullet') return true;
    if (list.prefix !== '') return false;
    if (parent.label.prefix !== '' && list.style === 'decimal') return true;
    if (isClosedSession(titleOf(parent))) return false;
    return this.#isProposal(list) || share(list, endsPart) >= HALF;
  }

  /** The lines between the list and the entry before it introduce a decision, or a part of the item. */
  #isProposal({ entries: [first], parent }: List): boolean {
    const { lines, entries } = this.#outline;
    const before = first!.index - 1;
    const above = lines[before];
    if (above === undefined) return false;
    if (entries.has(before)) return introducesProposal(above.text) && !isStepOrSection(titleOf(parent!));
    const isInPart = lines.slice(Math.max(parent!.index + 1, first!.index - MAX_PART), first!.index);
    return (
      introducesProposal(above.text) ||
      (above.text.endsWith(':') && introducesProposal(lines[before - 1]?.text ?? '')) ||
      isInPart.some(({ text }) => beginsPart(text))
    );
  }

  #dropBeforeStart(): void {
    // Bullets of steps that do not open the meeting can follow its items.
    const hasStep = ({ entries, style }: List): boolean =>
      entries.some((entry) => (style === 'bullet' ? isOpening : isStepOrSection)(titleOf(entry)));
    const list = [...this.#accepted].find(hasStep)?.entries[0]!.index ?? Infinity;
    const line = this.#outline.lines.findIndex(({ text }) => text.length <= MAX_OPENING && isOpening(text));
    const first = Math.min(list, line === -1 ? Infinity : line);
    if (first === Infinity) return;
    for (const list of this.#accepted) {
      const isBefore = list.entries.at(-1)!.index < first;
      if (isBefore && !list.entries.some(({ index }) => index >= first)) this.#accepted.delete(list);
    }
  }

  /** Drops the lists of a paper that begins at the top of a page after the steps of a meeting. */
  #dropOtherPapers(): void {
    const { lines, entries, pageWidth } = this.#outline;
    const first = [...this.#accepted].find((list) => share(list, isStep) > 0)?.entries[0];
    if (first === undefined) return;
    const isTop = (index: number): boolean => lines[index]!.page !== lines[Math.max(0, index - TOP)]!.page;
    const other = lines.findIndex(
      (line, index) =>
        line.page > first.line.page && isTop(index) && !entries.has(index) && beginsOtherPaper(line, pageWidth),
    );
    const goesOn = (list: List): boolean => list.entries[0]!.index < other && list.entries.at(-1)!.index > other;
    if (other === -1 || [...this.#accepted].some(goesOn)) return;
    for (const list of this.#accepted) if (list.entries[0]!.index > other) this.#accepted.delete(list);
  }

  /** Only a list with the beginning of another meeting belongs to the agenda after the end of the meeting. */
  #dropAfterEnd(): void {
    const tops = [...this.#accepted].filter(({ parent }) => parent === null);
    const ends = tops.flatMap(({ entries }) => entries.slice(-1)).filter((entry) => isEnding(titleOf(entry)));
    const end = ends.reduce<Entry | null>(
      (first, entry) => (first === null || entry.index < first.index ? entry : first),
      null,
    );
    if (end === null) return;
    for (const list of tops) if (list !== end.list && this.#isOfOtherPaper(list, end)) this.#accepted.delete(list);
    for (const list of this.#accepted)
      if (list.parent !== null && !this.#accepted.has(list.parent.list)) this.#accepted.delete(list);
  }

  #isOfOtherPaper({ entries }: List, end: Entry): boolean {
    const start = entries[0]!.index;
    if (start < end.index) return false;
    if (!entries.slice(0, 3).some((entry) => isOpening(titleOf(entry)))) return true;
    return this.#outline.lines.slice(end.index, start).some(({ text }) => isTitleOfOtherPaper(text));
  }
}
