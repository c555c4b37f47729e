import type { z } from 'zod';
import type { Resource } from '../domain/records/resources.ts';
import type { DataReport, NewDataReport, ReportReceipt } from './data-report.ts';
import type { FeedSubscription } from './feed-subscription.ts';
import type { getPublicBodyCadence } from './get-public-body-cadence.ts';
import type { listDfwResearchCoverage } from './list-dfw-research-coverage.ts';
import type { listPublicSourceStatuses } from './list-public-source-statuses.ts';
import type { listRecentAgendaHits } from './list-recent-agenda-hits.ts';
import type { listUpcomingAgendaHits } from './list-upcoming-agenda-hits.ts';

/** A complete response body as JSON text, and the number of its items, for the metrics. */
export interface JsonPage {
  readonly text: string;
  /** The same text in UTF-8, where the function has it; `text` is then computed on demand. */
  readonly body?: Buffer;
  readonly items: number;
  /** Present where it differs from the operation's success status. */
  readonly status?: number;
}

interface AskedPage {
  /** As received; decoding, binding (400) and expiry (410) are the query's. Left out: the start of what is read. */
  readonly cursor?: string;
  readonly limit: number;
  /** UTF-8 bytes. The edge refuses a larger body; a query may stop earlier. */
  readonly maxResponseBytes: number;
}

export interface ChangesInput extends AskedPage {
  /** Left out: every resource. */
  readonly resource?: Resource;
}

interface KeyOfAccount {
  readonly accountId: string;
  readonly keyId: string;
}

export interface SnapshotInput extends KeyOfAccount {
  readonly requestId: string;
}

export interface SnapshotPageInput extends AskedPage {
  readonly accountId: string;
  readonly snapshotId: string;
  readonly resource: Resource;
}

export interface NewSubscriptionInput extends KeyOfAccount {
  readonly requestId: string;
  readonly name: string;
  /** Null: every resource. */
  readonly resource: Resource | null;
  /** Most live feeds of the account by its current plan. */
  readonly cap: number;
}

export interface MadeSubscription {
  /** False where a live feed of this key, name and filter existed. */
  readonly created: boolean;
  readonly subscription: FeedSubscription;
}

export interface ListSubscriptionsInput extends KeyOfAccount {
  readonly cap: number;
}

export interface SubscriptionPlace extends KeyOfAccount {
  /** A lower-case uuid. */
  readonly subscriptionId: string;
}

export type SubscriptionChangesInput = SubscriptionPlace & AskedPage;

export interface RevocationInput extends SubscriptionPlace {
  readonly requestId: string;
}

export interface RecordsInput {
  /** Each resource once, its ids lower-case uuids, each once; ids that no record can have are left out already. */
  readonly requests: readonly { readonly resource: Resource; readonly ids: readonly string[] }[];
  readonly maxResponseBytes: number;
}

/** Missing-data reports. The report routes and the report tools call both functions and share every limit. */
export interface ReportFunctions {
  /** Refuses an unsafe address (`invalid_input`), another input under the same token, and what exceeds the limits of reports. */
  readonly submitDataReport: (submission: ReportSubmission) => Promise<ReportReceipt>;
  /** Refuses more than 30 reads of the account in a minute, and reports of other accounts. */
  readonly getDataReport: (wanted: ReportWanted) => Promise<DataReport>;
}

interface ReportSubmission extends KeyOfAccount {
  /** A key that presents a token over both is two aliases of it. */
  readonly surface: 'rest' | 'mcp';
  /** The idempotency token, of the form of the contract's `requestToken`. */
  readonly token: string;
  /** As parsed by the contract's `newDataReport`, without the token. */
  readonly input: NewDataReport;
  readonly requestId: string;
  /** Where the service is reached, without a slash at the end; a first receipt's `statusUrl` begins with it. */
  readonly baseUrl: string;
}

export interface ReportWanted {
  readonly accountId: string;
  /** A lower-case uuid. */
  readonly reportId: string;
}

/** The parsed parameters of public operations. Whether a topic is covered and a cursor decodes (400) is the query's. */
export type RecentHitsInput = Partial<z.output<typeof listRecentAgendaHits.query>> & { readonly limit: number };
export type UpcomingHitsInput = Partial<z.output<typeof listUpcomingAgendaHits.query>> & {
  readonly topicSlug: string;
  readonly count: boolean;
};
export type CadenceInput = z.output<typeof getPublicBodyCadence.params>;
export type SourceStatusesInput = Partial<z.output<typeof listPublicSourceStatuses.query>>;
export type CoverageInput = z.output<typeof listDfwResearchCoverage.query>;
