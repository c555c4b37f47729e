import { type Label, readLabel } from './labels.ts';
import type { TextLine } from './text-line.ts';

/** A number without a mark before a title. */
const BARE = /^\s*(\d{1,3})\s+(?=[\p{Lu}“"(*])/u;
/** Lines that count from 1 without a gap, before their numbers count items. */
const MIN_COUNTED = 3;
/** Points by which the left edges of the lines differ: some numbers are aligned at the right. */
const SAME_EDGE = 8;
/** Sequences that are continued at a time. */
const MAX_OPEN = 8;

interface Sequence {
  readonly x: number;
  readonly found: (readonly [index: number, label: Label])[];
}

/** Returns the labels of lines that count from 1 without marks: "1 Call to Order", "2 Roll Call", "3 Minutes". */
export function findBareNumbers(lines: readonly TextLine[]): ReadonlyMap<number, Label> {
  const sequences: Sequence[] = [];
  let open: Sequence[] = [];
  for (const [index, line] of lines.entries()) {
    const match = BARE.exec(line.text.slice(0, 20));
    if (match === null || readLabel(line) !== null) continue;
    const [{ length }, number] = [match[0], match[1]!];
    const value = Number(number);
    const label: Label = { number, prefix: '', stem: number, counts: [{ style: 'decimal', value }], mark: ' ', length };
    const next = open.findLast(({ x, found }) => Math.abs(x - line.x) <= SAME_EDGE && found.length === value - 1);
    if (next !== undefined) next.found.push([index, label]);
    else if (value === 1) {
      const sequence = { x: line.x, found: [[index, label] as const] };
      sequences.push(sequence);
      open = [...open.slice(1 - MAX_OPEN), sequence];
    }
  }
  return new Map(sequences.flatMap(({ found }) => (found.length < MIN_COUNTED ? [] : found)));
}
