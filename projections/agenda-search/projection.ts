import { RECORD_EVENT_TYPES } from '../../domain/events/record-events.ts';
import type { Statement } from '../../domain/ports/database.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext } from '../../domain/ports/projection.ts';
import { spellableWords } from '../../domain/text/words.ts';
import { projection } from '../projection.ts';
import { type RecordChanges, collectRecordChanges, writeRecords } from '../record-changes.ts';
import type { Row, Value } from '../tables.ts';
import * as statements from './statements.ts';
import { AGENDA_SEARCH, SEARCH_RECORDS, type SearchRecordTable } from './tables.ts';

class Changes {
  readonly #changes = new Map<string, number>();

  add(name: string, by: number): void {
    this.#changes.set(name, (this.#changes.get(name) ?? 0) + by);
  }

  /** Adds the words of one record that was published (1) or withdrawn (-1). */
  addWords(texts: readonly (Value | undefined)[], by: 1 | -1): void {
    for (const word of spellableWords(texts.filter((text) => text !== null).join('\n'))) this.add(word, by);
  }

  /** Returns the entries that are not zero. */
  entries(): readonly (readonly [string, number])[] {
    return [...this.#changes].filter(([, change]) => change !== 0);
  }
}

/** Number of entries per statement: one record can affect any number of them. */
const ENTRIES_AT_ONCE = 2000;

const selectIds = async ({ transaction }: FoldContext, statement: Statement): Promise<readonly string[]> =>
  (await transaction.query<{ id: string }>(statement)).rows.map(({ id }) => id);

/** Returns the ids of the items whose entries may have changed. */
async function foldRecords(
  context: FoldContext,
  change: RecordChanges<SearchRecordTable>,
  words: Changes,
): Promise<readonly string[]> {
  const { transaction, generation } = context;
  const { table, published, withdrawn, ids } = change;
  const rows = published.map(({ data }) => table.row(data));
  if (table.worded.length > 0) {
    const existing = [...published.filter(({ isNew }) => !isNew).map(({ id }) => id), ...withdrawn];
    const stored =
      existing.length === 0
        ? []
        : (await transaction.query<Row>(statements.storedTexts(generation, table, existing))).rows;
    const textsOf = (row: Row) => table.worded.map((name) => row[name]);
    for (const row of stored) words.addWords(textsOf(row), -1);
    for (const row of rows) words.addWords(textsOf(row), 1);
  }
  // An item rarely changes without its entry, and an unchanged entry is not written.
  if (table.resource === 'agenda_items' || table.searched.length === 0) {
    await writeRecords(context, change);
    return table.resource === 'agenda_items' ? ids : [];
  }
  const changed = rows.length === 0 ? [] : await selectIds(context, statements.changedRecords(generation, table, rows));
  const affected = [...changed, ...withdrawn];
  const itemIds = async () =>
    affected.length === 0 ? [] : selectIds(context, statements.itemsOf(generation, table.resource, affected));
  // The items that the record affected before and those that it affects now.
  const before = await itemIds();
  await writeRecords(context, change);
  return [...before, ...(await itemIds())];
}

async function refreshEntries(
  { transaction, generation }: FoldContext,
  itemIds: readonly string[],
  periods: Changes,
): Promise<void> {
  const count = async (sign: 1 | -1, ids: readonly string[]) => {
    const counting = statements.countPeriods(generation, ids);
    const { rows } = await transaction.query<{ period: string; entries: number }>(counting);
    for (const { period, entries } of rows) periods.add(period, sign * entries);
  };
  for (let from = 0; from < itemIds.length; from += ENTRIES_AT_ONCE) {
    const ids = itemIds.slice(from, from + ENTRIES_AT_ONCE);
    await count(-1, ids);
    await transaction.query(statements.deleteEntries(generation, ids));
    await transaction.query(statements.upsertEntries(generation, ids));
    await count(1, ids);
  }
}

/** Counters of words and periods, collected per batch because one batch changes the same ones repeatedly. */
interface Numbers {
  readonly words: Changes;
  readonly periods: Changes;
}

async function writeNumbers({ transaction, generation }: FoldContext, { words, periods }: Numbers): Promise<void> {
  for (const statement of statements.addToPeriods(generation, periods.entries())) await transaction.query(statement);
  for (const statement of statements.addToWords(generation, words.entries())) await transaction.query(statement);
}

async function fold(batch: readonly StoredEvent[], context: FoldContext): Promise<void> {
  const begin = (): Numbers => ({ words: new Changes(), periods: new Changes() });
  const { words, periods } = context.gathered(begin, (numbers) => writeNumbers(context, numbers));
  const items = new Set<string>();
  for (const change of collectRecordChanges(SEARCH_RECORDS, batch, context.content).values()) {
    for (const id of await foldRecords(context, change, words)) items.add(id);
  }
  await refreshEntries(context, [...items].toSorted(), periods);
}

export const agendaSearch = projection(AGENDA_SEARCH, { version: 11, handles: RECORD_EVENT_TYPES, fold });
