/** Rows of equal length. The first row contains the column names. */
type Cells = readonly (readonly string[])[];

const GAP = '  ';
/** Text of a cell without a value. */
export const EMPTY = '-';

const longest = (texts: readonly string[]): number => texts.reduce((length, text) => Math.max(length, text.length), 0);

/** Prints one line per row, or one line per value if rows are longer than `width`. Cuts no text, so that ids can be copied. */
export function table(cells: Cells, width: number): string {
  const fits = (text: string): boolean => longest(text.split('\n')) <= width;
  return [alignColumns(cells), alignColumns(dropEmptyColumns(cells))].find(fits) ?? listValues(cells);
}

function alignColumns(cells: Cells): string {
  const widths = cells[0]!.map((_, column) => longest(cells.map((row) => row[column]!)));
  const line = (row: readonly string[]): string => row.map((text, column) => text.padEnd(widths[column]!)).join(GAP);
  return cells.map((row) => line(row).trimEnd()).join('\n');
}

function dropEmptyColumns([names, ...rows]: Cells): Cells {
  const hasValue = names!.map((_, column) => rows.some((row) => row[column] !== EMPTY));
  return [names!, ...rows].map((row) => row.filter((_, column) => hasValue[column]));
}

function listValues([names, ...rows]: Cells): string {
  const width = longest(names!);
  const lines = (row: readonly string[]): string =>
    row
      .map((text, column) => `${names![column]!.padEnd(width)}${GAP}${text}`)
      .filter((_, column) => row[column] !== EMPTY)
      .join('\n');
  return rows.map(lines).join('\n\n');
}
