import type { EventItemRow } from './rows.ts';
import { oneLine } from './values.ts';

/** The rows of one item. Some sources record each action on an item as a row of its own. */
export interface ItemRows {
  /** The row that stands on the agenda. */
  readonly head: EventItemRow;
  /** All of them, in the order of the minutes. */
  readonly rows: readonly EventItemRow[];
}

const LAST = Number.MAX_SAFE_INTEGER;
const inMinutes = (left: EventItemRow, right: EventItemRow): number =>
  (left.EventItemMinutesSequence ?? LAST) - (right.EventItemMinutesSequence ?? LAST) || left.EventItemId - right.EventItemId;

const isOnAgenda = (row: EventItemRow): boolean => oneLine(row.EventItemTitle) !== null && typeof row.EventItemAgendaSequence === 'number';

/** A row without a place on the agenda of its own has the sequence 0. */
const head = (rows: readonly EventItemRow[]): EventItemRow =>
  rows.find((row) => isOnAgenda(row) && row.EventItemAgendaSequence! > 0) ?? rows.find(isOnAgenda) ?? rows[0]!;

/** Rows with one matter file and no two agenda numbers are one item. The order is that of the first rows. */
export function itemRows(rows: readonly EventItemRow[]): readonly ItemRows[] {
  const groups: EventItemRow[][] = [];
  const byFile = new Map<string, { readonly number: string | null; readonly group: EventItemRow[] }[]>();
  for (const row of rows) {
    const file = oneLine(row.EventItemMatterFile);
    const number = oneLine(row.EventItemAgendaNumber);
    const ofFile = file === null ? [] : (byFile.get(file) ?? []);
    const same = ofFile.find((known) => known.number === number || known.number === null || number === null);
    if (same !== undefined) {
      same.group.push(row);
      continue;
    }
    const group = [row];
    groups.push(group);
    if (file !== null) byFile.set(file, [...ofFile, { number, group }]);
  }
  return groups.map((group) => ({ head: head(group), rows: group.toSorted(inMinutes) }));
}
