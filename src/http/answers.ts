import type { z } from 'zod';
import type { Principal } from '../admission/admit.ts';
import { PAGE_CEILING } from '../contract/fields.ts';
import type { JsonPage, OperationFunctions } from '../contract/handlers.ts';
import type { Operation } from '../contract/operation.ts';
import type { CUSTOMER_OPERATIONS, CustomerOperationId } from '../contract/operations.ts';
import { recordLookups } from './record-lookups.ts';

/** One admitted request with its parsed input. */
export interface Exchange<Op extends Operation> {
  readonly params: z.output<Op['params']>;
  readonly query: z.output<Op['query']>;
  readonly body: Op['body'] extends { readonly schema: infer Schema extends z.ZodType } ? z.output<Schema> : undefined;
  readonly principal: Principal;
  readonly requestId: string;
}

export type Answers = { readonly [Id in CustomerOperationId]: (exchange: Exchange<(typeof CUSTOMER_OPERATIONS)[Id]>) => Promise<JsonPage> };

const clamped = (limit: number, { allowances }: Principal): number => Math.min(limit, allowances.maxPageSize, PAGE_CEILING);

const asData = (data: object): JsonPage => ({ text: JSON.stringify({ data }), items: 0 });

/** How each operation asks the function behind it. */
export const createAnswers = (functions: OperationFunctions): Answers => ({
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
});
