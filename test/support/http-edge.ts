import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { listDfwResearchCoverage } from '../../queries/coverage/list-dfw-research-coverage.ts';
import { noUpcomingHits } from '../../queries/agenda/agenda-hits.ts';
import { type Admission, createAdmission } from '../../src/edge/admission/admit.ts';
import { BUILT_IN_PLANS } from '../../src/edge/admission/plans.ts';
import { createReportClients } from '../../src/edge/admission/report-clients.ts';
import { createPublicLimits, type PublicLimit, type PublicLimits } from '../../src/edge/admission/public-limits.ts';
import type { ReportFunctions } from '../../contract/inputs.ts';
import { type AgendaFunctions, agendaOperations } from '../../src/app/modules/agenda.ts';
import { type CoverageFunctions, coverageOperations } from '../../src/app/modules/coverage.ts';
import { type FeedFunctions, feedOperations } from '../../src/app/modules/feed.ts';
import { type OperatorFunctions, operatorOperations } from '../../src/app/modules/operators.ts';
import { reportOperations } from '../../src/app/modules/reports.ts';
import { type SubscriptionFunctions, subscriptionOperations } from '../../src/app/modules/subscriptions.ts';
import {
  type AdmissionRules,
  burstBucket,
  type Charge,
  type ChargeUnits,
  type KeyIdentity,
  minuteBucket,
} from '../../domain/plans.ts';
import { encodeFeedCursor } from '../../domain/cursor.ts';
import { SCOPES } from '../../domain/events/account-events.ts';
import type { BucketState, SharedCounts } from '../../domain/ports/counts.ts';
import type { ClientLimit } from '../../domain/ports/report-stores.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import { keySecretHash, makeKeySecret } from '../../domain/key-secret.ts';
import { type Resource, RESOURCES } from '../../domain/records/resources.ts';
import { Rejection } from '../../domain/rejections.ts';
import type { ToolRunnerParts } from '../../src/edge/mcp/run-tool.ts';
import type { DocumentRoute } from '../../src/edge/documents/document-routes.ts';
import { trustedProxies } from '../../src/edge/admission/client-address.ts';
import type { PageReads } from '../../src/edge/pages/page-reads.ts';
import type { ConnectionsParts } from '../../src/edge/http/connections.ts';
import { createHttpServer, HTTP_TIMEOUTS } from '../../src/edge/http/http-server.ts';
import { createHttpMetrics } from '../../src/edge/metrics/http-metrics.ts';
import { COVERAGE_CATALOGUE } from '../../src/sources/coverage/coverage-catalogue.ts';
import { countPeopleRead } from '../../src/sources/catalogue/people.ts';
import { memoryClientCounts } from './memory-counts.ts';
import { ALL_TOOLS } from './tool-answers.ts';

/** The HTTP edge over a socket, with functions that a test sets. */
export interface HttpEdge {
  readonly url: string;
  readonly port: number;
  readonly keys: Readonly<Record<KeyName, string>>;
  readonly accountId: string;
  /** The calls of the functions, in order. */
  readonly calls: { readonly name: string; readonly input: unknown }[];
  /** Feed positions that answered requests have read, in order. */
  readonly feedReads: { readonly keyId: string; readonly unreadSince: number | null }[];
  readonly logged: { readonly level: string; readonly fields: Record<string, unknown>; readonly message: string }[];
  readonly registry: Registry;
  /** Breaks or restores the identity look-up. */
  identity: 'working' | 'failing';
  /** Breaks or restores the counts of the clients of the report operations. */
  clients: 'working' | 'failing';
  /** The clock, which is stopped. */
  now: number;
  /** The checkpoint of the read model of the public answers, or an error to throw. */
  position: string | Error;
  readonly limits: PublicLimits;
  /**
   * Replaces functions; the others keep their answers. Moves the clock by two seconds, so that no cached answer is
   * used.
   */
  answerWith(functions: Partial<EdgeFunctions>): void;
  /** Makes another key; the defaults are those of a valid, paid account. */
  issue(facts: Partial<KeyIdentity>): string;
  close(): Promise<void>;
}

type OperationFunctions = FeedFunctions & SubscriptionFunctions & ReportFunctions & OperatorFunctions;
type PublicFunctions = AgendaFunctions & CoverageFunctions;
export type EdgeFunctions = OperationFunctions & PublicFunctions;

export type KeyName = 'all' | 'read' | 'export' | 'mcp' | 'revoked' | 'expired' | 'suspended' | 'unknown';

export const EDGE_NOW = Date.parse('2026-03-01T12:00:00.000Z');
const at = new Date(EDGE_NOW).toISOString();

const perResource = <Value>(value: Value) =>
  Object.fromEntries(RESOURCES.map((resource) => [resource, value])) as Record<Resource, Value>;

const feedCursor = encodeFeedCursor({ feedId: randomUUID(), position: 1, fingerprint: null, binding: 'nothing' });

/** Answers without data, in the shape of the contract. */
export const EMPTY_ANSWERS: OperationFunctions = {
  readCivicChanges: async () => ({
    text: JSON.stringify({
      data: { items: [] },
      meta: { nextCursor: feedCursor, hasMore: false, replayExpiresAt: at },
    }),
    items: 0,
  }),
  createCivicSnapshot: async () => ({
    snapshotId: randomUUID(),
    boundaryCursor: feedCursor,
    createdAt: at,
    expiresAt: at,
    counts: perResource(0),
    digests: perResource('0'.repeat(64)),
  }),
  readCivicSnapshotPage: async () => ({
    text: JSON.stringify({ data: { items: [] }, meta: { nextCursor: null, hasMore: false } }),
    items: 0,
  }),
  readCivicRecords: async () => ({ text: JSON.stringify({ data: { items: [] } }), items: 0 }),
  createFeedSubscription: async ({ keyId, name, resource }) => ({
    created: true,
    subscription: { id: randomUUID(), name, resource, keyId, startCursor: feedCursor, createdAt: at },
  }),
  listFeedSubscriptions: async ({ cap }) => ({ items: [], activeCount: 0, maxActiveSubscriptions: cap }),
  readFeedSubscriptionChanges: async () => ({
    text: JSON.stringify({
      data: { items: [] },
      meta: { nextCursor: feedCursor, hasMore: false, replayExpiresAt: at },
    }),
    items: 0,
  }),
  revokeFeedSubscription: async ({ subscriptionId }) => ({ id: subscriptionId, revokedAt: at }),
  readCivicHealth: async () => ({
    status: 'healthy',
    checkedAt: at,
    sources: [],
    pipeline: {
      lagEvents: 0,
      lagSeconds: 0,
      pendingWork: 0,
      failedWork: 0,
      projections: [],
      head: { cursor: feedCursor, digests: perResource('0'.repeat(64)) },
    },
  }),
  submitDataReport: async ({ baseUrl }) => {
    const reportId = randomUUID();
    return {
      reportId,
      status: 'received',
      statusUrl: `${baseUrl}/api/v1/data-reports/${reportId}`,
      submittedAt: at,
      nextCheckAt: at,
    };
  },
  getDataReport: async ({ reportId }) => ({
    reportId,
    status: 'received',
    submittedAt: at,
    updatedAt: at,
    nextCheckAt: at,
    verifiedRecords: [],
  }),
};

const page = (data: object, items = 0) => ({ text: JSON.stringify(data), items });

/** Public answers without data, in the shape of the contract. */
export const EMPTY_PUBLIC_ANSWERS: PublicFunctions = {
  listRecentAgendaHits: async () => page({ data: [] }),
  getAgendaHit: async () => {
    throw new Rejection('not_found', 'there is no such public hit');
  },
  listUpcomingAgendaHits: async (input) => noUpcomingHits(input),
  listDfwResearchCoverage: async (input) => listDfwResearchCoverage(COVERAGE_CATALOGUE, input),
  getPublicBodyCadence: async () => ({ lastMetAt: null, nextScheduledAt: null, timezone: null }),
  listPublicSourceStatuses: async () => [],
};

/** Pages without records. */
export const EMPTY_PAGES: PageReads = {
  coveredTopics: async () => [],
  publishedCadences: async () => [],
  coveredSources: async () => [],
  peopleRead: async () => countPeopleRead(new Set()),
  researchCoverage: async (input) => listDfwResearchCoverage(COVERAGE_CATALOGUE, input),
  nextHits: async () => [],
  recentHits: async () => [],
  feedItems: async () => [],
  hitCreations: async () => new Map(),
  upcomingHits: async () => ({ hits: [], nextCursor: null, total: 0 }),
  place: async () => null,
  meetings: {
    ofBodies: async () => [],
    byId: async () => null,
    ofItem: async () => null,
    recentlyChanged: async () => [],
  },
  meetingItems: async () => ({ items: [], total: 0, itemCount: 0, itemsBefore: 0 }),
  meetingDocuments: async () => [],
  item: async () => null,
  itemChanges: async () => new Map(),
  searchChoices: async () => ({ places: [], topics: [] }),
  search: async () => ({
    results: [],
    truncated: false,
    guidance: 'No agenda item matches.',
    nextCursor: null,
    candidateLimitReached: false,
  }),
  searchDocuments: async () => [],
  now: () => EDGE_NOW,
  contact: null,
};

/** No other process counts. */
export const NO_OTHER_COUNTS: SharedCounts = { exchange: async () => new Map(), forget: async () => undefined };

/** Counters that never run out. */
const EDGE_RULES: AdmissionRules = {
  plans: BUILT_IN_PLANS,
  billingEnforced: true,
  ceilings: {
    received: { sustained: { requests: 1000, seconds: 60 }, burst: { requests: 100, seconds: 1 } },
    handled: { sustained: { requests: 1000, seconds: 60 }, burst: { requests: 100, seconds: 1 } },
  },
};
const EDGE_STATES: readonly BucketState[] = [
  { bucket: minuteBucket(BUILT_IN_PLANS.pro), remaining: 299, resetSeconds: 60 },
  { bucket: burstBucket(BUILT_IN_PLANS.pro), remaining: 49, resetSeconds: 1 },
];
const uncounted = ({ revokedAt, expiresAt, accountStatus }: KeyIdentity, now: number): Charge =>
  revokedAt !== null || (expiresAt !== null && expiresAt <= now) || accountStatus !== 'active'
    ? { kind: 'refused' }
    : { kind: 'charged', states: EDGE_STATES };

export interface EdgeSettings {
  readonly timeouts?: Partial<ConnectionsParts['timeouts']>;
  readonly limits?: Partial<ConnectionsParts['limits']>;
  /** Default: loopback. */
  readonly trustedProxies?: readonly string[];
  readonly logSampleEvery?: number;
  /** Default: more than any test uses. */
  readonly publicLimit?: PublicLimit;
  /** Default: keys of the edge with unlimited allowances. */
  readonly admission?: Admission;
  /** Default: more than any test uses. */
  readonly reportClientLimit?: ClientLimit;
  readonly documents?: (baseUrl: () => string) => readonly DocumentRoute[];
  readonly pages?: Partial<PageReads>;
  readonly tools?: Partial<ToolRunnerParts>;
  readonly allowedOrigins?: readonly string[];
  readonly publicOrigins?: readonly string[];
  readonly chargeUnits?: ChargeUnits;
}

export async function startHttpEdge(settings: EdgeSettings = {}): Promise<HttpEdge> {
  const accountId = randomUUID();
  const identities = new Map<string, KeyIdentity>();
  const issue = (facts: Partial<KeyIdentity>): string => {
    const secret = makeKeySecret(randomBytes);
    const active = {
      expiresAt: null,
      revokedAt: null,
      accountStatus: 'active',
      channel: 'subscription',
      tier: 'pro',
    } as const;
    identities.set(keySecretHash(secret), {
      keyId: randomUUID(),
      accountId,
      scopes: SCOPES,
      ...active,
      paidUntil: EDGE_NOW + 365 * 86_400_000,
      paidAt: null,
      ...facts,
    });
    return secret;
  };
  const keys: Record<KeyName, string> = {
    all: issue({}),
    read: issue({ scopes: ['civic:read'] }),
    export: issue({ scopes: ['civic:export'] }),
    mcp: issue({ scopes: ['mcp:read'] }),
    revoked: issue({ revokedAt: EDGE_NOW - 1 }),
    expired: issue({ expiresAt: EDGE_NOW }),
    suspended: issue({ accountStatus: 'suspended' }),
    unknown: makeKeySecret(randomBytes),
  };

  const calls: HttpEdge['calls'] = [];
  let functions: EdgeFunctions = { ...EMPTY_ANSWERS, ...EMPTY_PUBLIC_ANSWERS };
  const recorded = Object.fromEntries(
    (Object.keys(functions) as (keyof EdgeFunctions)[]).map((name) => [
      name,
      (input: unknown) => {
        calls.push({ name, input });
        return (functions[name] as (input: unknown) => Promise<unknown>)(input);
      },
    ]),
  ) as unknown as EdgeFunctions;

  const logged: HttpEdge['logged'] = [];
  const feedReads: HttpEdge['feedReads'] = [];
  const log = (level: string) => (fields: object, message: string) =>
    void logged.push({ level, fields: fields as Record<string, unknown>, message });
  const registry = new Registry();
  const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  const clientCounts = memoryClientCounts();
  const limits = createPublicLimits({
    limit: settings.publicLimit ?? { requests: 1_000_000, seconds: 60 },
    shared: NO_OTHER_COUNTS,
    logger,
  });
  const server = createHttpServer({
    operations: {
      ...feedOperations(recorded),
      ...subscriptionOperations(recorded),
      ...reportOperations(recorded),
      ...operatorOperations(recorded),
    },
    publicOperations: { ...agendaOperations(recorded), ...coverageOperations(recorded) },
    publicLimits: limits,
    reportClients: createReportClients({
      counts: {
        take: async (...args) => {
          if (edge.clients === 'failing') throw new Error('the counts are down');
          return clientCounts.take(...args);
        },
      },
      limit: settings.reportClientLimit ?? { requests: 1_000_000, seconds: 60 },
      onFailure: (error) => log('warn')({ err: error }, 'client limit failed'),
    }),
    readPosition: async () => {
      if (edge.position instanceof Error) throw edge.position;
      return edge.position;
    },
    documents: settings.documents ?? (() => []),
    pages: { ...EMPTY_PAGES, ...settings.pages },
    tools: {
      functions: ALL_TOOLS,
      payments: { open: false, payForRead: async () => ({ kind: 'serve' }) },
      billingEnforced: EDGE_RULES.billingEnforced,
      deadlineMs: 10_000,
      ...settings.tools,
    },
    allowedOrigins: settings.allowedOrigins ?? [],
    publicOrigins: settings.publicOrigins ?? ['*'],
    admission:
      settings.admission ??
      createAdmission({
        rules: EDGE_RULES,
        chargeRequest: async (sha256, now) => {
          if (edge.identity === 'failing') throw new Error('the look-up is down');
          const identity = identities.get(sha256);
          return identity === undefined ? null : { identity, plan: 'pro', charge: uncounted(identity, now) };
        },
        lookUpKey: async (sha256, now) => {
          const identity = identities.get(sha256);
          return identity === undefined ? null : { identity, plan: 'pro', charge: uncounted(identity, now) };
        },
        chargeUnits: settings.chargeUnits ?? (async () => ({ kind: 'charged', states: EDGE_STATES })),
        windowCounts: { take: async () => ({ kind: 'taken', states: [] }) },
        onUse: () => undefined,
        onFailure: (error) => log('warn')({ err: error }, 'identity look-up failed'),
      }),
    feedReads: { read: (keyId, unreadSince) => void feedReads.push({ keyId, unreadSince }) },
    clock: {
      now: () => edge.now,
      sleep: (milliseconds, signal) => wait(milliseconds, undefined, signal === undefined ? {} : { signal }),
    },
    stopwatch: () => performance.now(),
    identifiers: randomIdentifiers,
    logger,
    metrics: createHttpMetrics(registry),
    logSampleEvery: settings.logSampleEvery ?? 1,
    isTrustedProxy: trustedProxies(settings.trustedProxies ?? ['loopback']),
    limits: { ipv6Prefix: 64, total: 4_000, perClient: 1_000, pipelined: 32, ...settings.limits },
    timeouts: { ...HTTP_TIMEOUTS, ...settings.timeouts },
  });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const edge: HttpEdge = {
    url: `http://127.0.0.1:${port}`,
    port,
    keys,
    accountId,
    calls,
    feedReads,
    logged,
    registry,
    identity: 'working',
    clients: 'working',
    now: EDGE_NOW,
    position: '1:0',
    limits,
    answerWith: (replaced) => {
      functions = { ...EMPTY_ANSWERS, ...EMPTY_PUBLIC_ANSWERS, ...replaced };
      edge.now += 2_000;
    },
    issue,
    close: () => server.close(),
  };
  return edge;
}
