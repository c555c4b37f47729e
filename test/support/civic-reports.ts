import type { ReportEvent } from '../../domain/events/report-events.ts';
import { derivedId } from '../../domain/identifiers.ts';
import { type EventLog, NO_STREAM } from '../../domain/ports/event-log.ts';
import { CLOSED_REPORT_STATUSES, type ReportStatus } from '../../domain/reports.ts';
import { accountReportsStream, reportStream } from '../../domain/streams.ts';
import { below } from './civic-records.ts';

const START = Date.UTC(2026, 0, 1);
const at = (milliseconds: number): string => new Date(START + milliseconds).toISOString();

/** A valid submission of an account. */
export const reportInput = (number: number) => ({
  sourceUrl: `https://Example.org/agenda/${number}?b=2&a=1`,
  expectedRecord: `Item ${number}, "quoted" and ünïcode 𝔘`,
  ...(number % 2 === 0 ? { jurisdictionSlug: 'dallas', recordDate: '2026-01-14', sourceRecordId: String(number) } : {}),
});

export const submitted = (reportId: string, number: number, time: number) => ({
  type: 'DataReportSubmitted' as const,
  data: {
    reportId,
    token: `token-${number}`,
    inputHash: 'a'.repeat(64),
    input: reportInput(number),
    keyId: derivedId('test', 'key'),
    surface: 'rest' as const,
    submittedAt: at(time),
    nextCheckAt: at(time + 86_400_000),
    statusUrl: `http://127.0.0.1/api/v1/data-reports/${reportId}`,
  },
});

/** Any events of a report from `received` to its closing. */
function lifecycle(accountId: string, number: number, random: () => number): readonly ReportEvent[] {
  const events: ReportEvent[] = [];
  let from: ReportStatus = 'received';
  let time = number * 1000;
  let token = 0;
  const open = ['investigating', 'awaiting_source', 'gap_confirmed', 'backfilling'] as const;
  for (let remaining = below(random, 8); remaining > 0; remaining--) {
    time += below(random, 400_000_000);
    const by = { holder: `holder ${below(random, 3)}`, fencingToken: Math.max(1, token) };
    const kind = random();
    if (kind < 0.3) {
      token += 1;
      events.push({
        type: 'DataReportLeased',
        data: { ...by, accountId, fencingToken: token, leasedAt: at(time), leaseUntil: at(time + 1) },
      });
    } else if (kind < 0.5) {
      const nextCheckAt = random() < 0.5 ? at(time + 1000) : null;
      events.push({ type: 'DataReportNoted', data: { ...by, note: `Note ${time}`, notedAt: at(time), nextCheckAt } });
    } else {
      const closes = random() < 0.3;
      const to = closes ? CLOSED_REPORT_STATUSES[below(random, 5)]! : open[below(random, 4)]!;
      events.push({
        type: 'DataReportMoved',
        data: {
          ...by,
          accountId,
          from,
          to,
          reasonCode: random() < 0.5 ? 'publication_delay' : null,
          finding: closes || random() < 0.3 ? `Finding ${time}` : null,
          nextAction: random() < 0.3 ? `Next action ${time}` : null,
          verifiedRecords: closes
            ? [{ itemId: derivedId('test', 'item'), sourceUrl: 'https://example.org/', title: 'T' }]
            : [],
          nextCheckAt: closes ? null : at(time + 86_400_000),
          movedAt: at(time),
        },
      });
      from = to;
      if (closes) return events;
    }
  }
  return events;
}

/** An account's reports as events, their lifecycles interleaved with one another and with the submissions. */
export async function appendReports(log: EventLog, number: number, random: () => number): Promise<void> {
  const accountId = derivedId('test', 'account', number);
  const ids = [0, 1, 2].map((nth) => derivedId('test', 'report', number, nth));
  const waiting = ids.map((id, nth) => ({
    id,
    nth,
    revision: NO_STREAM,
    events: [...lifecycle(accountId, number * 3 + nth, random)],
  }));
  const append = async (stream: string, expectedRevision: number, { type, data }: { type: string; data: object }) => {
    const id = derivedId('test', 'report event', stream, expectedRevision);
    const event = {
      id,
      type,
      schemaVersion: 1,
      data: JSON.stringify(data),
      metadata: { commandId: id },
      time: START + number,
    };
    const outcome = await log.append({ stream, expectedRevision, events: [event] });
    if (outcome.kind !== 'appended') throw new Error(`${stream} has moved`);
  };
  let intake = NO_STREAM;
  const started: typeof waiting = [];
  while (intake < ids.length - 1 || started.some(({ events }) => events.length > 0)) {
    const next = started[below(random, started.length + 1)];
    if (next === undefined || next.events.length === 0) {
      if (intake === ids.length - 1) continue;
      const starting = waiting[intake + 1]!;
      await append(
        accountReportsStream(accountId),
        intake,
        submitted(starting.id, number * 3 + starting.nth, number * 1000),
      );
      intake += 1;
      started.push(starting);
    } else {
      await append(reportStream(next.id), next.revision, next.events.shift()!);
      next.revision += 1;
    }
  }
}
