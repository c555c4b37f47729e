import type { TextLine } from './text-line.ts';

/** Wrapped lines of a column that show where it ends. */
const MIN_WRAPPED = 2;
/** Wrapped lines that show where the text of a document ends. */
const MANY_WRAPPED = 6;
/** Share of the lines that end within the text, apart from outliers. */
const ALL_BUT_FEW = 0.97;
/** Points by which left edges of one column differ. */
const EDGE = 4;
/** Line spacing, as a share of the font size, that is within a paragraph of any document. */
const USUAL_SPACING = 1.45;
const MAX_SPACING = 2.4;
/** Share of a line that stays empty where a text wraps: words are not divided. */
const SPARE = 0.05;
/** The same for lines below the first word of a title, which belong to it by their place. */
export const SPARE_OF_HANGING = 0.15;

/** Right edge and spacing of the lines of a document. */
export interface Layout {
  /** The right edge of the text that begins at `x`. */
  readonly rightEdgeAt: (x: number) => number;
  /** True if enough wrapped lines show where the text ends. */
  readonly isMeasured: boolean;
  /** The greatest distance between two lines of a paragraph, as a share of the font size. */
  readonly spacing: number;
  /** The left edge of the text. */
  readonly leftEdge: number;
}

const columnOf = (x: number): number => Math.round(x / EDGE);

/** The left edges at which text of a line can begin: the line, and what follows its number. */
function leftEdges({ x, runs }: TextLine): readonly number[] {
  const second = runs[1];
  return second !== undefined && second.x - x < 80 ? [x, second.x] : [x];
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function typicalSpacing(lines: readonly TextLine[]): number {
  const spacings = lines.slice(1).flatMap((line, index) => {
    const above = lines[index]!;
    const distance = (line.y - above.y) / line.size;
    return above.page === line.page && distance > 0.8 && distance < 3 && line.right - line.x > 200 ? [distance] : [];
  });
  return median(spacings);
}

/** The lines of a paragraph that the next line continues in lower case: they end where the column ends. */
function isWrapped(line: TextLine, next: TextLine | undefined): boolean {
  if (next === undefined || line.isParagraph || next.page !== line.page) return false;
  return next.y - line.y < MAX_SPACING * line.size && next.x <= line.x + 80 && /^\p{Ll}/u.test(next.text.trimStart());
}

/** The greatest value apart from few outliers. */
function mostOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * ALL_BUT_FEW))] ?? 0;
}

/** Margins are equal unless a line is longer. */
function rightEdgeOfPages(lines: readonly TextLine[], pageWidth: number): number {
  const left = lines.reduce((least, { x }) => Math.min(least, x), Infinity);
  return Math.max(mostOf(lines.map(({ right }) => right)), pageWidth - left);
}

interface Column {
  readonly rights: number[];
  wrapped: number;
}

/** Returns the right edge of each column that wrapped lines show, and that of other text. */
function measureRightEdge(lines: readonly TextLine[], limit: number): Pick<Layout, 'rightEdgeAt' | 'isMeasured'> {
  const columns = new Map<number, Column>();
  const wrapped: number[] = [];
  for (const [index, line] of lines.entries()) {
    const isEvidence = isWrapped(line, lines[index + 1]);
    if (isEvidence) wrapped.push(line.right);
    for (const x of leftEdges(line)) {
      const column = columns.get(columnOf(x)) ?? { rights: [], wrapped: 0 };
      column.rights.push(line.right);
      if (isEvidence) column.wrapped += 1;
      columns.set(columnOf(x), column);
    }
  }
  const isMeasured = wrapped.length >= MANY_WRAPPED;
  const usual = isMeasured ? Math.min(limit, mostOf(wrapped)) : limit;
  const edges = new Map<number, number>();
  const rightEdgeAt = (x: number): number => {
    const cachedEdge = edges.get(columnOf(x));
    if (cachedEdge !== undefined) return cachedEdge;
    const near = [-1, 0, 1].flatMap((shift) => columns.get(columnOf(x) + shift) ?? []);
    const isKnown = near.reduce((sum, column) => sum + column.wrapped, 0) >= MIN_WRAPPED;
    const edge = isKnown ? Math.min(limit, mostOf(near.flatMap(({ rights }) => rights))) : usual;
    edges.set(columnOf(x), edge);
    return edge;
  };
  return { rightEdgeAt, isMeasured };
}

/** Measures the layout of a text. A column next to the titles begins at `columnEdge`. */
export function measureLayout(lines: readonly TextLine[], pageWidth: number, columnEdge: number | null): Layout {
  const limit = columnEdge ?? rightEdgeOfPages(lines, pageWidth);
  const spacing = Math.min(MAX_SPACING, Math.max(USUAL_SPACING, 1.15 * typicalSpacing(lines)));
  const leftEdge = lines.reduce((least, { x }) => Math.min(least, x), Infinity);
  return { ...measureRightEdge(lines, limit), spacing, leftEdge };
}

const UNFINISHED = /(?:[,&–—-]|\b(?:a|an|and|as|at|by|for|from|in|of|on|or|the|to|with|no\.|section|between))$/i;

/** True if the text cannot end here: "…, and". */
export const isUnfinished = (text: string): boolean =>
  UNFINISHED.test(text.slice(-20).trimEnd()) || text.lastIndexOf('(') > text.lastIndexOf(')');

/** True if the first word of the next line had no room at the end of the line. */
export function isFull(line: TextLine, next: TextLine, rightEdge: number, spare = SPARE): boolean {
  const width = (line.right - line.x) / Math.max(1, line.text.length);
  const word = /^\S{0,40}/.exec(next.text.trimStart())![0];
  return line.right + (word.length + 1) * width > rightEdge - spare * (rightEdge - line.x);
}
