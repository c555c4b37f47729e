import * as entries from './statements.ts';
import * as records from './statements.ts';
import { RECORD_EVENT_TYPES } from '../../domain/events/record-events.ts';
import type { Statement } from '../../domain/ports/database.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../../domain/ports/projection.ts';
import { type RecordChanges, recordChangesOf } from '../published-records.ts';
import { sameCounts, sameRows } from '../same-rows.ts';
import { createAgendaSearchTables, RECORD_TABLES, SEARCH_RESOURCES, type SearchRecordTable } from './record-tables.ts';
import { AGENDA_SEARCH, agendaSearchTables } from './tables.ts';
import { spellableWords } from '../../domain/words.ts';

/** The change of the number of records for each word, without zeros. */
class WordCounts {
  readonly #changes = new Map<string, number>();

  /** The texts of one record that was published or withdrawn. */
  add(texts: readonly (string | null)[], by: 1 | -1): void {
    const words = spellableWords(texts.filter((text) => text !== null).join('\n'));
    for (const word of words) this.#changes.set(word, (this.#changes.get(word) ?? 0) + by);
  }

  addPublished({ columns, worded }: SearchRecordTable, published: RecordChanges['published']): void {
    const texts = columns.filter(({ name }) => worded.includes(name));
    for (const { data } of published)
      this.add(
        texts.map(({ of }) => of(data) as string | null),
        1,
      );
  }

  changes(): ReadonlyMap<string, number> {
    return new Map([...this.#changes].filter(([, change]) => change !== 0));
  }
}

/** One record may affect any number of entries: they are written in portions of this size. */
const ENTRIES_AT_ONCE = 2000;

const idsFrom = async ({ transaction }: FoldContext, statement: Statement): Promise<readonly string[]> =>
  (await transaction.execute(statement)).rows.map(([id]) => id!);

/** Writes the records of one resource that a batch leaves. Returns the ids of the items whose entries may have changed. */
async function foldRecords(
  context: FoldContext,
  record: SearchRecordTable,
  { published, withdrawn }: RecordChanges,
  counts: WordCounts,
): Promise<readonly string[]> {
  const { transaction, columns, generation } = context;
  const ids = [...published.map(({ id }) => id), ...withdrawn];
  if (record.worded.length > 0) {
    const { rows } = await transaction.execute(records.storedTexts(generation, columns, record, ids));
    for (const texts of rows) counts.add(texts, -1);
    counts.addPublished(record, published);
  }
  const write = async () => {
    if (withdrawn.length > 0) await transaction.execute(records.deleteRecords(generation, columns, record, withdrawn));
    if (published.length > 0) await transaction.execute(records.upsertRecords(generation, columns, record, published));
  };
  // Hardly an item changes without its entry, and an entry that stays the same is not written.
  if (record.table === 'items' || record.searched.length === 0) {
    await write();
    return record.table === 'items' ? ids : [];
  }
  const changed = published.length === 0 ? [] : await idsFrom(context, records.changedRecords(generation, columns, record, published));
  const turned = [...changed, ...withdrawn];
  const touched = async () => (turned.length === 0 ? [] : idsFrom(context, records.itemsOf(generation, columns, record.table, turned)));
  // What a record had to do with before and what it has to do with now.
  const before = await touched();
  await write();
  return [...before, ...(await touched())];
}

async function refreshEntries({ transaction, columns, generation }: FoldContext, itemIds: readonly string[]): Promise<void> {
  const periods = new Map<string, number>();
  const count = async (sign: 1 | -1, ids: readonly string[]) => {
    const { rows } = await transaction.execute(entries.countPeriods(generation, columns, ids));
    for (const [period, number] of rows) periods.set(period!, (periods.get(period!) ?? 0) + sign * Number(number));
  };
  for (let from = 0; from < itemIds.length; from += ENTRIES_AT_ONCE) {
    const ids = itemIds.slice(from, from + ENTRIES_AT_ONCE);
    await count(-1, ids);
    await transaction.execute(entries.deleteEntries(generation, columns, ids));
    await transaction.execute(entries.upsertEntries(generation, columns, ids));
    await count(1, ids);
  }
  const changes = new Map([...periods].filter(([, change]) => change !== 0));
  if (changes.size > 0) for (const statement of entries.addToPeriods(generation, columns, changes)) await transaction.execute(statement);
}

/** First the records, then the entries of the items that they have to do with, before or now. */
async function fold(batch: readonly StoredEvent[], context: FoldContext): Promise<void> {
  const { transaction, columns, generation } = context;
  const changes = recordChangesOf(SEARCH_RESOURCES, batch);
  const counts = new WordCounts();
  const items = new Set<string>();
  for (const resource of SEARCH_RESOURCES) {
    const change = changes.get(resource);
    if (change === undefined) continue;
    for (const id of await foldRecords(context, RECORD_TABLES[resource], change, counts)) items.add(id);
  }
  await refreshEntries(context, [...items].toSorted());
  const words = counts.changes();
  if (words.size > 0) for (const statement of entries.addToWords(generation, columns, words)) await transaction.execute(statement);
}

/** A small table, independent of the number of entries. */
const SMALL: readonly string[] = ['jurisdictions', 'bodies', 'sources', 'topics', 'periods'];

function differences(left: number, right: number, depth: 'switch' | 'rows'): readonly Statement[] {
  const other = agendaSearchTables(right);
  return Object.entries(agendaSearchTables(left)).map(([part, table]) =>
    (depth === 'rows' || SMALL.includes(part) ? sameRows : sameCounts)(table, other[part as keyof typeof other]),
  );
}

/** Every agenda item that can be shown and is no mere heading, with its words, and the words themselves. */
export const agendaSearch: Projection = {
  name: AGENDA_SEARCH,
  version: 2,
  handles: RECORD_EVENT_TYPES,
  tables: (generation) => Object.values(agendaSearchTables(generation)),
  create: createAgendaSearchTables,
  fold,
  differences,
};
