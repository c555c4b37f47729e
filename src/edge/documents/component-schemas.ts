import { z } from 'zod';
import { upcomingAgendaHit, publicAgendaHit } from '../../../contract/public-agenda-hit.ts';
import { createCivicSnapshot } from '../../../contract/create-civic-snapshot.ts';
import { createFeedSubscription, newSubscription } from '../../../contract/create-feed-subscription.ts';
import {
  dataReport,
  mcpSurface,
  newDataReport,
  reportReason,
  reportReceipt,
  reportStatus,
  reportSurface,
  restSurface,
} from '../../../contract/data-report.ts';
import { ERROR_CODES } from '../../../contract/error-codes.ts';
import { feedSubscription } from '../../../contract/feed-subscription.ts';
import { RECORD_DATA, resourceName } from '../../../contract/fields.ts';
import { getAgendaHit } from '../../../contract/get-agenda-hit.ts';
import { getDataReport } from '../../../contract/get-data-report.ts';
import { openApiDocument } from '../../../contract/get-openapi-document.ts';
import { getPublicBodyCadence, meetingCadence } from '../../../contract/get-public-body-cadence.ts';
import { jsonRpcError, jsonRpcRequest } from '../../../contract/json-rpc.ts';
import { feedSubscriptions } from '../../../contract/list-feed-subscriptions.ts';
import { listPublicSourceStatuses, publicSourceStatus } from '../../../contract/list-public-source-statuses.ts';
import { recentAgendaHits } from '../../../contract/list-recent-agenda-hits.ts';
import { upcomingAgendaHits, upcomingByCursor, upcomingByPage, upcomingPagination } from '../../../contract/list-upcoming-agenda-hits.ts';
import { mcpAnswer, postMcpJsonRpc } from '../../../contract/post-mcp-json-rpc.ts';
import { changeItem, changesPage } from '../../../contract/read-civic-changes.ts';
import { health, readCivicHealth } from '../../../contract/read-civic-health.ts';
import { batch, foundRecords } from '../../../contract/read-civic-records.ts';
import { readCivicSnapshotPage } from '../../../contract/read-civic-snapshot-page.ts';
import { county, coveredJurisdiction, coverageStatus, family, researchCoverage } from '../../../contract/research-coverage.ts';
import { revokedSubscription } from '../../../contract/revoke-feed-subscription.ts';
import { submitDataReport } from '../../../contract/submit-data-report.ts';
import { OPERATIONS } from '../../../contract/operations.ts';
import { paymentChallenge } from '../../../contract/tools/payment-challenge.ts';
import { paymentRequired, TOOL_RESULTS, toolError, toolErrorCode, toolsList } from '../../../contract/tools/tool-results.ts';
import { TOOLS } from '../../../contract/tools/tools.ts';
import { resourceCounts, resourceDigests } from '../../../domain/events/snapshot-events.ts';
import { RESOURCES, type Resource } from '../../../domain/records/resources.ts';
import { affectedLocation, proceduralContext, source } from '../../../domain/records/schemas.ts';

type Named = Readonly<Record<string, z.ZodType>>;

/** `agenda_hits` to `AgendaHits`. */
export const pascal = (words: string): string => words.replaceAll(/(?:^|[_-])([a-z])/g, (_, letter: string) => letter.toUpperCase());
const recordName = (resource: Resource): string => pascal(resource).replace(/ies$/, 'y').replace(/s$/, '');

const [anyUpsert, removal] = changeItem.options;
const foundRecord = foundRecords.shape.data.shape.items.element;

/** Of schemas that stand in the order of the resources. */
const byResource = (schemas: readonly z.ZodType[], name: (record: string) => string): Named =>
  Object.fromEntries(RESOURCES.map((resource, index) => [name(recordName(resource)), schemas[index]!]));
const byTool = (schemas: readonly (readonly [string, z.ZodType])[], suffix: string): Named =>
  Object.fromEntries(schemas.map(([tool, schema]) => [pascal(tool) + suffix, schema]));

type Body = { readonly schema: z.ZodType } | null;

/** A body without a name gets that of its operation. */
function unnamed(named: Named, body: 'success' | 'body', suffix: string): Named {
  const known = new Set(Object.values(named));
  const operations: readonly { readonly operationId: string; readonly success?: Body; readonly body?: Body }[] = Object.values(OPERATIONS);
  const added = operations.flatMap(({ operationId, [body]: owned }) =>
    owned && !known.has(owned.schema) ? [[pascal(`_${operationId}`) + suffix, owned.schema] as const] : [],
  );
  return Object.fromEntries(added);
}

/** Schemas of answers that have a name of their own in the documents. */
const NAMED_ANSWERS: Named = {
  ResourceName: resourceName,
  ...Object.fromEntries(RESOURCES.map((resource) => [recordName(resource), RECORD_DATA[resource]])),
  AffectedLocation: affectedLocation,
  LocationKind: affectedLocation.shape.locations.element.shape.kind,
  ProceduralContext: proceduralContext,
  ProceduralStage: proceduralContext.shape.proceduralStage,
  SourceType: source.shape.sourceType,
  SourceStatus: source.shape.status,
  PublicAgendaHit: publicAgendaHit,
  UpcomingAgendaHit: upcomingAgendaHit,
  RecentAgendaHits: recentAgendaHits,
  AgendaHitDetail: getAgendaHit.success.schema,
  UpcomingAgendaHits: upcomingAgendaHits,
  UpcomingByCursor: upcomingByCursor,
  UpcomingByPage: upcomingByPage,
  UpcomingPagination: upcomingPagination,
  County: county,
  Family: family,
  CoverageStatus: coverageStatus,
  CoveredJurisdiction: coveredJurisdiction,
  ResearchCoverage: researchCoverage,
  MeetingCadence: meetingCadence,
  PublicBodyCadence: getPublicBodyCadence.success.schema,
  PublicSourceStatus: publicSourceStatus,
  PublicSourceStatuses: listPublicSourceStatuses.success.schema,
  OpenApiDocument: openApiDocument,
  FeedSubscription: feedSubscription,
  CreatedFeedSubscription: createFeedSubscription.success.schema,
  FeedSubscriptions: feedSubscriptions,
  RevokedFeedSubscription: revokedSubscription,
  ...byResource(anyUpsert.options, (record) => `${record}Upsert`),
  RecordUpsert: anyUpsert,
  RecordRemoval: removal,
  ChangeItem: changeItem,
  ChangesPage: changesPage,
  ResourceCounts: resourceCounts,
  ResourceDigests: resourceDigests,
  CreatedSnapshot: createCivicSnapshot.success.schema,
  ...byResource(readCivicSnapshotPage.success.schema.options, (record) => `${record}SnapshotPage`),
  SnapshotPage: readCivicSnapshotPage.success.schema,
  ...byResource(foundRecord.options, (record) => `Found${record}`),
  FoundRecord: foundRecord,
  FoundRecords: foundRecords,
  Health: health,
  HealthAnswer: readCivicHealth.success.schema,
  ReportStatus: reportStatus,
  ReportReason: reportReason,
  ReportReceipt: reportReceipt,
  SubmittedDataReport: submitDataReport.success.schema,
  DataReport: dataReport,
  DataReportAnswer: getDataReport.success.schema,
  JsonRpcReply: postMcpJsonRpc.success.schema,
  JsonRpcAnswer: mcpAnswer,
  JsonRpcError: jsonRpcError,
  ToolsList: toolsList,
  ...byTool(Object.entries(TOOL_RESULTS), 'Result'),
  ToolError: toolError,
  ToolErrorCode: toolErrorCode,
  PaymentRequired: paymentRequired,
  PaymentChallenge: paymentChallenge,
  PublicErrorCode: ERROR_CODES.public,
  FeedErrorCode: ERROR_CODES.feed,
  ReportErrorCode: ERROR_CODES.report,
  ToolEndpointErrorCode: ERROR_CODES.tools,
  ClosedRouteErrorCode: ERROR_CODES.closed,
};
export const ANSWER_COMPONENTS: Named = { ...NAMED_ANSWERS, ...unnamed(NAMED_ANSWERS, 'success', 'Answer') };

/** What `params` of a `tools/call` is for each tool; the edge leaves the arguments to the tool itself. */
const toolCalls = Object.values(TOOLS).map(({ name, input }) => z.looseObject({ name: z.literal(name), arguments: input.optional() }));
const [firstCall, ...otherCalls] = toolCalls;

/** Schemas of requests that have a name of their own in the documents; what both sides share is named by the answers. */
const NAMED_REQUESTS: Named = {
  ResourceName: resourceName,
  County: county,
  Family: family,
  BatchRequest: batch,
  NewFeedSubscription: newSubscription,
  NewDataReport: newDataReport,
  RestSurface: restSurface,
  McpSurface: mcpSurface,
  ReportSurface: reportSurface,
  JsonRpcRequest: jsonRpcRequest,
  JsonRpcBody: postMcpJsonRpc.body.schema,
  ...byTool(
    Object.values(TOOLS).map(({ name, input }) => [name, input]),
    'Arguments',
  ),
  ...byTool(
    toolCalls.map((call) => [call.shape.name.value, call]),
    'Call',
  ),
  ToolCall: z.discriminatedUnion('name', [firstCall!, ...otherCalls]),
};
export const REQUEST_COMPONENTS: Named = { ...NAMED_REQUESTS, ...unnamed(NAMED_REQUESTS, 'body', 'Request') };

/** Closed objects: they never get a further field. */
export const CLOSED_COMPONENTS: readonly string[] = ['AffectedLocation', 'ProceduralContext', 'UpcomingPagination'];
