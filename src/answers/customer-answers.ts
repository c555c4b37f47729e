import type { z } from 'zod';
import type { Principal } from '../admission/admit.ts';
import { PAGE_CEILING } from '../contract/fields.ts';
import type { JsonPage, OperationFunctions, RecordsInput } from '../contract/handlers.ts';
import type { Operation } from '../contract/operation.ts';
import type { CUSTOMER_OPERATIONS, CustomerOperationId } from '../contract/operations.ts';
import { SUBSCRIPTION_CAPS } from '../domain/plans.ts';
import { uuid } from '../domain/records/fields.ts';
import type { Resource } from '../domain/records/resources.ts';
import { Rejection } from '../domain/rejections.ts';

/** One admitted request with its parsed input. */
export interface Exchange<Op extends Operation> {
  readonly params: z.output<Op['params']>;
  readonly query: z.output<Op['query']>;
  readonly headers: Op['headers'] extends infer Schema extends z.ZodType ? z.output<Schema> : undefined;
  readonly body: Op['body'] extends { readonly schema: infer Schema extends z.ZodType } ? z.output<Schema> : undefined;
  readonly principal: Principal;
  readonly requestId: string;
}

export type Answers = { readonly [Id in CustomerOperationId]: (exchange: Exchange<(typeof CUSTOMER_OPERATIONS)[Id]>) => Promise<JsonPage> };

/** How each operation asks the function behind it. `baseUrl` is where the service is reached. */
export function createAnswers(functions: OperationFunctions, baseUrl: () => string): Answers {
  return {
    readCivicChanges: (exchange) => functions.readCivicChanges({ ...exchange.query, ...boundsOf(exchange) }),
    createCivicSnapshot: async (exchange) => asData(await functions.createCivicSnapshot(callerOf(exchange))),
    readCivicSnapshotPage: ({ params, ...exchange }) => {
      const { accountId } = exchange.principal;
      return functions.readCivicSnapshotPage({ ...params, ...exchange.query, accountId, ...boundsOf(exchange) });
    },
    readCivicRecords: ({ body, principal }) =>
      functions.readCivicRecords({ requests: recordLookups(body.requests), maxResponseBytes: principal.allowances.maxResponseBytes }),
    readCivicHealth: async () => asData(await functions.readCivicHealth()),
    createFeedSubscription: async (exchange) => {
      const made = await functions.createFeedSubscription({ ...exchange.body, ...callerOf(exchange), cap: capOf(exchange) });
      return { ...asData(made.subscription), status: made.created ? 201 : 200 };
    },
    listFeedSubscriptions: async (exchange) =>
      asData(await functions.listFeedSubscriptions({ ...callerOf(exchange), cap: capOf(exchange) })),
    readFeedSubscriptionChanges: async (exchange) =>
      functions.readFeedSubscriptionChanges({ ...exchange.query, ...subscriptionOf(exchange), ...boundsOf(exchange) }),
    revokeFeedSubscription: async (exchange) => asData(await functions.revokeFeedSubscription(subscriptionOf(exchange))),
    submitDataReport: async (exchange) => {
      const token = exchange.headers['idempotency-key'];
      const submission = { ...callerOf(exchange), surface: 'rest', token, input: exchange.body, baseUrl: baseUrl() } as const;
      return asData(await functions.submitDataReport(submission));
    },
    getDataReport: async ({ params, principal }) => asData(await functions.getDataReport({ ...params, accountId: principal.accountId })),
  };
}

type Asked = Pick<Exchange<Operation>, 'principal' | 'requestId'>;

function asData(data: object): JsonPage {
  return { text: JSON.stringify({ data }), items: 0 };
}

function callerOf({ principal: { accountId, keyId }, requestId }: Asked) {
  return { accountId, keyId, requestId };
}

function capOf({ principal }: Asked): number {
  return SUBSCRIPTION_CAPS[principal.billing.tier];
}

function boundsOf({ query, principal: { allowances } }: Asked & { readonly query: { readonly limit: number } }) {
  return { limit: Math.min(query.limit, allowances.maxPageSize, PAGE_CEILING), maxResponseBytes: allowances.maxResponseBytes };
}

/** An id that is no uuid is no subscription's. */
function subscriptionOf(exchange: Asked & { readonly params: { readonly subscriptionId: string } }) {
  const parsed = uuid.safeParse(exchange.params.subscriptionId);
  if (!parsed.success) throw new Rejection('not_found', 'a subscription id is a uuid');
  return { ...callerOf(exchange), subscriptionId: parsed.data };
}

/** What a batch looks up: each resource and id once. An id that is no uuid is no record's id and is left out, not refused. */
function recordLookups(requests: readonly { resource: Resource; ids: readonly string[] }[]): RecordsInput['requests'] {
  const ids = new Map<Resource, Set<string>>();
  for (const request of requests) {
    const known = ids.get(request.resource) ?? new Set();
    for (const id of request.ids) {
      const parsed = uuid.safeParse(id);
      if (parsed.success) known.add(parsed.data);
    }
    if (known.size > 0) ids.set(request.resource, known);
  }
  return [...ids].map(([resource, known]) => ({ resource, ids: [...known] }));
}
