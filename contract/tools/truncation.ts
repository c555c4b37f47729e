interface Rows<Data> {
  readonly least: number;
  count(data: Data): number;
  keep(data: Data, rows: number): Data;
}

export interface TruncationRules<Data> {
  /** Names of the fields, at any depth, whose texts can be shortened. */
  readonly texts: readonly string[];
  /** Fields that are shortened before all others, down to `shortest` bytes each. */
  readonly firstTexts?: { readonly names: readonly string[]; readonly shortest: number };
  /** Shortened texts set `truncated`; without it only dropped rows do. */
  readonly marksShortened?: true;
  /** Lists in the order in which their rows are dropped. */
  readonly rows: readonly Rows<Data>[];
  /** The data without its largest part, where it is still too large. Null if nothing is left to remove. */
  otherwise?(data: Data): { readonly data: Data; readonly rules: TruncationRules<Data> } | null;
}

/** The cursor after a number of rows of a page, from 1; undefined at the end. */
export type CursorAfter = ((rows: number) => string) | undefined;

/** No text is cut below this many bytes. */
export const SHORTEST_TEXT = 240;

/** Drops rows of the list `of` from its end, down to `least`; `keep` returns the data with the rows that remain. */
export const rowsOf = <Data, Row>({
  least,
  of,
  keep,
}: {
  readonly least: number;
  readonly of: (data: Data) => readonly Row[];
  readonly keep: (data: Data, rows: Row[]) => Data;
}): Rows<Data> => ({
  least,
  count: (data) => of(data).length,
  keep: (data, rows) => keep(data, of(data).slice(0, rows)),
});
