import { z } from 'zod';
import { date, uuid } from '../domain/records/fields.ts';
import { agendaHit, agendaItem } from '../domain/records/schemas.ts';
import { REPORT_REASONS, REPORT_STATUSES } from '../domain/reports.ts';
import { component, matching, MEANINGS, timestamp, updatedAt } from './fields.ts';
import { TOOL_NAMES } from './tools/tool-names.ts';

export const MAX_REPORT_BYTES = 8192;
export const requestToken = matching(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/);
const slug = matching(/^[a-z0-9]+(-[a-z0-9]+)*$/).max(100);
const jurisdictionSlug = slug.describe(MEANINGS.jurisdictionSlug).optional();
const recordKind = z
  .enum(['agenda', 'record_stream'])
  .describe('Kind of the missing record: an agenda, or a record of a stream.')
  .optional();
const SOURCE_RECORD_ID = 'Identifier at the source.';

/** Routes on which a record can be missing; two of them belong to earlier versions. */
export const REPORT_ROUTES = [
  '/api/v1/agenda/search',
  '/api/v1/agenda/search-facets',
  '/api/v1/agenda/items/{itemId}',
  '/api/v1/data/changes',
  '/api/v1/data/snapshots',
  '/api/v1/data/snapshots/{snapshotId}/{resource}',
  '/api/v1/data/batch',
  '/api/v1/public/agenda-hits',
  '/api/v1/public/agenda-hits/{matchId}',
  '/api/v1/public/upcoming-agenda-hits',
  '/api/v1/public/coverage',
  '/api/v1/public/source-status',
] as const;

const restSurface = component('RestSurface', {
  kind: z.literal('rest').describe(MEANINGS.kind),
  route: z.enum(REPORT_ROUTES).describe('The requested route.'),
});
const mcpSurface = component('McpSurface', {
  kind: z.literal('mcp').describe(MEANINGS.kind),
  tool: z.enum(TOOL_NAMES).describe('The tool that was called.'),
});
const reportSurface = z.discriminatedUnion('kind', [restSurface, mcpSurface]).meta({ id: 'ReportSurface' });

const filters = z.strictObject({
  jurisdictionSlug,
  bodySlug: slug.describe(MEANINGS.bodySlug).optional(),
  topicSlug: matching(/^[a-z0-9_-]{1,100}$/)
    .describe(MEANINGS.topicSlug)
    .optional(),
  recordKind,
  dateFrom: date.describe('First requested day.').optional(),
  dateTo: date.describe('Last requested day.').optional(),
  sourceSystem: z.string().min(1).max(200).describe('The system that publishes the record.').optional(),
  sourceRecordId: z.string().min(1).max(200).describe(SOURCE_RECORD_ID).optional(),
});

/** The missing record and where the customer searched for it. Intake checks that the address is safe; it does not fetch it. */
export const newDataReport = component('NewDataReport', {
  sourceUrl: z.string().min(1).max(2048).describe('The original public record, which is authoritative.'),
  expectedRecord: z.string().min(1).max(1000).describe('Description of the missing record.'),
  jurisdictionSlug,
  recordKind,
  recordDate: date.describe('Day of the record.').optional(),
  sourceRecordId: matching(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}$/)
    .describe(SOURCE_RECORD_ID)
    .optional(),
  queryContext: z
    .strictObject({
      searchTerms: z.string().min(1).max(200).describe('Words that were searched for.').optional(),
      filters: filters.describe('The filters of the search for the record.').optional(),
      surface: reportSurface.describe('Where the record was looked for.'),
    })
    .describe('Where and how the record was looked for.')
    .optional(),
  requestId: requestToken.describe('A name of the caller for the request.').optional(),
});
export type NewDataReport = z.output<typeof newDataReport>;

const reportReason = z.enum(REPORT_REASONS).meta({ id: 'ReportReason' });

const report = {
  reportId: uuid.describe('Identifier of the report.'),
  status: z.enum(REPORT_STATUSES).meta({ id: 'ReportStatus' }).describe(MEANINGS.status),
  submittedAt: timestamp.describe('When the report was received.'),
};
const nextCheckAt = timestamp.describe('Time of the next check; absent if closed.');

export const reportReceipt = component('ReportReceipt', {
  ...report,
  statusUrl: z.string().min(1).max(2048).describe('Address of the report.'),
  nextCheckAt,
});
export type ReportReceipt = z.output<typeof reportReceipt>;

const verifiedRecord = z.strictObject({
  itemId: agendaHit.shape.agendaItemId,
  sourceUrl: agendaItem.shape.sourceUrl.max(2048),
  title: z.string().min(1).max(300).describe('Title.').optional(),
});

export const dataReport = component('DataReport', {
  ...report,
  updatedAt,
  closedAt: timestamp.describe('When the report was closed; absent before.').optional(),
  nextCheckAt: nextCheckAt.optional(),
  reasonCode: reportReason.describe('Reason why the record was or seemed missing.').optional(),
  finding: z.string().min(1).max(1000).describe('Finding of the investigation.').optional(),
  nextAction: z.string().min(1).max(500).describe('Next step of the service, or of the caller.').optional(),
  verifiedRecords: z.array(verifiedRecord).max(20).describe('Records that answer the report.'),
});
export type DataReport = z.output<typeof dataReport>;
