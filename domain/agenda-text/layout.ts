import type { TextLine } from './text-line.ts';

/** Wrapped lines of a column that show where it ends. */
const MIN_WRAPPED = 2;
/** Points by which left edges of one column differ. */
const EDGE = 4;
/** Line spacing, as a share of the font size, that is within a paragraph of any document. */
const USUAL_SPACING = 1.45;
const MAX_SPACING = 2.4;
/** Share of a line that stays empty where a text wraps: words are not divided. */
const SPARE = 0.05;

/** Right edge and spacing of the lines of a document. */
export interface Layout {
  /** The right edge of the text that begins at `x`. */
  readonly rightEdgeAt: (x: number) => number;
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

/** Margins are equal unless a line is longer. */
function rightEdgeOfPages(lines: readonly TextLine[], pageWidth: number): number {
  const left = lines.reduce((least, { x }) => Math.min(least, x), Infinity);
  const rights = lines.map(({ right }) => right).toSorted((one, other) => one - other);
  return Math.max(rights[Math.floor(rights.length * 0.97)] ?? 0, pageWidth - left);
}

interface Column {
  right: number;
  wrapped: number;
}

/** Measures the layout of a text. A column beside the titles begins at `columnEdge`. */
export function measureLayout(lines: readonly TextLine[], pageWidth: number, columnEdge: number | null): Layout {
  const pageEdge = columnEdge ?? rightEdgeOfPages(lines, pageWidth);
  const columns = new Map<number, Column>();
  for (const [index, line] of lines.entries()) {
    const isEvidence = isWrapped(line, lines[index + 1]);
    for (const x of leftEdges(line)) {
      const column = columns.get(columnOf(x)) ?? { right: 0, wrapped: 0 };
      column.right = Math.max(column.right, line.right);
      if (isEvidence) column.wrapped += 1;
      columns.set(columnOf(x), column);
    }
  }
  const rightEdgeAt = (x: number): number => {
    const near = [-1, 0, 1].flatMap((shift) => columns.get(columnOf(x) + shift) ?? []);
    const isKnown = near.reduce((sum, { wrapped }) => sum + wrapped, 0) >= MIN_WRAPPED;
    return isKnown ? near.reduce((furthest, { right }) => Math.max(furthest, right), 0) : pageEdge;
  };
  const spacing = Math.min(MAX_SPACING, Math.max(USUAL_SPACING, 1.15 * typicalSpacing(lines)));
  const leftEdge = lines.reduce((least, { x }) => Math.min(least, x), Infinity);
  return { rightEdgeAt, spacing, leftEdge };
}

const UNFINISHED = /(?:[,&–—-]|\b(?:a|an|and|as|at|by|for|from|in|of|on|or|the|to|with|no\.|section|between))$/i;

/** True if the text cannot end here: "…, and". */
export const isUnfinished = (text: string): boolean => UNFINISHED.test(text.slice(-20).trimEnd());

/** True if the first word of the next line had no room at the end of the line. */
export function isFull(line: TextLine, next: TextLine, rightEdge: number): boolean {
  const width = (line.right - line.x) / Math.max(1, line.text.length);
  const word = /^\S{0,40}/.exec(next.text.trimStart())![0];
  return line.right + (word.length + 1) * width > rightEdge - SPARE * (rightEdge - line.x);
}
