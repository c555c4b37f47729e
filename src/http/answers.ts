import type { z } from 'zod';
import type { Principal } from '../admission/admit.ts';
import { PAGE_CEILING } from '../contract/fields.ts';
import type { JsonPage, OperationFunctions, RecordsInput, SubscriptionPlace } from '../contract/handlers.ts';
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

const clamped = (limit: number, { allowances }: Principal): number => Math.min(limit, allowances.maxPageSize, PAGE_CEILING);

const asData = (data: object): JsonPage => ({ text: JSON.stringify({ data }), items: 0 });

const capOf = ({ billing }: Principal): number => SUBSCRIPTION_CAPS[billing.tier];

/** An id that is no uuid is nobody's. */
const placeOf = ({ subscriptionId }: { readonly subscriptionId: string }, { accountId, keyId }: Principal): SubscriptionPlace => {
  const parsed = uuid.safeParse(subscriptionId);
  if (!parsed.success) throw new Rejection('not_found', 'a subscription id is a uuid');
  return { subscriptionId: parsed.data, accountId, keyId };
};

/** How each operation asks the function behind it. `baseUrl` tells where the service is reached. */
export const createAnswers = (functions: OperationFunctions, baseUrl: () => string): Answers => ({
  readCivicChanges: ({ query: { limit, ...filter }, principal }) =>
    functions.readCivicChanges({
      ...filter,
      limit: clamped(limit, principal),
      maxResponseBytes: principal.allowances.maxResponseBytes,
    }),

  createCivicSnapshot: async ({ principal: { accountId, keyId }, requestId }) =>
    asData(await functions.createCivicSnapshot({ accountId, keyId, requestId })),

  readCivicSnapshotPage: ({ params, query: { limit, ...place }, principal }) =>
    functions.readCivicSnapshotPage({
      ...params,
      ...place,
      accountId: principal.accountId,
      limit: clamped(limit, principal),
      maxResponseBytes: principal.allowances.maxResponseBytes,
    }),

  readCivicRecords: ({ body, principal }) =>
    functions.readCivicRecords({ requests: recordLookups(body.requests), maxResponseBytes: principal.allowances.maxResponseBytes }),

  readCivicHealth: async () => asData(await functions.readCivicHealth()),

  createFeedSubscription: async ({ body, principal, requestId }) => {
    const { accountId, keyId } = principal;
    const made = await functions.createFeedSubscription({ ...body, accountId, keyId, requestId, cap: capOf(principal) });
    return { ...asData(made.subscription), status: made.created ? 201 : 200 };
  },

  listFeedSubscriptions: async ({ principal }) => {
    const { accountId, keyId } = principal;
    return asData(await functions.listFeedSubscriptions({ accountId, keyId, cap: capOf(principal) }));
  },

  readFeedSubscriptionChanges: async ({ params, query: { limit, ...from }, principal }) =>
    functions.readFeedSubscriptionChanges({
      ...placeOf(params, principal),
      ...from,
      limit: clamped(limit, principal),
      maxResponseBytes: principal.allowances.maxResponseBytes,
    }),

  revokeFeedSubscription: async ({ params, principal, requestId }) =>
    asData(await functions.revokeFeedSubscription({ ...placeOf(params, principal), requestId })),
  submitDataReport: async ({ headers, body, principal: { accountId, keyId }, requestId }) => {
    const token = headers['idempotency-key'];
    return asData(
      await functions.submitDataReport({ accountId, keyId, surface: 'rest', token, input: body, requestId, baseUrl: baseUrl() }),
    );
  },

  getDataReport: async ({ params, principal: { accountId } }) =>
    asData(await functions.getDataReport({ accountId, reportId: params.reportId })),
});

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
