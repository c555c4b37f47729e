/** A list whose last rows may be dropped. */
export interface Rows<Data> {
  readonly least: number;
  count(data: Data): number;
  keep(data: Data, rows: number): Data;
}

/** The parts of a tool's data that may be cut when it is too large. */
export interface TruncationRules<Data> {
  /** The data with every text that may be shortened passed through `cut`. */
  shorten(data: Data, cut: (text: string) => string): Data;
  /** In the order in which rows are dropped. */
  readonly rows: readonly Rows<Data>[];
  /** The data with the field set that states that texts were shortened, if it has one. */
  shortened(data: Data): Data;
  /** The data without its largest part, where it is still too large. Null where nothing is left to remove. */
  otherwise?(data: Data): { readonly data: Data; readonly rules: TruncationRules<Data> } | null;
}

/** The cursor after a number of rows of a page, from 1; undefined at the end. */
export type CursorAfter = ((rows: number) => string) | undefined;

/** No text is cut below this many bytes. */
export const SHORTEST_TEXT = 240;

export const unchanged = <Data>(data: Data): Data => data;

/** The object with these texts of it cut; an absent one stays absent. */
export function cutTexts<Source extends object>(source: Source, cut: (text: string) => string, ...names: (keyof Source)[]): Source {
  const texts = names.flatMap((name) => {
    const text = source[name];
    return typeof text === 'string' ? [[name, cut(text)]] : [];
  });
  return { ...source, ...Object.fromEntries(texts) };
}
