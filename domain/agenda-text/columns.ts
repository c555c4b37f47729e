import { type Cell, cellsOf } from './cells.ts';
import { readLabel } from './labels.ts';

import type { TextLine, TextRun } from './text-line.ts';

/** Points by which the edges of a column differ. */
const SAME_EDGE = 4;
/** Font sizes between a title and a column next to it. */
const GAP = 1;
/** Numbered lines that show a column. */
const MIN_CELLS = 3;
/** Share of the numbered lines that have a text in a column next to their titles. */
const SOME = 0.25;
/** Share of the numbered lines that can have a text across a column. */
const FEW = 0.1;
/** Characters of a text next to a title. */
const MAX_BESIDE = 45;

/** Characters of a word above the number of a matter. */
const MAX_WORD = 12;

/** "RS2022-1441", "#23-0028": the whole number of a matter. */
const FILE = /^\s*#?(?:[A-Z]{1,4}\d{0,4}|\d{2,4})-\d{2,5}\s*$/;

/** An edge at which texts of a column begin or end. */
interface Edge {
  readonly at: number;
  readonly side: 'x' | 'right';
  /** The left edge of its leftmost text. */
  readonly left: number;
}

const isAt = (cell: Cell, { at, side }: Pick<Edge, 'at' | 'side'>): boolean => Math.abs(cell[side] - at) <= SAME_EDGE;

/** The cells of a numbered line after the one that contains the first word of its title. */
function cellsBeside(line: TextLine): readonly Cell[] | null {
  const label = readLabel(line);
  if (label === null || label.number === '') return null;
  const cells = cellsOf(line, GAP);
  let length = 0;
  const title = cells.findIndex((cell) => {
    const start = length;
    length += cell.text.length;
    return length > label.length && cell.text.slice(Math.max(0, label.length - start)).trim() !== '';
  });
  return title === -1 ? [] : cells.slice(title + 1);
}

const totalLength = (cells: readonly Cell[]): number => cells.reduce((sum, { text }) => sum + text.trim().length, 0);

const bucketOf = (position: number): number => Math.round(position / SAME_EDGE);

type Numbered = readonly (readonly [TextLine, readonly Cell[]])[];

/** Returns the edges at which enough texts begin or end. Pages are narrow, so that they are few. */
function frequentEdges(numbered: Numbered): readonly Edge[] {
  const beside = numbered.flatMap(([, cells]) => cells);
  return (['x', 'right'] as const).flatMap((side) => {
    const buckets = Map.groupBy(beside, (cell) => bucketOf(cell[side]));
    return [...buckets].flatMap(([bucket, cells]): Edge[] => {
      const near = [-1, 1].flatMap((shift) => buckets.get(bucket + shift) ?? []);
      const isMost = near.length <= cells.length;
      if (!isMost || cells.length + near.length < Math.max(MIN_CELLS, SOME * numbered.length)) return [];
      const left = [...cells, ...near].reduce((least, { x }) => Math.min(least, x), Infinity);
      return [{ at: cells[0]![side], side, left }];
    });
  });
}

/** Finds the columns with presenters, actions, times and pages at the right of the titles. */
function findEdges(numbered: Numbered): readonly Edge[] {
  const titles = numbered.reduce((sum, [line, cells]) => sum + line.text.length - totalLength(cells), 0);
  return frequentEdges(numbered).filter((edge) => {
    const own = numbered.flatMap(([, cells]) => cells.filter((cell) => isAt(cell, edge)));
    const across = numbered.filter(([line]) =>
      cellsOf(line, GAP).some(({ x, right }) => x < edge.left - SAME_EDGE && right > edge.left + SAME_EDGE),
    );
    // The texts of the column are shorter than the titles: a column before the titles contains numbers of matters.
    const isBeside = totalLength(own) / own.length < titles / numbered.length;
    const isShort = own.every(({ text }) => text.trim().length <= MAX_BESIDE);
    return isShort && isBeside && across.length <= FEW * numbered.length;
  });
}

function withRuns(line: TextLine, runs: readonly TextRun[]): TextLine {
  const right = runs.reduce((furthest, run) => Math.max(furthest, run.right), 0);
  return { ...line, runs, x: runs[0]!.x, right, text: runs.map(({ text }) => text).join('') };
}

/** Removes the texts that begin or end at one of the edges; null if nothing remains. */
function cut(line: TextLine, edges: readonly Edge[]): TextLine | null {
  const cells = cellsOf(line, GAP);
  const first = cells.findIndex((cell) => edges.some((edge) => isAt(cell, edge) && cell.x >= edge.left - SAME_EDGE));
  if (first === -1) return line;
  const runs = line.runs.filter(({ x }) => x < cells[first]!.x);
  return runs.length === 0 ? null : withRuns(line, runs);
}

interface WithoutColumns {
  readonly lines: readonly TextLine[];
  /** Left edge of the leftmost removed column. */
  readonly right: number | null;
}

/** Removes columns next to the titles of numbered lines: presenters, actions, times and pages. */
export function withoutSideColumns(lines: readonly TextLine[]): WithoutColumns {
  const numbered = lines.flatMap((line): (readonly [TextLine, readonly Cell[]])[] => {
    const cells = cellsBeside(line);
    return cells === null ? [] : [[line, cells]];
  });
  const edges = findEdges(numbered);
  const ownLines = withoutFileColumn(lines);
  if (edges.length === 0) return { lines: ownLines, right: null };
  const [first, last] = [numbered[0]![0], numbered.at(-1)![0]];
  const isInside = ({ page, y }: TextLine): boolean =>
    (page > first.page || (page === first.page && y >= first.y)) &&
    (page < last.page || (page === last.page && y <= last.y + 3 * last.size));
  const right = edges.reduce((least, { left }) => Math.min(least, left), Infinity);
  return { lines: ownLines.flatMap((line) => (isInside(line) ? (cut(line, edges) ?? []) : line)), right };
}

/** Removes the number of a matter that is alone on the line below a word in the same column: "REPORT", "23-0021". */
function withoutFileColumn(lines: readonly TextLine[]): readonly TextLine[] {
  const files = new Map<number, number>();
  for (const { x, text, isParagraph } of lines)
    if (!isParagraph && FILE.test(text)) files.set(bucketOf(x), (files.get(bucketOf(x)) ?? 0) + 1);
  const isInColumn = ({ x }: Pick<Cell, 'x'>): boolean =>
    [-1, 0, 1].reduce((sum, shift) => sum + (files.get(bucketOf(x) + shift) ?? 0), 0) >= MIN_CELLS;
  return lines.flatMap((line) => {
    if (!isInColumn(line)) return withoutWord(line, isInColumn);
    return FILE.test(line.text) ? [] : line;
  });
}

/** Removes the short text in a column after the number of a line. */
function withoutWord(line: TextLine, isInColumn: (cell: Cell) => boolean): TextLine {
  const [, word, title] = cellsOf(line);
  if (word === undefined || title === undefined || word.text.trim().length > MAX_WORD || !isInColumn(word)) return line;
  return withRuns(
    line,
    line.runs.filter(({ x }) => x < word.x || x >= title.x),
  );
}
