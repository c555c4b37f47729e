import { RECORD_EVENT_TYPES } from '../../domain/events/record-events.ts';
import type { Statement } from '../../domain/ports/database.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext } from '../../domain/ports/projection.ts';
import { spellableWords } from '../../domain/words.ts';
import { projection } from '../projection.ts';
import { type RecordChanges, recordChangesOf, writeRecords } from '../record-changes.ts';
import type { Value } from '../tables.ts';
import * as statements from './statements.ts';
import { AGENDA_SEARCH, SEARCH_RECORDS, type SearchRecordTable } from './tables.ts';

class Changes {
  readonly #changes = new Map<string, number>();

  add(name: string, by: number): void {
    this.#changes.set(name, (this.#changes.get(name) ?? 0) + by);
  }

  /** The words of one record that was published (1) or withdrawn (-1). */
  addWords(texts: readonly (Value | undefined)[], by: 1 | -1): void {
    for (const word of spellableWords(texts.filter((text) => text !== null).join('\n'))) this.add(word, by);
  }

  /** Without zeros. */
  entries(): readonly (readonly [string, number])[] {
    return [...this.#changes].filter(([, change]) => change !== 0);
  }
}

/** One record may affect any number of entries. */
const ENTRIES_AT_ONCE = 2000;

const idsFrom = async ({ transaction }: FoldContext, statement: Statement): Promise<readonly string[]> =>
  (await transaction.execute(statement)).rows.map(([id]) => id!);

/** Returns the ids of the items whose entries may have changed. */
async function foldRecords(context: FoldContext, change: RecordChanges<SearchRecordTable>, words: Changes): Promise<readonly string[]> {
  const { transaction, columns, generation } = context;
  const { table, published, withdrawn, ids } = change;
  const rows = published.map(({ data }) => table.row(data));
  if (table.worded.length > 0) {
    const known = [...published.filter(({ isNew }) => !isNew).map(({ id }) => id), ...withdrawn];
    const stored = known.length === 0 ? [] : (await transaction.execute(statements.storedTexts(generation, columns, table, known))).rows;
    for (const texts of stored) words.addWords(texts, -1);
    for (const row of rows) {
      const texts = table.worded.map((name) => row[name]);
      words.addWords(texts, 1);
    }
  }
  // Hardly an item changes without its entry, and an entry that stays the same is not written.
  if (table.resource === 'agenda_items' || table.searched.length === 0) {
    await writeRecords(context, change);
    return table.resource === 'agenda_items' ? ids : [];
  }
  const changed = rows.length === 0 ? [] : await idsFrom(context, statements.changedRecords(generation, columns, table, rows));
  const affected = [...changed, ...withdrawn];
  const itemIds = async () =>
    affected.length === 0 ? [] : idsFrom(context, statements.itemsOf(generation, columns, table.resource, affected));
  // What a record had to do with before and what it has to do with now.
  const before = await itemIds();
  await writeRecords(context, change);
  return [...before, ...(await itemIds())];
}

async function refreshEntries(
  { transaction, columns, generation }: FoldContext,
  itemIds: readonly string[],
  periods: Changes,
): Promise<void> {
  const count = async (sign: 1 | -1, ids: readonly string[]) => {
    const { rows } = await transaction.execute(statements.countPeriods(generation, columns, ids));
    for (const [period, number] of rows) periods.add(period!, sign * Number(number));
  };
  for (let from = 0; from < itemIds.length; from += ENTRIES_AT_ONCE) {
    const ids = itemIds.slice(from, from + ENTRIES_AT_ONCE);
    await count(-1, ids);
    await transaction.execute(statements.deleteEntries(generation, columns, ids));
    await transaction.execute(statements.upsertEntries(generation, columns, ids));
    await count(1, ids);
  }
}

/** Numbers of records with a word and of entries of a period: in one batch the same ones change again and again. */
interface Numbers {
  readonly words: Changes;
  readonly periods: Changes;
}

async function writeNumbers({ transaction, columns, generation }: FoldContext, { words, periods }: Numbers): Promise<void> {
  for (const statement of statements.addToPeriods(generation, columns, periods.entries())) await transaction.execute(statement);
  for (const statement of statements.addToWords(generation, columns, words.entries())) await transaction.execute(statement);
}

async function fold(batch: readonly StoredEvent[], context: FoldContext): Promise<void> {
  const begin = (): Numbers => ({ words: new Changes(), periods: new Changes() });
  const { words, periods } = context.gathered(begin, (numbers) => writeNumbers(context, numbers));
  const items = new Set<string>();
  for (const change of recordChangesOf(SEARCH_RECORDS, batch, context.content).values()) {
    for (const id of await foldRecords(context, change, words)) items.add(id);
  }
  await refreshEntries(context, [...items].toSorted(), periods);
}

export const agendaSearch = projection(AGENDA_SEARCH, { version: 7, handles: RECORD_EVENT_TYPES, fold });
