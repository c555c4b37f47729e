import type { OnAllowance } from '../domain/ports/counts.ts';
import type { z } from 'zod';
import type { Resource } from '../domain/records/resources.ts';
import type { createFeedSubscription } from './create-feed-subscription.ts';
import type { DataReport, NewDataReport, ReportReceipt } from './data-report.ts';
import type { FeedSubscription } from './feed-subscription.ts';
import type { getPublicBodyCadence } from './get-public-body-cadence.ts';
import type { listDfwResearchCoverage } from './list-dfw-research-coverage.ts';
import type { listPublicSourceStatuses } from './list-public-source-statuses.ts';
import type { listRecentAgendaHits } from './list-recent-agenda-hits.ts';
import type { listUpcomingAgendaHits } from './list-upcoming-agenda-hits.ts';
import type { PageForm } from './operation.ts';
import type { readCivicChanges } from './read-civic-changes.ts';
import type { readCivicSnapshotPage } from './read-civic-snapshot-page.ts';
import type { readFeedSubscriptionChanges } from './read-feed-subscription-changes.ts';

/** A complete response body as JSON text, and the number of its items, for the metrics. */
export interface JsonPage {
  readonly text: string;
  /** The same text in UTF-8, where the function has it; `text` is then computed on demand. */
  readonly body?: Buffer;
  readonly items: number;
  /** Present if it differs from the operation's success status. */
  readonly status?: number;
  /** Time of the next change after a cursor, in milliseconds since the epoch; null at the head. */
  readonly unreadSince?: number | null;
}

/** UTF-8 bytes. The edge refuses a larger body; a query may stop earlier. */
type AnswerLimit = { readonly maxResponseBytes: number };
/** JSON if absent. */
type PageBounds = AnswerLimit & { readonly form?: PageForm };
type OfAccount = { readonly accountId: string };
type KeyOfAccount = OfAccount & { readonly keyId: string };
type ChangeRequest = KeyOfAccount & { readonly requestId: string };
type SubscriptionCap = { readonly cap: number };

/**
 * Cursors as received: the query decodes them and checks binding (400) and expiry (410). If absent, the read begins at
 * the start.
 */
export type ChangesInput = z.output<typeof readCivicChanges.query> & PageBounds;
export type SnapshotInput = ChangeRequest;
export type SnapshotPageInput = z.output<typeof readCivicSnapshotPage.params> &
  z.output<typeof readCivicSnapshotPage.query> &
  OfAccount &
  PageBounds;

export type NewSubscriptionInput = z.output<typeof createFeedSubscription.body.schema> &
  ChangeRequest &
  SubscriptionCap;
export type ListSubscriptionsInput = KeyOfAccount & SubscriptionCap;

export interface MadeSubscription {
  /** False if a live feed of this key, name and filter existed. */
  readonly created: boolean;
  readonly subscription: FeedSubscription;
}

export interface SubscriptionPlace extends KeyOfAccount {
  /** A lower-case uuid. */
  readonly subscriptionId: string;
}
export type SubscriptionChangesInput = z.output<typeof readFeedSubscriptionChanges.query> &
  SubscriptionPlace &
  PageBounds;
export type RevocationInput = SubscriptionPlace & ChangeRequest;

export interface RecordsInput extends AnswerLimit {
  /** Each resource once, its ids lower-case uuids, each once; ids that no record can have are already removed. */
  readonly requests: readonly { readonly resource: Resource; readonly ids: readonly string[] }[];
}

/** Missing-data reports. The report routes and the report tools call both functions and share every limit. */
export interface ReportFunctions {
  /** Refuses an unsafe address (`invalid_input`), another input under the same token, and what exceeds the limits of reports. */
  readonly submitDataReport: (submission: ReportSubmission) => Promise<ReportReceipt>;
  /** Refuses more than 30 reads of the account in a minute, and reports of other accounts. */
  readonly getDataReport: (request: ReportWanted) => Promise<DataReport>;
}

interface ReportSubmission extends ChangeRequest {
  readonly onAllowance?: OnAllowance | undefined;
  /** One key that sends a token over both surfaces counts as two aliases of the token. */
  readonly surface: 'rest' | 'mcp';
  readonly token: string;
  /** The input without the token. */
  readonly input: NewDataReport;
  /** Base URL of the service, without a trailing slash; the `statusUrl` of a first receipt begins with it. */
  readonly baseUrl: string;
}

export interface ReportWanted extends OfAccount {
  readonly onAllowance?: OnAllowance | undefined;
  /** A lower-case uuid. */
  readonly reportId: string;
}

/** The parsed parameters of public operations. The query checks that a topic is covered and a cursor decodes (400). */
export type RecentHitsInput = Partial<z.output<typeof listRecentAgendaHits.query>> & { readonly limit: number };
export type UpcomingHitsInput = Partial<z.output<typeof listUpcomingAgendaHits.query>> & {
  readonly topicSlug: string;
  readonly count: boolean;
};
export type CadenceInput = z.output<typeof getPublicBodyCadence.params>;
export type SourceStatusesInput = Partial<z.output<typeof listPublicSourceStatuses.query>>;
export type CoverageInput = z.output<typeof listDfwResearchCoverage.query>;
