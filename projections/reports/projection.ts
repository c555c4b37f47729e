import { CONTENT_ERASED } from '../../src/domain/events/erasure-events.ts';
import { REPORT_EVENTS } from '../../src/domain/events/report-events.ts';
import type { StoredEvent } from '../../src/domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../../src/domain/ports/projection.ts';
import { isClosedStatus } from '../../src/domain/report-transitions.ts';
import { foldAroundErasures } from '../fold-around-erasures.ts';
import { sameRows } from '../same-rows.ts';
import { foldErasure } from './fold-erasure.ts';
import { type LifecycleChange, reportChanges, SUBMITTED } from './report-changes.ts';
import { addTallies, type Duration, insertSubmitted, updateMoved, updateTouched } from './statements.ts';
import { createReportTables, REPORTS, reportsTable, reportTalliesTable } from './tables.ts';

/** How long the report took to what the batch says of it; a clock that went back counts as no time. */
const durations = ({ moved, firstMove }: LifecycleChange, submittedAt: number): readonly Duration[] => {
  const since = (time: string) => Math.max(0, Date.parse(time) - submittedAt);
  return [
    ...(firstMove === null ? [] : [{ measure: 'first_move' as const, status: firstMove.to, milliseconds: since(firstMove.movedAt) }]),
    ...(moved === null || !isClosedStatus(moved.to)
      ? []
      : [{ measure: 'closing' as const, status: moved.to, milliseconds: since(moved.movedAt) }]),
  ];
};

const foldEvents = async (batch: readonly StoredEvent[], { transaction, columns, generation }: FoldContext): Promise<void> => {
  const { submitted, lifecycle } = reportChanges(batch);
  if (submitted.size > 0) await transaction.execute(insertSubmitted(generation, [...submitted.values()], columns));
  if (lifecycle.size === 0) return;
  const { rows } = await transaction.execute(updateTouched(generation, lifecycle, columns));
  await transaction.execute(updateMoved(generation, lifecycle, columns));
  const tallied = rows.flatMap(([reportId, submittedAt]) => durations(lifecycle.get(reportId!)!, Number(submittedAt)));
  if (tallied.length > 0) await transaction.execute(addTallies(generation, tallied, columns));
};

const fold = (batch: readonly StoredEvent[], context: FoldContext): Promise<void> =>
  foldAroundErasures(
    batch,
    (events) => foldEvents(events, context),
    (erasure) => foldErasure(erasure, context),
  );

export const reports: Projection = {
  name: REPORTS,
  version: 3,
  handles: [SUBMITTED, ...Object.keys(REPORT_EVENTS), CONTENT_ERASED],
  tables: (generation) => [reportsTable(generation), reportTalliesTable(generation)],
  create: createReportTables,
  fold,
  differences: (left, right) => [
    sameRows(reportsTable(left), reportsTable(right)),
    sameRows(reportTalliesTable(left), reportTalliesTable(right)),
  ],
};
