import type { EventItemRow } from './rows.ts';
import { mapInSteps, type Steps } from '../../../domain/text/steps.ts';
import { oneLine } from './values.ts';

/** The rows of one item. Some sources record each action on an item as a separate row. */
export interface ItemRows {
  /** The row on the agenda. */
  readonly head: EventItemRow;
  /** All rows, in the order of the minutes. */
  readonly rows: readonly EventItemRow[];
}

const LAST = Number.MAX_SAFE_INTEGER;
const inMinutes = (left: EventItemRow, right: EventItemRow): number =>
  (left.EventItemMinutesSequence ?? LAST) - (right.EventItemMinutesSequence ?? LAST) ||
  left.EventItemId - right.EventItemId;

const isOnAgenda = (row: EventItemRow): boolean =>
  oneLine(row.EventItemTitle) !== null && typeof row.EventItemAgendaSequence === 'number';

/** A row without its own place on the agenda has the sequence 0. */
const hasPlace = (row: EventItemRow): boolean => isOnAgenda(row) && row.EventItemAgendaSequence! > 0;

const headRow = (rows: readonly EventItemRow[]): EventItemRow =>
  rows.find(hasPlace) ?? rows.find(isOnAgenda) ?? rows[0]!;

type Group = EventItemRow[];

const numberOf = (row: EventItemRow): string | null => oneLine(row.EventItemAgendaNumber);

/**
 * Groups by agenda number. A row without a number belongs to the first group, and a group without a number gets the
 * next number.
 */
class NumberedGroups {
  readonly #groups = new Map<string | null, Group>();

  /** Returns the group of the number, or a new one. */
  groupAt(number: string | null): Group {
    const unnumbered = this.#groups.get(null);
    const existing = number === null ? this.#groups.values().next().value : (this.#groups.get(number) ?? unnumbered);
    const group = existing ?? [];
    if (number !== null && group === unnumbered) this.#groups.delete(null);
    if (number !== null || existing === undefined) this.#groups.set(number, group);
    return group;
  }
}

/** The rows of one matter file. */
class Matter {
  readonly #byTitle = new Map<string, NumberedGroups>();
  readonly #byNumber = new Map<string | null, Group>();
  #current: Group | undefined;
  readonly #others = new NumberedGroups();

  /** The item of a row with a place on the agenda. The same title with the same number is the same item. */
  place(row: EventItemRow): Group {
    const title = oneLine(row.EventItemTitle)!.toLowerCase();
    const ofTitle = this.#byTitle.get(title) ?? new NumberedGroups();
    this.#byTitle.set(title, ofTitle);
    const group = ofTitle.groupAt(numberOf(row));
    if (!this.#byNumber.has(numberOf(row))) this.#byNumber.set(numberOf(row), group);
    this.#current ??= group;
    return group;
  }

  /** Rows that follow belong to this item. */
  moveTo(row: EventItemRow, group: Group): void {
    this.#byNumber.set(numberOf(row), group);
    this.#current = group;
  }

  /** The item that a row without its own place belongs to: the placed one before it, else the first one. */
  groupOfAction(row: EventItemRow): Group {
    const number = numberOf(row);
    const placed = number === null ? this.#current : (this.#byNumber.get(number) ?? this.#byNumber.get(null));
    return placed ?? this.#others.groupAt(number);
  }
}

/**
 * Rows with one matter file are one item, except those that have a place on the agenda with a title or number of their
 * own: a hearing on a matter and its adoption are two items. The order is that of the first rows.
 */
export function* itemRowsInSteps(rows: readonly EventItemRow[]): Steps<readonly ItemRows[]> {
  const matters = new Map<string, Matter>();
  const placed = new Map<EventItemRow, Group>();
  for (const row of rows) {
    yield;
    const file = oneLine(row.EventItemMatterFile);
    if (file === null) continue;
    const matter = matters.get(file) ?? new Matter();
    matters.set(file, matter);
    if (hasPlace(row)) placed.set(row, matter.place(row));
  }
  const groups = new Set<Group>();
  for (const row of rows) {
    yield;
    const matter = matters.get(oneLine(row.EventItemMatterFile) ?? '');
    const own = placed.get(row);
    if (matter !== undefined && own !== undefined) matter.moveTo(row, own);
    const group = own ?? matter?.groupOfAction(row) ?? [];
    group.push(row);
    groups.add(group);
  }
  return yield* mapInSteps([...groups], (group) => ({ head: headRow(group), rows: group.toSorted(inMinutes) }), 1);
}
