import type { Resource } from '../domain/records/resources.ts';
import type { DataReport, NewDataReport, ReportReceipt } from './data-report.ts';
import type { FeedSubscription } from './feed-subscription.ts';

/** A complete response body as JSON text, and the number of its items, for the metrics. */
export interface JsonPage {
  readonly text: string;
  /** The same text in UTF-8, where the function has it; `text` is then computed on demand. */
  readonly body?: Buffer;
  readonly items: number;
  /** Where it is another than the operation's success. */
  readonly status?: number;
}

export interface ChangesInput {
  /** As received; decoding, binding (400) and expiry (410) are the query's. Left out: the oldest replayable position. */
  readonly cursor?: string;
  /** Left out: every resource. */
  readonly resource?: Resource;
  readonly limit: number;
  /** The edge refuses a larger body by itself; a query may stop earlier. */
  readonly maxResponseBytes: number;
}

export interface SnapshotInput {
  readonly accountId: string;
  readonly keyId: string;
  readonly requestId: string;
}

/** A key of an account. */
export interface KeyOfAccount {
  readonly accountId: string;
  readonly keyId: string;
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
  /** False where the live feed of this key, name and filter was there already. */
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

export interface SubscriptionChangesInput extends SubscriptionPlace {
  /** As received; left out: the feed's start. */
  readonly cursor?: string;
  readonly limit: number;
  readonly maxResponseBytes: number;
}

export interface RevocationInput extends SubscriptionPlace {
  readonly requestId: string;
}

export interface SnapshotPageInput {
  readonly accountId: string;
  readonly snapshotId: string;
  readonly resource: Resource;
  readonly cursor?: string;
  readonly limit: number;
  readonly maxResponseBytes: number;
}

export interface RecordsInput {
  /** Each resource once, its ids lower-case uuids, each once; ids that no record can have are left out already. */
  readonly requests: readonly { readonly resource: Resource; readonly ids: readonly string[] }[];
  readonly maxResponseBytes: number;
}

/** Missing-data reports; both are asked by the report routes and by the report tools, which share every limit. */
export interface ReportFunctions {
  /** Refuses an unsafe address (`invalid_input`), another input under the same token, and what exceeds the limits of reports. */
  readonly submitDataReport: (submission: ReportSubmission) => Promise<ReportReceipt>;
  /** Refuses more than 30 reads of the account in a minute, and reports of other accounts. */
  readonly getDataReport: (wanted: ReportWanted) => Promise<DataReport>;
}

export interface ReportSubmission {
  readonly accountId: string;
  readonly keyId: string;
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

export interface RecentHitsInput {
  readonly jurisdictionSlug?: string | undefined;
  readonly topicSlug?: string | undefined;
  readonly excludeTopicSlug?: string | undefined;
  /** 1..3 */
  readonly limit: number;
}

export interface UpcomingHitsInput {
  /** Whether it is covered (400) is the query's. */
  readonly topicSlug: string;
  /** As received; the query decodes it (400). Not together with `page`. */
  readonly cursor?: string | undefined;
  /** 1..100: the legacy page form is wanted. */
  readonly page?: number | undefined;
  /** Whether the cursor form has the number of all upcoming hits. */
  readonly count: boolean;
}

export interface CadenceInput {
  readonly slug: string;
  readonly bodySlug: string;
}

export interface SourceStatusesInput {
  readonly jurisdictionSlug?: string | undefined;
  readonly bodySlug?: string | undefined;
}

export interface CoverageInput {
  readonly jurisdictionSlug?: string;
  readonly county?: string;
  readonly family?: string;
  readonly includeInactive: boolean;
  readonly limit: number;
  readonly cursor?: string;
}
