import { insertRows, rowSet, updateRows } from '../row-set.ts';
import type { z } from 'zod';
import { type dataReportMoved, dataReportSubmitted, readReportEvent } from '../../domain/events/report-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import { streamId } from '../../domain/streams.ts';
import type { ColumnArrays, Statement } from '../../domain/ports/database.ts';
import { isClosedStatus } from '../../domain/reports.ts';
import { sourceAddressKey } from '../../domain/source-url.ts';
import { titleKey } from '../../domain/words.ts';
import { LONGER, REPORT_BUCKETS_SECONDS, type ReportMeasure, reportsTable, reportTalliesTable } from './tables.ts';

interface SubmittedReport {
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

const milliseconds = (time: string | null | undefined): number | null => (time == null ? null : Date.parse(time));

/** What was submitted, and the columns that are made of it. */
const INPUT = {
  report_id: ['uuid', ({ data }: SubmittedReport) => data.reportId],
  input: ['text', ({ data }: SubmittedReport) => JSON.stringify(data.input)],
  address_key: ['uuid', ({ data }: SubmittedReport) => sourceAddressKey(data.input.sourceUrl)],
  title_key: ['uuid', ({ data }: SubmittedReport) => titleKey(data.input.expectedRecord)],
  source_record_id: ['text', ({ data }: SubmittedReport) => data.input.sourceRecordId ?? null],
  jurisdiction_slug: ['text', ({ data }: SubmittedReport) => data.input.jurisdictionSlug ?? null],
  record_date: ['text', ({ data }: SubmittedReport) => data.input.recordDate ?? null],
} as const;

/** Writes the submission again. */
export const updateInputs = (generation: number, submitted: readonly SubmittedReport[], columns: ColumnArrays): Statement =>
  updateRows(reportsTable(generation), rowSet(columns, submitted, INPUT));

/** A report that is there already stays as it is. */
export const insertSubmitted = (generation: number, submitted: readonly SubmittedReport[], columns: ColumnArrays): Statement =>
  insertRows(
    reportsTable(generation),
    rowSet(columns, submitted, {
      ...INPUT,
      account_id: ['uuid', ({ accountId }) => accountId],
      status: ['text', () => 'received'],
      submitted_at: ['bigint', ({ data }) => milliseconds(data.submittedAt)],
      updated_at: ['bigint', ({ data }) => milliseconds(data.submittedAt)],
      next_check_at: ['bigint', ({ data }) => milliseconds(data.nextCheckAt)],
      verified_records: ['text', () => '[]'],
      revision: ['bigint', () => -1],
      fencing_token: ['bigint', () => 0],
    }),
    'on conflict (report_id) do nothing',
  );

/** Applies the changes of lifecycle events. Returns the ids of existing reports and the times of their submission. */
export function updateTouched(generation: number, changes: ReadonlyMap<string, LifecycleChange>, columns: ColumnArrays): Statement {
  const rows = rowSet(columns, [...changes], {
    report_id: ['uuid', ([reportId]) => reportId],
    revision: ['bigint', ([, { revision }]) => revision],
    fencing_token: ['bigint', ([, { fencingToken }]) => fencingToken],
    updated_at: ['bigint', ([, { updatedAt }]) => milliseconds(updatedAt)],
    noted_at: ['bigint', ([, { note }]) => milliseconds(note?.notedAt)],
    note: ['text', ([, { note }]) => note?.text ?? null],
    // Null where the batch does not set it; 0 where it sets none.
    next_check_at: ['bigint', ([, { nextCheckAt }]) => (nextCheckAt === null ? 0 : milliseconds(nextCheckAt))],
  });
  const { text, values } = updateRows(reportsTable(generation), rows, {
    ...unlessNull('updated_at', 'noted_at', 'note'),
    next_check_at: 'nullif(coalesce(r.next_check_at, t.next_check_at), 0)',
  });
  return { text: `${text} returning t.report_id::text, t.submitted_at::text`, values };
}

/** Assignments that keep the stored value where the new one is null. */
const unlessNull = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, `coalesce(r.${name}, t.${name})`]));

/** What the last move of each report says. Reason, finding and next action stay until a move states others. */
export function updateMoved(generation: number, changes: ReadonlyMap<string, LifecycleChange>, columns: ColumnArrays): Statement {
  const moves = [...changes].flatMap(([reportId, { moved, firstMove }]) => (moved === null ? [] : [{ reportId, moved, firstMove }]));
  const rows = rowSet(columns, moves, {
    report_id: ['uuid', ({ reportId }) => reportId],
    status: ['text', ({ moved }) => moved.to],
    reason_code: ['text', ({ moved }) => moved.reasonCode],
    finding: ['text', ({ moved }) => moved.finding],
    next_action: ['text', ({ moved }) => moved.nextAction],
    verified_records: ['text', ({ moved }) => JSON.stringify(moved.verifiedRecords)],
    closed_at: ['bigint', ({ moved }) => (isClosedStatus(moved.to) ? milliseconds(moved.movedAt) : null)],
    first_moved_at: ['bigint', ({ firstMove }) => milliseconds(firstMove?.movedAt)],
  });
  return updateRows(reportsTable(generation), rows, {
    ...unlessNull('reason_code', 'finding', 'next_action'),
    first_moved_at: 'coalesce(t.first_moved_at, r.first_moved_at)',
  });
}

export interface Duration {
  readonly measure: ReportMeasure;
  readonly status: string;
  readonly milliseconds: number;
}

const bucketOf = (duration: Duration): number => REPORT_BUCKETS_SECONDS.find((upTo) => duration.milliseconds <= upTo * 1000) ?? LONGER;

/** Adds durations to the tallies. */
export const addTallies = (generation: number, durations: readonly Duration[], columns: ColumnArrays): Statement => ({
  text: `insert into ${reportTalliesTable(generation)} as t (measure, status, up_to_seconds, reports, milliseconds)
    select measure, status, up_to_seconds, count(*), sum(milliseconds)::bigint
    from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) d (measure, status, up_to_seconds, milliseconds)
    group by measure, status, up_to_seconds
    on conflict (measure, status, up_to_seconds)
      do update set reports = t.reports + excluded.reports, milliseconds = t.milliseconds + excluded.milliseconds`,
  values: [
    columns.texts(durations.map(({ measure }) => measure)),
    columns.texts(durations.map(({ status }) => status)),
    columns.bigints(durations.map(bucketOf)),
    columns.bigints(durations.map((duration) => duration.milliseconds)),
  ],
});
