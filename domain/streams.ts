import { isResource, type Resource } from './records/resources.ts';

/** Stream names are `<category>-<id>`; a category has no hyphen. */
export const recordStream = (resource: Resource, recordId: string): string => `${resource}-${recordId}`;
export const accountStream = (accountId: string): string => `account-${accountId}`;
export const accountFeedsStream = (accountId: string): string => `account_feeds-${accountId}`;
export const accountReportsStream = (accountId: string): string => `account_reports-${accountId}`;
export const reportStream = (reportId: string): string => `report-${reportId}`;
export const reportSwitchStream = (what: 'intake' | 'worker'): string => `reports_control-${what}`;
export const snapshotStream = (snapshotId: string): string => `snapshot-${snapshotId}`;
export const seedStream = (name: string): string => `seed-${name}`;
export const projectionStream = (name: string): string => `projection-${name}`;
export const restoreStream = (restoreId: string): string => `restore-${restoreId}`;
export const FEED_STREAM = 'feed-civic';
export const ERASURES_STREAM = 'erasures-civic';
export const SOURCE_LIST_STREAM = 'source_list-civic';
export const category = (stream: string): string => stream.slice(0, stream.indexOf('-'));
export const streamId = (stream: string): string => stream.slice(stream.indexOf('-') + 1);

/** The resource and record id of a record's own stream. Throws for any other stream. */
export function recordOfStream(stream: string): { readonly resource: Resource; readonly recordId: string } {
  const resource = category(stream);
  if (!isResource(resource)) throw new Error(`${stream} is no stream of a civic record`);
  return { resource, recordId: streamId(stream) };
}
