import type { KnownReport } from '../../queries/reports/known-reports.ts';
import { streamEvents } from '../../domain/read-log.ts';
import { readReportEvent, type ReportEvent } from '../../domain/events/report-events.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import { reportStream } from '../../domain/streams.ts';

/** One event of a report, as text. */
export interface ReportHappening {
  readonly at: string;
  readonly what: string;
  /** Holder and token of the lease; null without one. */
  readonly by: string | null;
  readonly details: readonly string[];
}

/** The history of a report from its events, oldest first. */
export const historyOf = async (log: EventLog, report: KnownReport): Promise<readonly ReportHappening[]> => {
  const happenings: ReportHappening[] = [{ at: report.submittedAt, what: 'received', by: null, details: [] }];
  for await (const stored of streamEvents(log, reportStream(report.reportId))) happenings.push(happening(readReportEvent(stored)));
  return happenings;
};

const happening = ({ type, data }: ReportEvent): ReportHappening => {
  const by = `${data.holder} (lease ${data.fencingToken})`;
  switch (type) {
    case 'DataReportLeased':
      return { at: data.leasedAt, what: 'leased', by, details: [`until ${data.leaseUntil} unless renewed`] };
    case 'DataReportMoved': {
      const { from, to, reasonCode, finding, nextAction, verifiedRecords, nextCheckAt } = data;
      const details = [
        ...(reasonCode === null ? [] : [`reason: ${reasonCode}`]),
        ...(finding === null ? [] : [`finding: ${finding}`]),
        ...(nextAction === null ? [] : [`next action: ${nextAction}`]),
        ...verifiedRecords.map(({ itemId, sourceUrl, title }) => `record: ${itemId} ${title ?? ''} ${sourceUrl}`),
        ...(nextCheckAt === null ? [] : [`next check: ${nextCheckAt}`]),
      ];
      return { at: data.movedAt, what: `${from} -> ${to}`, by, details };
    }
    case 'DataReportNoted': {
      const check = data.nextCheckAt === null ? [] : [`next check: ${data.nextCheckAt}`];
      return { at: data.notedAt, what: 'noted', by, details: [...data.note.split('\n'), ...check] };
    }
  }
};
