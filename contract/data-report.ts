import { z } from 'zod';
import { date, uuid } from '../domain/records/fields.ts';
import { agendaItem } from '../domain/records/schemas.ts';
import { REPORT_REASONS, REPORT_STATUSES } from '../domain/reports.ts';
import { timestamp } from './fields.ts';
import { TOOL_NAMES } from './tools/tool-names.ts';

export const MAX_REPORT_BYTES = 8192;

/** Letters, digits, `.`, `_`, `:` and `-`, starting with a letter or digit. */
export const requestToken = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/);

const slug = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  .max(100);
const recordKind = z.enum(['agenda', 'record_stream']);

/** Routes on which a record may be missing; two of them belong to earlier versions. */
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

export const restSurface = z.strictObject({ kind: z.literal('rest'), route: z.enum(REPORT_ROUTES) });
export const mcpSurface = z.strictObject({ kind: z.literal('mcp'), tool: z.enum(TOOL_NAMES) });
export const reportSurface = z.discriminatedUnion('kind', [restSurface, mcpSurface]);

const filters = z.strictObject({
  jurisdictionSlug: slug.optional(),
  bodySlug: slug.optional(),
  topicSlug: z
    .string()
    .regex(/^[a-z0-9_-]{1,100}$/)
    .optional(),
  recordKind: recordKind.optional(),
  dateFrom: date.optional(),
  dateTo: date.optional(),
  sourceSystem: z.string().min(1).max(200).optional(),
  sourceRecordId: z.string().min(1).max(200).optional(),
});

/** The missing record and where the customer searched for it. Intake checks that the address is safe; it does not fetch it. */
export const newDataReport = z.strictObject({
  sourceUrl: z.string().min(1).max(2048),
  expectedRecord: z.string().min(1).max(1000),
  jurisdictionSlug: slug.optional(),
  recordKind: recordKind.optional(),
  recordDate: date.optional(),
  sourceRecordId: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}$/)
    .optional(),
  queryContext: z
    .strictObject({ searchTerms: z.string().min(1).max(200).optional(), filters: filters.optional(), surface: reportSurface })
    .optional(),
  requestId: requestToken.optional(),
});
export type NewDataReport = z.output<typeof newDataReport>;

export const reportStatus = z.enum(REPORT_STATUSES);
export const reportReason = z.enum(REPORT_REASONS);

export const reportReceipt = z.strictObject({
  reportId: uuid,
  status: reportStatus,
  statusUrl: z.string().min(1).max(2048),
  submittedAt: timestamp,
  nextCheckAt: timestamp,
});
export type ReportReceipt = z.output<typeof reportReceipt>;

const verifiedRecord = z.strictObject({
  itemId: uuid,
  sourceUrl: agendaItem.shape.sourceUrl.max(2048),
  title: z.string().min(1).max(300).optional(),
});

/** `closedAt` is present only after the report is closed, `nextCheckAt` only before. */
export const dataReport = z.strictObject({
  reportId: uuid,
  status: reportStatus,
  submittedAt: timestamp,
  updatedAt: timestamp,
  closedAt: timestamp.optional(),
  nextCheckAt: timestamp.optional(),
  reasonCode: reportReason.optional(),
  finding: z.string().min(1).max(1000).optional(),
  nextAction: z.string().min(1).max(500).optional(),
  verifiedRecords: z.array(verifiedRecord).max(20),
});
export type DataReport = z.output<typeof dataReport>;
