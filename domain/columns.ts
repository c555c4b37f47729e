import type { TextRow } from './ports/database.ts';

type ColumnText = string | null | undefined;

export const text = (value: ColumnText): string => value!;
export const textOrNull = (value: ColumnText): string | null => value ?? null;
export const number = (value: ColumnText): number => Number(value);
export const numberOrNull = (value: ColumnText): number | null => (value == null ? null : Number(value));
export const flag = (value: ColumnText): boolean => value === 't';
/** A text that the database restricts to these values. */
export const textAs =
  <Value extends string>() =>
  (value: ColumnText): Value =>
    value as Value;
export const jsonOrNull =
  <Value>() =>
  (value: ColumnText): Value | null =>
    value == null ? null : (JSON.parse(value) as Value);

type Definition = Readonly<Record<string, readonly [sql: string, read: (value: ColumnText) => unknown]>>;
type RowOf<Columnar extends Definition> = { [Name in keyof Columnar]: ReturnType<Columnar[Name][1]> };

export interface Columns<Row> {
  readonly sql: string;
  /** Reads a row of exactly this list. */
  readonly read: (row: TextRow) => Row;
}

/** The columns of a statement, each once: its SQL, its name in the program and its type. */
export function columns<const Columnar extends Definition>(definition: Columnar): Columns<RowOf<Columnar>> {
  const entries = Object.entries(definition).map(([name, [, read]]) => [name, read] as const);
  return {
    sql: Object.values(definition)
      .map(([sql]) => sql)
      .join(', '),
    read: (row) => Object.fromEntries(entries.map(([name, read], index) => [name, read(row[index])])) as RowOf<Columnar>,
  };
}
