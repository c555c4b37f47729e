import { CONTENT_ERASED } from '../../domain/events/erasure-events.ts';
import { REPORT_EVENTS } from '../../domain/events/report-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../../domain/ports/projection.ts';
import { isClosedStatus } from '../../domain/reports.ts';
import { erasedEvents, type Erasure, foldAroundErasures } from '../fold-around-erasures.ts';
import { sameRows } from '../same-rows.ts';
import {
  addTallies,
  type Duration,
  insertSubmitted,
  type LifecycleChange,
  reportChanges,
  SUBMITTED,
  updateInputs,
  updateMoved,
  updateTouched,
} from './report-rows.ts';
import { createReportTables, REPORTS, reportsTable, reportTalliesTable } from './tables.ts';
import { category } from '../../domain/streams.ts';

const isOf = (name: string) => (stream: string) => category(stream) === name;

/**
 * What was submitted is written anew where an erasure names it; of a lifecycle the whole is read again up to the erasure, since only the last
 * move and the last note stand in the row. How long reports took is counted once and stays.
 */
async function foldErasure(erasure: Erasure, { transaction, columns, generation, reread }: FoldContext): Promise<void> {
  for await (const page of erasedEvents(erasure, isOf('account_reports'), reread)) {
    const { submitted } = reportChanges(page.filter(({ type }) => type === SUBMITTED));
    if (submitted.size > 0) await transaction.execute(updateInputs(generation, [...submitted.values()], columns));
  }
  for (const { stream } of erasure.data.streams.filter((each) => isOf('report')(each.stream))) {
    const events: StoredEvent[] = [];
    for await (const page of reread(stream, erasure.event.position)) events.push(...page);
    const { lifecycle } = reportChanges(events);
    if (lifecycle.size === 0) continue;
    await transaction.execute(updateTouched(generation, lifecycle, columns));
    await transaction.execute(updateMoved(generation, lifecycle, columns));
  }
}

/** Milliseconds from the submission to a change; 0 where the clock went back. */
function durations({ moved, firstMove }: LifecycleChange, submittedAt: number): readonly Duration[] {
  const since = (time: string) => Math.max(0, Date.parse(time) - submittedAt);
  return [
    ...(firstMove === null ? [] : [{ measure: 'first_move' as const, status: firstMove.to, milliseconds: since(firstMove.movedAt) }]),
    ...(moved === null || !isClosedStatus(moved.to)
      ? []
      : [{ measure: 'closing' as const, status: moved.to, milliseconds: since(moved.movedAt) }]),
  ];
}

async function foldEvents(batch: readonly StoredEvent[], { transaction, columns, generation }: FoldContext): Promise<void> {
  const { submitted, lifecycle } = reportChanges(batch);
  if (submitted.size > 0) await transaction.execute(insertSubmitted(generation, [...submitted.values()], columns));
  if (lifecycle.size === 0) return;
  const { rows } = await transaction.execute(updateTouched(generation, lifecycle, columns));
  await transaction.execute(updateMoved(generation, lifecycle, columns));
  const tallied = rows.flatMap(([reportId, submittedAt]) => durations(lifecycle.get(reportId!)!, Number(submittedAt)));
  if (tallied.length > 0) await transaction.execute(addTallies(generation, tallied, columns));
}

export const reports: Projection = {
  name: REPORTS,
  version: 3,
  handles: [SUBMITTED, ...Object.keys(REPORT_EVENTS), CONTENT_ERASED],
  tables: (generation) => [reportsTable(generation), reportTalliesTable(generation)],
  create: createReportTables,
  fold: foldAroundErasures(foldEvents, foldErasure),
  differences: (left, right) => [
    sameRows(reportsTable(left), reportsTable(right)),
    sameRows(reportTalliesTable(left), reportTalliesTable(right)),
  ],
};
