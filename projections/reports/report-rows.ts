import type { z } from 'zod';
import { type dataReportMoved, dataReportSubmitted, readReportEvent } from '../../domain/events/report-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext } from '../../domain/ports/projection.ts';
import { isClosedStatus } from '../../domain/reports.ts';
import { sourceAddressKey } from '../../domain/source-url.ts';
import { streamId } from '../../domain/streams.ts';
import { titleKey } from '../../domain/words.ts';
import { insert, rowSet, unlessNull, update } from '../rows.ts';
import { milliseconds } from '../tables.ts';
import { LONGER, REPORT_BUCKETS_SECONDS, type ReportMeasure, REPORTS } from './tables.ts';

export interface SubmittedReport {
  readonly accountId: string;
  readonly data: z.output<typeof dataReportSubmitted>;
}

type Moved = z.output<typeof dataReportMoved>;

/** The changes of a batch to one report, besides its submission. */
export interface LifecycleChange {
  revision: number;
  fencingToken: number;
  /** The last move. Reason, finding and next action are those of the last move that states them. */
  moved: Moved | null;
  /** The move out of `received`: no arrow leads back there, so it is the first. */
  firstMove: Moved | null;
  note: { readonly text: string; readonly notedAt: string } | null;
  /** The time of the last change that the customer can see; null where there is none. */
  updatedAt: string | null;
  /** Undefined where the batch does not set it. */
  nextCheckAt: string | null | undefined;
}

interface ReportChanges {
  readonly submitted: ReadonlyMap<string, SubmittedReport>;
  readonly lifecycle: ReadonlyMap<string, LifecycleChange>;
}

export const SUBMITTED = 'DataReportSubmitted';

/**
 * Events ascending. A report and its lifecycle stand on two streams, so the two meet only in the log's order: a lifecycle event says
 * something of a report that was submitted before it. One that precedes the submission is left out here when both come in one batch, and
 * finds no row when they come in two: the same tables either way. Pure.
 */
export function reportChanges(batch: readonly StoredEvent[]): ReportChanges {
  const submitted = new Map<string, SubmittedReport>();
  const lifecycle = new Map<string, LifecycleChange>();
  for (const stored of batch) {
    if (stored.type === SUBMITTED) {
      const data = dataReportSubmitted.parse(JSON.parse(stored.data));
      if (submitted.has(data.reportId)) continue;
      submitted.set(data.reportId, { accountId: streamId(stored.stream), data });
      lifecycle.delete(data.reportId);
    } else {
      const reportId = streamId(stored.stream);
      lifecycle.set(reportId, changed(lifecycle.get(reportId), stored));
    }
  }
  return { submitted, lifecycle };
}

const UNCHANGED = { moved: null, firstMove: null, note: null, updatedAt: null, nextCheckAt: undefined };

function changed(before: LifecycleChange | undefined, stored: StoredEvent): LifecycleChange {
  const event = readReportEvent(stored);
  const { fencingToken } = event.data;
  const change = { ...UNCHANGED, ...before, revision: stored.revision, fencingToken };
  switch (event.type) {
    case 'DataReportLeased':
      return change;
    case 'DataReportMoved': {
      const { data } = event;
      const firstMove = data.from === 'received' ? data : change.firstMove;
      const moved = {
        ...data,
        reasonCode: data.reasonCode ?? change.moved?.reasonCode ?? null,
        finding: data.finding ?? change.moved?.finding ?? null,
        nextAction: data.nextAction ?? change.moved?.nextAction ?? null,
      };
      return { ...change, moved, firstMove, updatedAt: data.movedAt, nextCheckAt: data.nextCheckAt };
    }
    case 'DataReportNoted': {
      const { note: text, notedAt, nextCheckAt } = event.data;
      return { ...change, note: { text, notedAt }, ...(nextCheckAt === null ? {} : { updatedAt: notedAt, nextCheckAt }) };
    }
  }
}

/** What was submitted, and the columns that are made of it. */
const inputRow = ({ data: { reportId, input } }: SubmittedReport) => ({
  report_id: reportId,
  input: JSON.stringify(input),
  address_key: sourceAddressKey(input.sourceUrl),
  title_key: titleKey(input.expectedRecord),
  source_record_id: input.sourceRecordId ?? null,
  jurisdiction_slug: input.jurisdictionSlug ?? null,
  record_date: input.recordDate ?? null,
});

const { reports, tallies } = REPORTS.tables;

/** Writes the submission again. */
export async function updateInputs(context: FoldContext, submitted: ReadonlyMap<string, SubmittedReport>): Promise<void> {
  await update(context, reports, [...submitted.values()].map(inputRow));
}

/** A report that is there already stays as it is. */
export async function insertSubmitted(context: FoldContext, submitted: ReadonlyMap<string, SubmittedReport>): Promise<void> {
  const rows = [...submitted.values()].map((report) => ({
    ...inputRow(report),
    account_id: report.accountId,
    status: 'received',
    submitted_at: Date.parse(report.data.submittedAt),
    updated_at: Date.parse(report.data.submittedAt),
    next_check_at: milliseconds(report.data.nextCheckAt),
    verified_records: '[]',
    revision: -1,
    fencing_token: 0,
  }));
  await insert(context, reports, rows, 'on conflict (report_id) do nothing');
}

/** Applies the changes of lifecycle events. Resolves to the ids of existing reports and the times of their submission. */
export async function updateLifecycles(context: FoldContext, changes: ReadonlyMap<string, LifecycleChange>) {
  const touched = [...changes].map(([reportId, { revision, fencingToken, updatedAt, note, nextCheckAt }]) => ({
    report_id: reportId,
    revision,
    fencing_token: fencingToken,
    updated_at: milliseconds(updatedAt),
    noted_at: milliseconds(note?.notedAt),
    note: note?.text ?? null,
    // Null where the batch does not set it; 0 where it sets none.
    next_check_at: nextCheckAt === null ? 0 : milliseconds(nextCheckAt),
  }));
  const special = {
    ...unlessNull('updated_at', 'noted_at', 'note'),
    next_check_at: 'nullif(coalesce(r.next_check_at, t.next_check_at), 0)',
  };
  const found = await update(context, reports, touched, special, 'returning t.report_id::text, t.submitted_at::text');
  // Reason, finding and next action stay until a move states others.
  const moves = [...changes].flatMap(([reportId, { moved, firstMove }]) => {
    if (moved === null) return [];
    return {
      report_id: reportId,
      status: moved.to,
      reason_code: moved.reasonCode,
      finding: moved.finding,
      next_action: moved.nextAction,
      verified_records: JSON.stringify(moved.verifiedRecords),
      closed_at: isClosedStatus(moved.to) ? milliseconds(moved.movedAt) : null,
      first_moved_at: milliseconds(firstMove?.movedAt),
    };
  });
  await update(context, reports, moves, {
    ...unlessNull('reason_code', 'finding', 'next_action'),
    first_moved_at: 'coalesce(t.first_moved_at, r.first_moved_at)',
  });
  return found.map(([reportId, submittedAt]) => ({ change: changes.get(reportId!)!, submittedAt: Number(submittedAt) }));
}

/** Milliseconds from the submission to a change; 0 where the clock went back. */
function durations({ moved, firstMove }: LifecycleChange, submittedAt: number) {
  const since = (measure: ReportMeasure, { to, movedAt }: Moved) => ({
    measure,
    status: to,
    milliseconds: Math.max(0, Date.parse(movedAt) - submittedAt),
  });
  return [
    ...(firstMove === null ? [] : [since('first_move', firstMove)]),
    ...(moved === null || !isClosedStatus(moved.to) ? [] : [since('closing', moved)]),
  ];
}

/** Adds how long the moves of existing reports took. */
export async function addTallies(
  { transaction, columns, generation }: FoldContext,
  found: Awaited<ReturnType<typeof updateLifecycles>>,
): Promise<void> {
  const rows = found
    .flatMap(({ change, submittedAt }) => durations(change, submittedAt))
    .map((row) => ({ ...row, up_to_seconds: REPORT_BUCKETS_SECONDS.find((upTo) => row.milliseconds <= upTo * 1000) ?? LONGER }));
  if (rows.length === 0) return;
  const { unnest, values } = rowSet(columns, tallies, rows);
  await transaction.execute({
    text: `insert into ${tallies.at(generation)} as t (measure, status, up_to_seconds, reports, milliseconds)
      select measure, status, up_to_seconds, count(*), sum(milliseconds)::bigint from ${unnest} group by measure, status, up_to_seconds
      on conflict (measure, status, up_to_seconds)
        do update set reports = t.reports + excluded.reports, milliseconds = t.milliseconds + excluded.milliseconds`,
    values,
  });
}
