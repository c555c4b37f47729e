import { z } from 'zod';
import { eventReader, type EventsOf } from './event-reader.ts';
import type { EventLog } from '../ports/event-log.ts';
import { date, dateTime, orNull, uuid } from '../records/fields.ts';
import { REPORT_REASONS, REPORT_STATUSES } from '../reports.ts';
import { reportSwitchStream } from '../streams.ts';

/**
 * Intake is decided on `account_reports-<accountId>`, the lifecycle on `report-<reportId>`. A closed report is recorded
 * on the account's stream too.
 */
const token = z.string().min(1).max(128);
const reportSurfaceName = z.enum(['rest', 'mcp']);

/** The accepted input as parsed, without the token. */
export const reportInput = z.looseObject({
  sourceUrl: z.string(),
  expectedRecord: z.string(),
  jurisdictionSlug: z.string().optional(),
  recordKind: z.enum(['agenda', 'record_stream']).optional(),
  recordDate: date.optional(),
  sourceRecordId: z.string().optional(),
});
export type ReportInput = z.output<typeof reportInput>;

export const dataReportSubmitted = z.strictObject({
  reportId: uuid,
  token,
  /** SHA-256 of the canonical JSON of the input. */
  inputHash: z.string().regex(/^[0-9a-f]{64}$/),
  input: reportInput,
  keyId: uuid,
  surface: reportSurfaceName,
  submittedAt: dateTime,
  nextCheckAt: dateTime,
  /** The URL in the receipt. A repeated submission gets the same URL, even if the service has moved since. */
  statusUrl: z.string().min(1).max(2048),
});

export const ACCOUNT_REPORT_EVENTS = {
  DataReportSubmitted: dataReportSubmitted,
  /** Another key or surface has presented the token of a report. */
  DataReportTokenAliased: z.strictObject({ reportId: uuid, token, keyId: uuid, surface: reportSurfaceName }),
  /** The report was closed and no longer counts as unresolved. */
  DataReportSettled: z.strictObject({ reportId: uuid, closedAt: dateTime }),
} as const;

export const verifiedRecord = z.strictObject({
  itemId: uuid,
  sourceUrl: z.string().min(1).max(2048),
  title: z.string().min(1).max(300).optional(),
});

const byHolder = { holder: z.string().min(1).max(200), fencingToken: z.int().min(1) };

/**
 * The token is higher than all previous ones, so a move by an earlier owner conflicts. Renewals and releases are not
 * recorded.
 */
const dataReportLeased = z.strictObject({ accountId: uuid, ...byHolder, leasedAt: dateTime, leaseUntil: dateTime });

export const dataReportMoved = z.strictObject({
  accountId: uuid,
  from: z.enum(REPORT_STATUSES),
  to: z.enum(REPORT_STATUSES),
  reasonCode: orNull(z.enum(REPORT_REASONS)),
  finding: orNull(z.string().min(1).max(1000)),
  nextAction: orNull(z.string().min(1).max(500)),
  verifiedRecords: z.array(verifiedRecord).max(20),
  /** Null when the report is closed. */
  nextCheckAt: orNull(dateTime),
  movedAt: dateTime,
  ...byHolder,
});
/** Findings of an investigation that does not move the report; the text is for investigators only. */
export const dataReportNoted = z.strictObject({
  note: z.string().min(1).max(4000),
  notedAt: dateTime,
  /** Time of the next check for the customer; null leaves the time of the last move. */
  nextCheckAt: orNull(dateTime),
  ...byHolder,
});

export const REPORT_EVENTS = {
  DataReportLeased: dataReportLeased,
  DataReportMoved: dataReportMoved,
  DataReportNoted: dataReportNoted,
} as const;

/**
 * An operator paused or resumed intake or the worker. Streams `reports_control-intake` and `reports_control-worker`.
 */
export const REPORT_SWITCH_TURNED = 'ReportSwitchTurned';
export const reportSwitchTurned = z.strictObject({
  paused: z.boolean(),
  by: z.string().min(1).max(200),
  reason: orNull(z.string().min(1).max(500)),
});

export type AccountReportEvent = EventsOf<typeof ACCOUNT_REPORT_EVENTS>;
export const readAccountReportEvent = eventReader(ACCOUNT_REPORT_EVENTS, 'event of report intake');
export type ReportEvent = EventsOf<typeof REPORT_EVENTS>;
export const readReportEvent = eventReader(REPORT_EVENTS, "event of a report's lifecycle");

export const REPORT_SWITCHES = ['intake', 'worker'] as const;
export type ReportSwitch = (typeof REPORT_SWITCHES)[number];
const NEVER_TURNED = { paused: false, by: 'nobody', reason: null };

/**
 * Reads the switches from the log, so they are never stale. While `intake.paused`, intake answers repeated submissions
 * and refuses new reports with `intake_paused`.
 */
export async function readSwitches(log: Pick<EventLog, 'readLast'>) {
  const last = await log.readLast(REPORT_SWITCHES.map(reportSwitchStream));
  const state = (what: ReportSwitch): Readonly<z.output<typeof reportSwitchTurned>> => {
    const event = last.get(reportSwitchStream(what));
    return event === undefined ? NEVER_TURNED : reportSwitchTurned.parse(JSON.parse(event.data));
  };
  return { intake: state('intake'), worker: state('worker') };
}
