import type { KnownReport } from '../../queries/known-reports.ts';
import { readReportEvent } from '../domain/events/read-report-event.ts';
import type { ReportEvent } from '../domain/events/report-events.ts';
import { type EventLog, NO_STREAM } from '../domain/ports/event-log.ts';
import { reportStream } from '../domain/streams.ts';

/** One thing that happened to a report, for a person to read. */
export interface ReportHappening {
  readonly at: string;
  readonly what: string;
  /** Holder and token of the lease, null where it was no holder's doing. */
  readonly by: string | null;
  readonly details: readonly string[];
}

const PAGE = 500;

/** Everything that happened to a report since it was received, from its own events, oldest first. */
export const historyOf = async (log: EventLog, report: KnownReport): Promise<readonly ReportHappening[]> => {
  const happenings: ReportHappening[] = [{ at: report.submittedAt, what: 'received', by: null, details: [] }];
  for (let after = NO_STREAM; ; ) {
    const page = await log.readStream(reportStream(report.reportId), after, PAGE);
    for (const stored of page) happenings.push(happening(readReportEvent(stored)));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return happenings;
    after = last.revision;
  }
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
