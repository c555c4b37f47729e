/** Rows of equal length, the first one with the names of the columns. */
type Cells = readonly (readonly string[])[];

const GAP = '  ';
const lengthOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));

/** The widest columns become narrower until the table fits, down to the longest word of each; null if that is not enough. */
function fitted(cells: Cells, width: number): readonly number[] | null {
  const columns = cells[0]!.map((_, index) => cells.map((row) => row[index]!));
  const widths = columns.map((column) => Math.max(...column.map((text) => text.length)));
  const words = columns.map((column) => Math.max(...column.flatMap((text) => text.split(' ').map((word) => word.length))));
  while (lengthOf(widths) > width) {
    const room = widths.map((each, index) => (each > words[index]! ? each : 0));
    const widest = Math.max(...room);
    if (widest === 0) return null;
    widths[room.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function wrapped(text: string, width: number): readonly string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The text of a cell without a value. */
export const EMPTY = '-';

function withoutEmptyColumns(cells: Cells): Cells {
  const kept = cells[0]!.map((_, index) => cells.slice(1).some((row) => row[index] !== EMPTY));
  return cells.map((row) => row.filter((_, index) => kept[index]));
}

function listed([names, ...rows]: Cells): string {
  const width = Math.max(...names!.map((text) => text.length));
  const lines = (row: readonly string[]) =>
    row.map((text, index) => (text === EMPTY ? '' : `${names![index]!.padEnd(width)}${GAP}${text}\n`));
  return rows
    .map((row) => lines(row).join(''))
    .join('\n')
    .trimEnd();
}

/**
 * A table of at most `width` characters. Where it is wider, columns without any value are left out, and texts are wrapped between words; if
 * that is not enough, each value gets its own line, with an empty line between rows. No text is cut, so that an id can be copied.
 */
export function table(all: Cells, width: number): string {
  const cells = fitted(all, width) === null ? withoutEmptyColumns(all) : all;
  const widths = fitted(cells, width);
  if (widths === null) return listed(cells);
  return cells
    .flatMap((row) => {
      const parts = row.map((text, index) => wrapped(text, widths[index]!));
      const height = Math.max(...parts.map((lines) => lines.length));
      return Array.from({ length: height }, (_, line) =>
        parts
          .map((lines, index) => (lines[line] ?? '').padEnd(widths[index]!))
          .join(GAP)
          .trimEnd(),
      );
    })
    .join('\n');
}
