import { type Cell, cellsOf } from './cells.ts';
import { readLabel } from './labels.ts';
import type { TextLine } from './text-line.ts';

/** Points by which the left edges of the numbers of one column differ. */
const SAME_EDGE = 6;
/** Font sizes between two columns. */
const GAP = 1;
/** Numbers that show a column. */
const MIN_NUMBERS = 3;
/** Points between the left edges of a number and of its title. */
const HANGING = 40;
/** Marks of numbers that can begin a column. */
const MARKS = new Set(['.', ')', ':', 'item']);

/** A number that begins a column. */
interface Numbered {
  readonly index: number;
  readonly x: number;
  readonly value: number;
  /** True if there is other text on its left. */
  readonly isInside: boolean;
}

const lineOf = (line: TextLine, runs: TextLine['runs']): TextLine => ({
  ...line,
  runs,
  x: runs[0]!.x,
  right: runs.reduce((furthest, { right }) => Math.max(furthest, right), 0),
  text: runs
    .map(({ text }) => text)
    .join('')
    .trimStart(),
});

/** Returns the count of a number with a mark that begins a column: "6." or "B)"; null for other text. */
function countOf(line: TextLine, { x }: Cell): number | null {
  const column = line.runs.filter((run) => run.x >= x);
  const label = column.length === 0 ? null : readLabel(lineOf(line, column));
  if (label === null || label.prefix !== '' || !MARKS.has(label.mark)) return null;
  return label.counts.find(({ style }) => style === 'decimal' || style === 'upper')?.value ?? null;
}

/** Returns the numbers that begin the columns of lines. */
const numbersOf = (lines: readonly TextLine[]): readonly Numbered[] =>
  lines.flatMap((line, index) =>
    (line.isParagraph ? [] : cellsOf(line, GAP)).flatMap((cell, column): Numbered[] => {
      const value = /^\s*[\dA-Z]/.test(cell.text) ? countOf(line, cell) : null;
      return value === null ? [] : [{ index, x: cell.x, value, isInside: column > 0 }];
    }),
  );

const insideOf = (row: readonly Numbered[]): number => row.filter(({ isInside }) => isInside).length;

/** Returns the row of numbers that count on at one left edge, with most of them at the right of other text. */
function rowInside(numbers: readonly Numbered[]): readonly Numbered[] {
  const rows: Numbered[][] = [];
  for (const number of numbers) {
    const own = rows.findLast(
      (row) => Math.abs(row[0]!.x - number.x) <= SAME_EDGE && row.at(-1)!.value + 1 === number.value,
    );
    if (own === undefined) rows.push([number]);
    else own.push(number);
  }
  return rows.reduce<readonly Numbered[]>((best, row) => (insideOf(row) > insideOf(best) ? row : best), []);
}

/** The parts of a line at both sides of an edge; null if a text crosses it. */
function sidesOf(line: TextLine, edge: number): readonly [left: TextLine | null, right: TextLine | null] | null {
  const isLeft = ({ x }: TextLine['runs'][number]): boolean => x < edge - SAME_EDGE;
  if (line.runs.some((run) => isLeft(run) && run.right > edge + SAME_EDGE)) return null;
  const [left, right] = [line.runs.filter(isLeft), line.runs.filter((run) => !isLeft(run))];
  return [left.length === 0 ? null : lineOf(line, left), right.length === 0 ? null : lineOf(line, right)];
}

interface Region {
  readonly start: number;
  /** Index of the last line. */
  readonly end: number;
}

/** Both columns can continue above the first and below the last number. */
function regionOf(lines: readonly TextLine[], numbers: readonly Numbered[], edge: number): Region {
  let [start, end] = [numbers[0]!.index, numbers.at(-1)!.index];
  const isOneSided = (line: TextLine | undefined): boolean =>
    line !== undefined && line.x >= edge - SAME_EDGE && line.x <= edge + HANGING;
  while (isOneSided(lines[start - 1])) start -= 1;
  while (isOneSided(lines[end + 1])) end += 1;
  return { start, end };
}

/** Moves numbers of a right column to the left edge of the numbers that they follow. */
function movedTo(lines: readonly TextLine[], edge: number, x: number | undefined): readonly TextLine[] {
  if (x === undefined) return lines;
  const shift = edge - x;
  return lines.map((line) => ({
    ...line,
    x: line.x - shift,
    right: line.right - shift,
    runs: line.runs.map((run) => ({ ...run, x: run.x - shift, right: run.right - shift })),
  }));
}

/** Returns the lines of a page with its left column before its right one. */
function splitPage(lines: readonly TextLine[]): readonly TextLine[] {
  const numbers = numbersOf(lines);
  const row = rowInside(numbers);
  if (insideOf(row) < MIN_NUMBERS) return lines;
  const edge = row.reduce((least, { x }) => Math.min(least, x), Infinity);
  const { start, end } = regionOf(lines, row, edge);
  const sides = lines.slice(start, end + 1).map((line) => sidesOf(line, edge));
  const [left, right] = [sides.flatMap((side) => side?.[0] ?? []), sides.flatMap((side) => side?.[1] ?? [])];
  if (sides.includes(null)) return lines;
  const before = numbers.findLast(({ x, value }) => x < edge - SAME_EDGE && value + 1 === row[0]!.value);
  return [...lines.slice(0, start), ...left, ...movedTo(right, edge, before?.x), ...lines.slice(end + 1)];
}

/**
 * Reads pages in two columns one column after the other. A page has two columns if numbers that count on stand at the
 * right of other text: "1. Call to Order    6. Reports", "7:05 p.m.    3. Public Hearing".
 */
export function readColumns(lines: readonly TextLine[]): readonly TextLine[] {
  return [...Map.groupBy(lines, ({ page }) => page).values()].flatMap(splitPage);
}
