import type { StoredEvent } from '../ports/event-log.ts';
import { ACCOUNT_REPORT_EVENTS, type AccountReportEvent } from './report-events.ts';

/** An event of an account's report intake as stored in any version, in its current shape. Throws for an event of another category. */
export const readAccountReportEvent = (stored: Pick<StoredEvent, 'type' | 'data'>): AccountReportEvent => {
  if (!Object.hasOwn(ACCOUNT_REPORT_EVENTS, stored.type)) throw new Error(`${stored.type} is no event of report intake`);
  const type = stored.type as AccountReportEvent['type'];
  return { type, data: ACCOUNT_REPORT_EVENTS[type].parse(JSON.parse(stored.data)) } as AccountReportEvent;
};
