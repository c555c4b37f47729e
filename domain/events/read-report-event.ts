import type { StoredEvent } from '../ports/event-log.ts';
import { REPORT_EVENTS, type ReportEvent } from './report-events.ts';

/** An event of a report's lifecycle as stored in any version, in its current shape. Throws for an event of another category. */
export const readReportEvent = (stored: Pick<StoredEvent, 'type' | 'data'>): ReportEvent => {
  if (!Object.hasOwn(REPORT_EVENTS, stored.type)) throw new Error(`${stored.type} is no event of a report's lifecycle`);
  const type = stored.type as ReportEvent['type'];
  return { type, data: REPORT_EVENTS[type].parse(JSON.parse(stored.data)) } as ReportEvent;
};
