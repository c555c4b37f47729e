import { AgendaLists } from './agenda-lists.ts';
import { isOpening } from './agenda-words.ts';
import { withoutSideColumns } from './columns.ts';
import { measureLayout } from './layout.ts';
import { letters, type Opening, TitleLeads } from './leads.ts';
import { type Entry, type List, OutlineReader } from './outline.ts';
import type { BodyText } from './running-lines.ts';
import type { TextLine } from './text-line.ts';
import { type ReadTitle, readTitle, type TitleContext } from './titles.ts';
import { type NumberedPart, type UnnumberedTitle, UnnumberedTitles } from './unnumbered.ts';

/** Points by which left edges at one place differ. */
const SAME_EDGE = 4;

export interface FoundItem {
  readonly number: string | null;
  readonly title: string;
  readonly page: number;
  /** Index of its first line. */
  readonly index: number;
  /** Index of the line after its title. */
  readonly end: number;
  /** True if all of its first line is a link. */
  readonly isLink: boolean;
  /** The item that it is counted under. */
  readonly parent: FoundItem | null;
  /** True for "Section II - Consent Matters". */
  readonly isSection: boolean;
}

export interface FoundAgenda {
  /** Ordered as on the agenda. */
  readonly items: readonly FoundItem[];
  /** The lines before the agenda itself, which name the meeting. */
  readonly head: readonly TextLine[];
  /** True if matters without numbers cannot be distinguished from other text. */
  readonly isDoubtful: boolean;
}

function numberOf({ label, list }: Entry, parent: FoundItem | null): string | null {
  if (label.number === '') return null;
  const isWhole = parent?.number == null || label.prefix !== '' || list.isCountedOn;
  return isWhole ? label.number : `${parent.number}.${label.number}`;
}

/** "RS2022-1441", "#23-0028": the number of the matter in a separate column. */
const FILE = /^\s*#?(?:[A-Z]{1,4}\d{0,4}|\d{2,4})-\d{2,5}(?=\s+\S|\s*$)/;

/** Characters of the number of the matter before a title. */
function fileLength({ line: { runs, text }, label }: Entry): number {
  const file = FILE.exec(text.slice(label.length))?.[0];
  if (file === undefined) return 0;
  const length = label.length + file.length;
  let before = 0;
  // The number is a column only if a piece of the line ends with it.
  const isColumn = runs.some(
    (run) => (before += run.text.length) === length || (text.slice(length, before).trim() === '' && before > length),
  );
  return isColumn || /^\s{3,}\S/.test(text.slice(length, length + 40)) ? file.length : 0;
}

const isLink = ({ runs }: TextLine): boolean => runs.every((run) => run.isLink || letters(run.text) === '');

interface Titled extends ReadTitle {
  readonly entry: Entry;
}

/** A list after a title without a number is below that title, not below the number before it. */
function detachLists(lists: Iterable<List>, unnumbered: readonly UnnumberedTitle[], lines: readonly TextLine[]): void {
  for (const list of lists) {
    const first = list.entries[0]!;
    const between = unnumbered.some(
      ({ index }) =>
        index < first.index && index > (list.parent?.index ?? Infinity) && lines[index]!.x <= first.line.x + SAME_EDGE,
    );
    if (between && list.prefix === '') list.parent = null;
  }
}

interface OpenedEntry extends Opening {
  readonly entry: Entry;
}

/** Reads the titles of numbered items. A title that would be empty without the number of a matter contains it. */
function readTitles(
  lines: readonly TextLine[],
  opened: readonly OpenedEntry[],
  context: TitleContext,
): readonly Titled[] {
  return opened.map(({ entry, from }): Titled => {
    const title = readTitle(lines, entry.index, from, context);
    return { entry, ...(title.text === '' ? readTitle(lines, entry.index, entry.label.length, context) : title) };
  });
}

const unnumberedItem = ({ text, index, end, isSection }: UnnumberedTitle, lines: readonly TextLine[]): FoundItem => ({
  number: null,
  title: text,
  page: lines[index]!.page,
  index,
  end,
  isLink: isLink(lines[index]!),
  parent: null,
  isSection,
});

/** Finds the items of an agenda. */
export function findItems({ lines: printed, pageWidth }: BodyText): FoundAgenda {
  const { lines, right } = withoutSideColumns(printed);
  const outline = { pageWidth, lines, ...new OutlineReader(pageWidth).read(lines) };
  const { entries, repeated } = outline;
  const layout = measureLayout(lines, pageWidth, right);
  const accepted = new AgendaLists(outline).read();
  const isEntry = (index: number): boolean => entries.has(index) || repeated.has(index);
  const opened = [...entries.values()]
    .filter(({ list }) => accepted.has(list))
    .map((entry): OpenedEntry => {
      const next = isEntry(entry.index + 1) ? undefined : lines[entry.index + 1];
      return { entry, line: entry.line, from: entry.label.length + fileLength(entry), next };
    });
  const leads = new TitleLeads(lines, opened);
  const titled = readTitles(lines, opened, { layout, leads, isStart: isEntry });
  const { titles, isDoubtful } = findUnnumbered({ lines, layout, leads, isEntry, titled });
  detachLists(accepted, titles, lines);
  const items = [...numberItems(titled), ...titles.map((title) => unnumberedItem(title, lines))].toSorted(
    (left, other) => left.index - other.index,
  );
  return { items, head: lines.slice(0, items[0]?.index ?? lines.length), isDoubtful };
}

/** Numbers each item with the item that it belongs to, which precedes it. */
function numberItems(titled: readonly Titled[]): readonly FoundItem[] {
  const items = new Map<Entry, FoundItem>();
  for (const { entry, text, end } of titled) {
    const parent = entry.list.parent === null ? null : (items.get(entry.list.parent) ?? null);
    const number = numberOf(entry, parent);
    const { line, index } = entry;
    const item = { number, title: text, page: line.page, index, end, isLink: isLink(line), parent, isSection: false };
    items.set(entry, item);
  }
  return [...items.values()];
}

function findUnnumbered({
  titled,
  ...part
}: Pick<NumberedPart, 'lines' | 'layout' | 'leads' | 'isEntry'> & { readonly titled: readonly Titled[] }) {
  const itemIndexes = new Set(
    titled.flatMap(({ entry: { index }, end }) => Array.from({ length: end - index }, (_, at) => index + at)),
  );
  const edges = titled.flatMap(({ entry: { list } }) => (list.parent === null ? [list.entries[0]!.line.x] : []));
  return new UnnumberedTitles({
    ...part,
    isTaken: (index) => itemIndexes.has(index),
    numbered: titled.map(({ entry }) => entry.index),
    hasOpening: titled.some(({ text }) => isOpening(text)),
    edge: edges.length === 0 ? null : edges.reduce((furthest, x) => Math.max(furthest, x), 0),
  }).read();
}
