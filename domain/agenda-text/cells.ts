import type { TextLine } from './text-line.ts';

export interface Cell {
  readonly x: number;
  readonly right: number;
  readonly text: string;
}

/** Font sizes between two columns. */
const GAP = 2;

/** Returns the text of the line in its columns, which gaps separate. */
export function cellsOf({ runs, size }: TextLine, gap = GAP): readonly Cell[] {
  const cells: { x: number; right: number; text: string }[] = [];
  for (const run of runs) {
    const cell = cells.at(-1);
    if (cell !== undefined && run.x - cell.right < gap * size) {
      cell.text += run.text;
      cell.right = run.right;
    } else cells.push({ x: run.x, right: run.right, text: run.text });
  }
  return cells;
}
