import * as coverage from './statements.ts';
import { deleteRows, insertRows, replacing, rowSet } from '../row-set.ts';
import type { CoveredBodySlugs } from '../../domain/coverage.ts';
import { RECORD_EVENT_TYPES } from '../../domain/events/record-events.ts';
import type { ColumnArrays, Statement } from '../../domain/ports/database.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../../domain/ports/projection.ts';
import { sameCounts, sameRows } from '../same-rows.ts';
import { AGENDA_RESOURCES, type AgendaResource, createAgendaTables, RECORD_TABLES, type RecordTable } from './record-tables.ts';
import { resolveHits, upsertHits } from './statements.ts';
import { type PublishedRecord, type RecordChanges, recordChangesOf, recordRows } from '../published-records.ts';
import { AGENDA, agendaTables } from './tables.ts';

function upsertRecords(generation: number, columns: ColumnArrays, record: RecordTable, published: readonly PublishedRecord[]): Statement {
  const rows = recordRows(columns, record.columns, published);
  return {
    name: `agenda_upsert_${record.table}_g${generation}`,
    ...insertRows(agendaTables(generation)[record.table], rows, replacing(rows.names)),
  };
}

/** Without a name: it is planned for the current table, not for the empty one of its first use. */
const deleteRecords = (generation: number, columns: ColumnArrays, record: RecordTable, withdrawn: readonly string[]): Statement =>
  deleteRows(agendaTables(generation)[record.table], rowSet(columns, withdrawn, { [record.columns[0].name]: ['uuid', (id) => id] }));

/** The records of the agenda that a batch changes, by resource: the last event of each decides. Pure. */
export const recordChanges = (batch: readonly StoredEvent[]): ReadonlyMap<AgendaResource, RecordChanges> =>
  recordChangesOf(AGENDA_RESOURCES, batch);

/** Computes the covered bodies again. Returns the ids of those whose coverage changed. */
async function refreshCoveredBodies({ transaction, generation }: FoldContext, covered: readonly CoveredBodySlugs[]) {
  const before = (await transaction.execute(coverage.deleteCoveredBodies(generation))).rows.map(([id]) => id!);
  const after = (await transaction.execute(coverage.insertCoveredBodies(generation, covered))).rows.map(([id]) => id!);
  return [...new Set(before).symmetricDifference(new Set(after))];
}

const idsOf = (change: RecordChanges | undefined): readonly string[] =>
  change === undefined ? [] : [...change.published.map(({ id }) => id), ...change.withdrawn];

/**
 * First the records, then what they add up to. A hit holds what its item and its meeting say and is brought up to date when either changes
 * or its body comes under coverage or leaves it; names and topics are joined when they are read, so that renaming a body costs one row.
 */
const createFold =
  (covered: readonly CoveredBodySlugs[]) =>
  async (batch: readonly StoredEvent[], context: FoldContext): Promise<void> => {
    const { transaction, columns, generation } = context;
    const changes = recordChanges(batch);
    for (const resource of AGENDA_RESOURCES) {
      const change = changes.get(resource);
      if (change === undefined) continue;
      const record = RECORD_TABLES[resource];
      if (change.withdrawn.length > 0) await transaction.execute(deleteRecords(generation, columns, record, change.withdrawn));
      if (change.published.length > 0 && resource !== 'agenda_hits') {
        await transaction.execute(upsertRecords(generation, columns, record, change.published));
      }
    }
    if (changes.has('topics')) {
      await transaction.execute(coverage.deleteCoveredTopics(generation));
      await transaction.execute(coverage.insertCoveredTopics(generation));
    }
    const places: readonly AgendaResource[] = ['jurisdictions', 'public_bodies'];
    const turned = places.some((resource) => changes.has(resource)) ? await refreshCoveredBodies(context, covered) : [];
    const hits = changes.get('agenda_hits')?.published ?? [];
    if (hits.length > 0) await transaction.execute(upsertHits(generation, columns, hits));
    const resolve = async (column: Parameters<typeof resolveHits>[2], ids: readonly string[]) => {
      if (ids.length > 0) await transaction.execute(resolveHits(generation, columns, column, ids));
    };
    await resolve('item_id', idsOf(changes.get('agenda_items')));
    await resolve('meeting_id', idsOf(changes.get('meetings')));
    await resolve('body_id', turned);
  };

const GROWING: readonly string[] = ['meetings', 'items', 'hits'];

function differences(left: number, right: number, depth: 'switch' | 'rows'): readonly Statement[] {
  const other = agendaTables(right);
  return Object.entries(agendaTables(left)).map(([part, table]) =>
    (depth === 'switch' && GROWING.includes(part) ? sameCounts : sameRows)(table, other[part as keyof typeof other]),
  );
}

/**
 * Hits, meetings, sources and topics as the public operations read them. `covered` is the shipped list of publicly covered bodies: the
 * version below is raised whenever that list changes, or a running installation would keep the old one.
 */
export const createAgendaProjection = (covered: readonly CoveredBodySlugs[]): Projection => ({
  name: AGENDA,
  version: 1,
  handles: RECORD_EVENT_TYPES,
  tables: (generation) => Object.values(agendaTables(generation)),
  create: createAgendaTables,
  fold: createFold(covered),
  differences,
});
