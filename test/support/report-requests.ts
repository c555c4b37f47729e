import { randomUUID } from 'node:crypto';
import { type DataReport, dataReport, type ReportReceipt, reportReceipt } from '../../contract/data-report.ts';
import { settleReport } from '../../commands/reports/work-on-report.ts';
import { readAccountReportEvent, type ReportEvent } from '../../domain/events/report-events.ts';
import { NO_STREAM } from '../../domain/ports/event-log.ts';
import { accountReportsStream, reportStream } from '../../domain/streams.ts';
import { idempotent, MISSING_RECORD } from './missing-record.ts';
import type { ServedCivic } from './served-civic.ts';

/** No limit of client addresses: all requests of a test come from one. */
export const MANY_CLIENTS = { CIVIC_REPORT_CLIENT_LIMIT: '1000000/60' } as const;

type At = Pick<ServedCivic, 'baseUrl'>;

export const submitReport = (
  { baseUrl }: At,
  key: string,
  token: string | undefined,
  body: unknown = MISSING_RECORD,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${baseUrl}/api/v1/data-reports`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(token === undefined ? {} : idempotent(token)),
      ...headers,
    },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });

export const readReport = ({ baseUrl }: At, key: string, reportId: string): Promise<Response> =>
  fetch(`${baseUrl}/api/v1/data-reports/${reportId}`, { headers: { authorization: `Bearer ${key}` } });

/** The body of an answer that must be a success of its operation. */
async function dataOf(answer: Promise<Response>, status: number): Promise<unknown> {
  const response = await answer;
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status}: ${text}`);
  return (JSON.parse(text) as { data: unknown }).data;
}

export const receiptOf = async (answer: Promise<Response>): Promise<ReportReceipt> =>
  reportReceipt.parse(await dataOf(answer, 202));

export const newReport = (
  at: At,
  key: string,
  token: string = randomUUID(),
  body: unknown = MISSING_RECORD,
): Promise<ReportReceipt> => receiptOf(submitReport(at, key, token, body));

export const reportOf = async (at: At, key: string, reportId: string): Promise<DataReport> =>
  dataReport.parse(await dataOf(readReport(at, key, reportId), 200));

/** The rows of intake for an account. */
export async function intakeEvents({ civic }: ServedCivic, accountId: string) {
  const stored = await civic.log.readStream(accountReportsStream(accountId), NO_STREAM, 10_000);
  return stored.map((event) => ({
    ...readAccountReportEvent(event),
    metadata: JSON.parse(event.metadata) as Record<string, unknown>,
  }));
}

type Moved = Extract<ReportEvent, { type: 'DataReportMoved' }>['data'];

/** Appends lifecycle events to the stream of a report; waits until they can be read. */
export async function moveReport({ civic }: ServedCivic, reportId: string, data: Moved): Promise<void> {
  const stream = reportStream(reportId);
  const last = (await civic.log.readLast([stream])).get(stream);
  const event = {
    id: randomUUID(),
    type: 'DataReportMoved',
    schemaVersion: 1,
    data: JSON.stringify(data),
    metadata: { commandId: randomUUID() },
  };
  const events = [{ ...event, time: civic.clock.now() }];
  await civic.log.append({ stream, expectedRevision: last?.revision ?? NO_STREAM, events });
  await civic.caughtUp(await civic.log.head());
}

/** A move out of `received` without further text. */
export const plainMove = ({ clock }: ServedCivic, accountId: string, to: Moved['to']): Moved => ({
  accountId,
  from: 'received',
  to,
  reasonCode: null,
  finding: null,
  nextAction: null,
  verifiedRecords: [],
  nextCheckAt: null,
  movedAt: new Date(clock.now()).toISOString(),
  holder: 'test',
  fencingToken: 1,
});

/** Closes a report and notifies its account. */
export async function closeReport(served: ServedCivic, accountId: string, reportId: string): Promise<void> {
  const { civic } = served;
  await moveReport(served, reportId, plainMove(served, accountId, 'declined'));
  const closedAt = new Date(civic.clock.now()).toISOString();
  const settling = { accountId, reportId, closedAt, commandId: randomUUID(), causedBy: randomUUID() };
  await settleReport(civic, settling, civic.clock.now() + 60_000);
}
