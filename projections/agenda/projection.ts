import type { CoveredBodySlugs } from '../../domain/coverage.ts';
import { RECORD_EVENT_TYPES } from '../../domain/events/record-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../../domain/ports/projection.ts';
import { projection } from '../projection.ts';
import { recordChangesOf, writeRecords } from '../published-records.ts';
import * as statements from './statements.ts';
import { AGENDA, AGENDA_RECORDS } from './tables.ts';

/** Computes the covered bodies again. Returns the ids of those whose coverage changed. */
async function refreshCoveredBodies({ transaction, generation }: FoldContext, covered: readonly CoveredBodySlugs[]) {
  const before = (await transaction.execute(statements.deleteCoveredBodies(generation))).rows.map(([id]) => id!);
  const after = (await transaction.execute(statements.insertCoveredBodies(generation, covered))).rows.map(([id]) => id!);
  return [...new Set(before).symmetricDifference(new Set(after))];
}

/**
 * First the records, then what they add up to. A hit holds what its item and its meeting say and is brought up to date when either changes
 * or its body comes under coverage or leaves it; names and topics are joined when they are read, so that renaming a body costs one row.
 */
async function fold(covered: readonly CoveredBodySlugs[], batch: readonly StoredEvent[], context: FoldContext): Promise<void> {
  const { transaction, columns, generation } = context;
  const changes = recordChangesOf(AGENDA_RECORDS, batch);
  const hits = changes.get('agenda_hits');
  for (const change of changes.values()) await writeRecords(context, change === hits ? { ...change, published: [] } : change);
  if (changes.has('topics')) {
    await transaction.execute(statements.deleteCoveredTopics(generation));
    await transaction.execute(statements.insertCoveredTopics(generation));
  }
  const bodyIds = changes.has('jurisdictions') || changes.has('public_bodies') ? await refreshCoveredBodies(context, covered) : [];
  const rows = (hits?.published ?? []).map(({ data }) => AGENDA.tables.hits.row(data));
  if (rows.length > 0) await transaction.execute(statements.upsertHits(generation, columns, rows));
  const changed = { item_id: changes.get('agenda_items')?.ids ?? [], meeting_id: changes.get('meetings')?.ids ?? [], body_id: bodyIds };
  for (const column of ['item_id', 'meeting_id', 'body_id'] as const) {
    const ids = changed[column];
    if (ids.length > 0) await transaction.execute(statements.resolveHits(generation, columns, column, ids));
  }
}

/**
 * Hits, meetings, sources and topics as the public operations read them. `covered` is the shipped list of publicly covered bodies: the
 * version below is raised whenever that list changes, or a running installation would keep the old one.
 */
export const createAgendaProjection = (covered: readonly CoveredBodySlugs[]): Projection =>
  projection(AGENDA, { version: 1, handles: RECORD_EVENT_TYPES, fold: (batch, context) => fold(covered, batch, context) });
