import { CONTENT_ERASED } from '../../domain/events/erasure-events.ts';
import { dataReportSubmitted, readReportEvent, REPORT_EVENTS } from '../../domain/events/report-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext } from '../../domain/ports/projection.ts';
import { isClosedStatus, type ReportStatus } from '../../domain/reports.ts';
import { sourceAddressKey } from '../../domain/source-url.ts';
import { category, streamId } from '../../domain/streams.ts';
import { titleKey } from '../../domain/text/words.ts';
import { type Erasure, erasedEvents, foldAroundErasures } from '../fold-around-erasures.ts';
import { projection } from '../projection.ts';
import { insert, bindRows, unlessNull, update } from '../rows.ts';
import { milliseconds, type Row } from '../tables.ts';
import { LONGER, REPORT_BUCKETS_SECONDS, type ReportMeasure, REPORTS } from './tables.ts';

const SUBMITTED = 'DataReportSubmitted';
const { reports: table, tallies } = REPORTS.tables;
const readSubmitted = (stored: StoredEvent) => dataReportSubmitted.parse(JSON.parse(stored.data));

const inputRow = ({ reportId, input }: ReturnType<typeof readSubmitted>) => ({
  report_id: reportId,
  input: JSON.stringify(input),
  address_key: sourceAddressKey(input.sourceUrl),
  title_key: titleKey(input.expectedRecord),
  source_record_id: input.sourceRecordId ?? null,
  jurisdiction_slug: input.jurisdictionSlug ?? null,
  record_date: input.recordDate ?? null,
});

function submittedRow(stored: StoredEvent) {
  const submitted = readSubmitted(stored);
  return {
    ...inputRow(submitted),
    account_id: streamId(stored.stream),
    status: 'received',
    submitted_at: Date.parse(submitted.submittedAt),
    updated_at: Date.parse(submitted.submittedAt),
    next_check_at: milliseconds(submitted.nextCheckAt),
    verified_records: '[]',
    revision: -1,
    fencing_token: 0,
  };
}

/**
 * Null for each column that lifecycle events do not change, except `closed_at`, which is set together with `status`.
 */
const UNCHANGED = {
  status: null as ReportStatus | null,
  /** Reason, finding and next action, unchanged until a move sets others. */
  reason_code: null as string | null,
  finding: null as string | null,
  next_action: null as string | null,
  verified_records: null as string | null,
  closed_at: null as number | null,
  /** Time of the first move, out of `received`; no move leads back there. */
  first_moved_at: null as number | null,
  /** Time of the last change that the customer can see. */
  updated_at: null as number | null,
  /** 0 if no check is planned. */
  next_check_at: null as number | null,
  noted_at: null as number | null,
  note: null as string | null,
};

interface LifecycleChange {
  readonly row: typeof UNCHANGED & Row;
  /** Status after the first move, if that move is among the events. */
  readonly firstStatus: ReportStatus | null;
}

function changed(before: LifecycleChange | undefined, stored: StoredEvent): LifecycleChange {
  const event = readReportEvent(stored);
  const row = {
    report_id: streamId(stored.stream),
    ...(before?.row ?? UNCHANGED),
    revision: stored.revision,
    fencing_token: event.data.fencingToken,
  };
  const firstStatus = before?.firstStatus ?? null;
  switch (event.type) {
    case 'DataReportLeased':
      return { row, firstStatus };
    case 'DataReportMoved': {
      const { from, to, reasonCode, finding, nextAction, verifiedRecords, nextCheckAt } = event.data;
      const movedAt = Date.parse(event.data.movedAt);
      const moved = {
        ...row,
        status: to,
        reason_code: reasonCode ?? row.reason_code,
        finding: finding ?? row.finding,
        next_action: nextAction ?? row.next_action,
        verified_records: JSON.stringify(verifiedRecords),
        closed_at: isClosedStatus(to) ? movedAt : null,
        updated_at: movedAt,
        next_check_at: milliseconds(nextCheckAt) ?? 0,
      };
      return from === 'received'
        ? { row: { ...moved, first_moved_at: movedAt }, firstStatus: to }
        : { row: moved, firstStatus };
    }
    case 'DataReportNoted': {
      const { note, nextCheckAt } = event.data;
      const notedAt = Date.parse(event.data.notedAt);
      const dates = nextCheckAt === null ? {} : { updated_at: notedAt, next_check_at: milliseconds(nextCheckAt) };
      return { row: { ...row, note, noted_at: notedAt, ...dates }, firstStatus };
    }
  }
}

/** Applies the changes of lifecycle events. Returns the ids of existing reports and the times of their submission. */
const updateLifecycles = (context: FoldContext, changes: ReadonlyMap<string, LifecycleChange>) =>
  update<{ reportId: string; submittedAt: number }>(
    context,
    table,
    [...changes.values()].map(({ row }) => row),
    {
      ...unlessNull(
        'status',
        'reason_code',
        'finding',
        'next_action',
        'verified_records',
        'updated_at',
        'noted_at',
        'note',
      ),
      closed_at: 'case when r.status is null then t.closed_at else r.closed_at end',
      first_moved_at: 'coalesce(t.first_moved_at, r.first_moved_at)',
      next_check_at: 'nullif(coalesce(r.next_check_at, t.next_check_at), 0)',
    },
    'returning t.report_id as "reportId", t.submitted_at as "submittedAt"',
  );

/** Returns how long the moves of a report took; 0 if the clock went back. */
function durations({ row, firstStatus }: LifecycleChange, submittedAt: number): readonly Row[] {
  const since = (measure: ReportMeasure, status: ReportStatus | null, at: number | null) => {
    if (status === null || at === null) return [];
    const elapsed = Math.max(0, at - submittedAt);
    return [
      {
        measure,
        status,
        milliseconds: elapsed,
        up_to_seconds: REPORT_BUCKETS_SECONDS.find((upTo) => elapsed <= upTo * 1000) ?? LONGER,
      },
    ];
  };
  return [...since('first_move', firstStatus, row.first_moved_at), ...since('closing', row.status, row.closed_at)];
}

async function addTallies({ transaction, generation }: FoldContext, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const { unnest, values } = bindRows(tallies, rows);
  await transaction.query({
    text: `insert into ${tallies.at(generation)} as t (measure, status, up_to_seconds, reports, milliseconds)
      select measure, status, up_to_seconds, count(*), sum(milliseconds)::bigint from ${unnest} group by measure, status, up_to_seconds
      on conflict (measure, status, up_to_seconds)
        do update set reports = t.reports + excluded.reports, milliseconds = t.milliseconds + excluded.milliseconds`,
    values,
  });
}

/**
 * A report and its lifecycle are on two streams. A lifecycle event before its submission is dropped within one batch
 * and finds no row across two, so the tables are the same either way. An existing report does not change.
 */
async function foldEvents(batch: readonly StoredEvent[], context: FoldContext): Promise<void> {
  const submitted = new Map<string, ReturnType<typeof submittedRow>>();
  const lifecycles = new Map<string, LifecycleChange>();
  for (const stored of batch) {
    if (stored.type === SUBMITTED) {
      const row = submittedRow(stored);
      if (submitted.has(row.report_id)) continue;
      submitted.set(row.report_id, row);
      lifecycles.delete(row.report_id);
    } else {
      const reportId = streamId(stored.stream);
      lifecycles.set(reportId, changed(lifecycles.get(reportId), stored));
    }
  }
  await insert(context, table, [...submitted.values()], 'on conflict (report_id) do nothing');
  const updated = await updateLifecycles(context, lifecycles);
  const elapsed = updated.flatMap(({ reportId, submittedAt }) => durations(lifecycles.get(reportId)!, submittedAt));
  await addTallies(context, elapsed);
}

/**
 * Reads the whole lifecycle again, up to the erasure, because the row only has its last move and note. The tallies do
 * not change.
 */
async function foldErasure(erasure: Erasure, context: FoldContext): Promise<void> {
  for await (const page of erasedEvents(erasure, context, (name) => name === 'account_reports')) {
    const inputs = page.filter(({ type }) => type === SUBMITTED).map((stored) => inputRow(readSubmitted(stored)));
    await update(context, table, inputs);
  }
  for (const { stream } of erasure.data.streams.filter((each) => category(each.stream) === 'report')) {
    let change: LifecycleChange | undefined;
    for await (const page of context.reread(stream, erasure.event.position)) change = page.reduce(changed, change);
    if (change !== undefined) await updateLifecycles(context, new Map([[streamId(stream), change]]));
  }
}

export const reports = projection(REPORTS, {
  version: 3,
  handles: [SUBMITTED, ...Object.keys(REPORT_EVENTS), CONTENT_ERASED],
  fold: foldAroundErasures(foldEvents, foldErasure),
});
