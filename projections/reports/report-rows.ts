import type { z } from 'zod';
import { type dataReportMoved, dataReportSubmitted, readReportEvent } from '../../domain/events/report-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import { streamId } from '../../domain/streams.ts';
import type { ColumnArrays, Statement } from '../../domain/ports/database.ts';
import { isClosedStatus } from '../../domain/reports.ts';
import { sourceAddressKey } from '../../domain/source-url.ts';
import { titleKey } from '../../domain/title-words.ts';
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
function inputColumns(submitted: readonly SubmittedReport[], columns: ColumnArrays) {
  const inputs = submitted.map(({ data }) => data.input);
  return [
    columns.texts(inputs.map((input) => JSON.stringify(input))),
    columns.uuids(inputs.map(({ sourceUrl }) => sourceAddressKey(sourceUrl))),
    columns.uuids(inputs.map(({ expectedRecord }) => titleKey(expectedRecord))),
    columns.texts(inputs.map(({ sourceRecordId }) => sourceRecordId ?? null)),
    columns.texts(inputs.map(({ jurisdictionSlug }) => jurisdictionSlug ?? null)),
    columns.texts(inputs.map(({ recordDate }) => recordDate ?? null)),
  ];
}

/** Writes the submission again. */
export const updateInputs = (generation: number, submitted: readonly SubmittedReport[], columns: ColumnArrays): Statement => ({
  text: `update ${reportsTable(generation)} r set input = s.input, address_key = s.address_key, title_key = s.title_key,
      source_record_id = s.source_record_id, jurisdiction_slug = s.jurisdiction_slug, record_date = s.record_date
    from unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[])
      s (report_id, input, address_key, title_key, source_record_id, jurisdiction_slug, record_date)
    where r.report_id = s.report_id`,
  values: [columns.uuids(submitted.map(({ data }) => data.reportId)), ...inputColumns(submitted, columns)],
});

/** A report that is there already stays as it is. */
export function insertSubmitted(generation: number, submitted: readonly SubmittedReport[], columns: ColumnArrays): Statement {
  return {
    text: `insert into ${reportsTable(generation)} (report_id, account_id, status, submitted_at, updated_at, next_check_at,
        verified_records, input, address_key, title_key, source_record_id, jurisdiction_slug, record_date, revision, fencing_token)
      select report_id, account_id, 'received', submitted_at, submitted_at, next_check_at,
        '[]', input, address_key, title_key, source_record_id, jurisdiction_slug, record_date, -1, 0
      from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::text[], $6::uuid[], $7::uuid[], $8::text[], $9::text[], $10::text[])
        s (report_id, account_id, submitted_at, next_check_at, input, address_key, title_key, source_record_id, jurisdiction_slug, record_date)
      on conflict (report_id) do nothing`,
    values: [
      columns.uuids(submitted.map(({ data }) => data.reportId)),
      columns.uuids(submitted.map(({ accountId }) => accountId)),
      columns.bigints(submitted.map(({ data }) => milliseconds(data.submittedAt))),
      columns.bigints(submitted.map(({ data }) => milliseconds(data.nextCheckAt))),
      ...inputColumns(submitted, columns),
    ],
  };
}

/** Applies the changes of lifecycle events. Returns the ids of existing reports and the times of their submission. */
export function updateTouched(generation: number, changes: ReadonlyMap<string, LifecycleChange>, columns: ColumnArrays): Statement {
  const all = [...changes.values()];
  return {
    text: `update ${reportsTable(generation)} r set revision = c.revision, fencing_token = c.fencing_token,
        updated_at = coalesce(c.updated_at, r.updated_at),
        next_check_at = case when c.checked then c.next_check_at else r.next_check_at end,
        noted_at = coalesce(c.noted_at, r.noted_at), note = coalesce(c.note, r.note)
      from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[], $6::bigint[], $7::bigint[], $8::text[])
        c (report_id, revision, fencing_token, updated_at, checked, next_check_at, noted_at, note)
      where r.report_id = c.report_id
      returning r.report_id::text, r.submitted_at::text`,
    values: [
      columns.uuids([...changes.keys()]),
      columns.bigints(all.map(({ revision }) => revision)),
      columns.bigints(all.map(({ fencingToken }) => fencingToken)),
      columns.bigints(all.map(({ updatedAt }) => milliseconds(updatedAt))),
      columns.booleans(all.map(({ nextCheckAt }) => nextCheckAt !== undefined)),
      columns.bigints(all.map(({ nextCheckAt }) => milliseconds(nextCheckAt))),
      columns.bigints(all.map(({ note }) => milliseconds(note?.notedAt))),
      columns.texts(all.map(({ note }) => note?.text ?? null)),
    ],
  };
}

/** What the last move of each report says. Reason, finding and next action stay until a move states others. */
export function updateMoved(generation: number, changes: ReadonlyMap<string, LifecycleChange>, columns: ColumnArrays): Statement {
  const moves = [...changes].flatMap(([reportId, { moved, firstMove }]) => (moved === null ? [] : [{ reportId, moved, firstMove }]));
  return {
    text: `update ${reportsTable(generation)} r set status = m.status, reason_code = coalesce(m.reason_code, r.reason_code),
        finding = coalesce(m.finding, r.finding), next_action = coalesce(m.next_action, r.next_action), verified_records = m.verified_records, closed_at = m.closed_at,
        first_moved_at = coalesce(r.first_moved_at, m.first_moved_at)
      from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[])
        m (report_id, status, reason_code, finding, next_action, verified_records, closed_at, first_moved_at)
      where r.report_id = m.report_id`,
    values: [
      columns.uuids(moves.map(({ reportId }) => reportId)),
      columns.texts(moves.map(({ moved }) => moved.to)),
      columns.texts(moves.map(({ moved }) => moved.reasonCode)),
      columns.texts(moves.map(({ moved }) => moved.finding)),
      columns.texts(moves.map(({ moved }) => moved.nextAction)),
      columns.texts(moves.map(({ moved }) => JSON.stringify(moved.verifiedRecords))),
      columns.bigints(moves.map(({ moved }) => (isClosedStatus(moved.to) ? milliseconds(moved.movedAt) : null))),
      columns.bigints(moves.map(({ firstMove }) => milliseconds(firstMove?.movedAt))),
    ],
  };
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
