import type { Resource } from '../domain/records/resources.ts';
import type { CreatedSnapshot } from './create-civic-snapshot.ts';
import type { DataReport, NewDataReport, ReportReceipt } from './data-report.ts';
import type { FeedSubscription } from './feed-subscription.ts';
import type { MeetingCadence } from './get-public-body-cadence.ts';
import type { FeedSubscriptions } from './list-feed-subscriptions.ts';
import type { PublicSourceStatus } from './list-public-source-statuses.ts';
import type { Health } from './read-civic-health.ts';

/**
 * What the edge asks of the program behind it, one function per operation. Inputs are parsed and clamped. Refusals are thrown as
 * `Rejection`; `DeadlineExceeded` is answered 504, and a store that cannot be reached 503, without the function doing anything about it.
 */
export interface OperationFunctions extends ReportFunctions {
  readonly readCivicChanges: (input: ChangesInput) => Promise<JsonPage>;
  readonly createCivicSnapshot: (input: SnapshotInput) => Promise<CreatedSnapshot>;
  readonly readCivicSnapshotPage: (input: SnapshotPageInput) => Promise<JsonPage>;
  readonly readCivicRecords: (input: RecordsInput) => Promise<JsonPage>;
  readonly readCivicHealth: () => Promise<Health>;
  readonly createFeedSubscription: (input: NewSubscriptionInput) => Promise<MadeSubscription>;
  readonly listFeedSubscriptions: (input: ListSubscriptionsInput) => Promise<FeedSubscriptions>;
  readonly readFeedSubscriptionChanges: (input: SubscriptionChangesInput) => Promise<JsonPage>;
  readonly revokeFeedSubscription: (input: RevocationInput) => Promise<{ readonly id: string; readonly revokedAt: string }>;
}

/** A whole response body as JSON text, sent as it is, and the number of items in it (for the metrics). */
export interface JsonPage {
  readonly text: string;
  /** The same text in UTF-8, where the function has it: then `text` is made only for those who ask. */
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

/** A key of an account; what it asks for is its own. */
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
  /** Refuses an unsafe address (`invalid_input`), another input under the same token, and whatever the limits of reports refuse. */
  readonly submitDataReport: (submission: ReportSubmission) => Promise<ReportReceipt>;
  /** Refuses more than 30 reads of the account in a minute, and what is no report of this account. */
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

/**
 * The public operations that are answered from the agenda. What they throw beside a `Rejection` is a soft failure: the edge answers the
 * empty success, or 404 where one record is asked for; the source statuses, which have no soft failure, are 500 then.
 */
export interface PublicAgendaFunctions {
  readonly listRecentAgendaHits: (input: RecentHitsInput) => Promise<JsonPage>;
  /** A lower-case uuid. */
  readonly getAgendaHit: (matchId: string) => Promise<JsonPage>;
  readonly listUpcomingAgendaHits: (input: UpcomingHitsInput) => Promise<JsonPage>;
  readonly getPublicBodyCadence: (input: CadenceInput) => Promise<MeetingCadence>;
  readonly listPublicSourceStatuses: (input: SourceStatusesInput) => Promise<readonly PublicSourceStatus[]>;
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
  /** As received; decoding (400) is the query's. Never beside `page`. */
  readonly cursor?: string | undefined;
  /** 1..100: the legacy page form is wanted. */
  readonly page?: number | undefined;
  /** Whether the cursor form tells the number of all upcoming hits. */
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

/** What the public operations are answered from. */
export interface PublicFunctions extends PublicAgendaFunctions {
  /** A page as it is sent; a cursor that does not fit is refused. */
  readonly listDfwResearchCoverage: (input: CoverageInput) => object;
}

export interface CoverageInput {
  readonly jurisdictionSlug?: string;
  readonly county?: string;
  readonly family?: string;
  readonly includeInactive: boolean;
  readonly limit: number;
  readonly cursor?: string;
}
