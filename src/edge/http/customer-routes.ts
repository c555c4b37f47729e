import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { JsonPage } from '../../../contract/inputs.ts';
import { MAX_RECEIPT_BYTES, MEDIA_TYPES, type Operation, type PageForm } from '../../../contract/operation.ts';
import { CUSTOMER_OPERATIONS, type CustomerOperationId } from '../../../contract/operations.ts';
import { readCivicRecords } from '../../../contract/read-civic-records.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { requireFittingJson, requireRoom } from '../admission/admit.ts';
import { limitConcurrency } from '../admission/limit-concurrency.ts';
import { requestClient } from '../admission/client-address.ts';
import type { Exchange } from '../answers/exchange.ts';
import { preferredForm } from '../answers/representation.ts';
import {
  admitAfterLongBody,
  admitRequest,
  announceAllowance,
  chargeExports,
  type KeyOperation,
} from './admission-hooks.ts';
import { compressAnswers } from './compress-answers.ts';
import { ignoreBodies, parseJson, acceptJson } from './input.ts';
import type { RouteParts } from './parts.ts';
import type { UnreadAnswers } from './unread-answers.ts';

/**
 * A page of records takes megabytes and tens of milliseconds. This limit bounds the delay of other accounts to under a
 * second.
 */
const RECORDS_AT_ONCE = {
  what: 'requests for records of this account',
  concurrency: 16,
  maxWaiting: 1_000,
  maxWaitMs: 10_000,
};

/**
 * Adds a route for each operation with a key. Fastify's hooks run the checks in the order of
 * docs/developers/interface.md.
 */
export function addCustomerRoutes(app: FastifyInstance, parts: RouteParts, unread: UnreadAnswers): void {
  const recordsAtOnce = limitConcurrency({ ...RECORDS_AT_ONCE, clock: parts.clock });
  for (const operation of Object.values<KeyOperation>(CUSTOMER_OPERATIONS)) {
    const { operationId, method, body, exportUnits } = operation;
    app.register(async (scope) => {
      compressAnswers(scope);
      unread.bound(scope);
      if (body === null) ignoreBodies(scope);
      else acceptJson(scope, parseJson, admitAfterLongBody(parts, operation));
      scope.route({
        method,
        url: routerPath(operation),
        config: { operationId },
        schema: selectSchema(operation),
        ...(body && { bodyLimit: body.maxBytes }),
        onRequest: [
          ...(operation.surface === 'reports' ? [countReportClient(parts, operation)] : []),
          admitRequest(parts, operation),
        ],
        preHandler: [
          ...(operation.writes === true ? [refuseSmallPlan] : []),
          ...(exportUnits === undefined ? [] : [chargeExports(parts, exportUnits)]),
        ],
        handler: answerCustomer(parts, operation, recordsAtOnce),
      });
    });
  }
}

export const routerPath = ({ path }: Pick<Operation, 'path'>): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

function selectSchema({ params, query, headers, body }: Operation) {
  return { params, querystring: query, ...(headers && { headers }), ...(body && { body: body.schema }) };
}

/** Refuses a write before it is charged or has an effect. */
async function refuseSmallPlan({ principal }: FastifyRequest): Promise<void> {
  requireRoom(principal!, MAX_RECEIPT_BYTES);
}

function countReportClient(
  { reportClients, isTrustedProxy, limits, clock }: RouteParts,
  { operationId }: KeyOperation,
) {
  return ({ raw }: FastifyRequest): Promise<void> =>
    reportClients.admit(operationId, requestClient(raw, isTrustedProxy, limits.ipv6Prefix), clock.now());
}

type LimitAtOnce = ReturnType<typeof limitConcurrency>;

function answerCustomer(parts: RouteParts, operation: KeyOperation, recordsAtOnce: LimitAtOnce) {
  const { operationId, success } = operation;
  const operate: (exchange: Exchange<KeyOperation>) => Promise<JsonPage> =
    parts.operations[operationId as CustomerOperationId];
  const readsRecords = success.forms !== undefined || operationId === readCivicRecords.operationId;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<string | Buffer> => {
    const principal = request.principal!;
    const form = success.forms === undefined ? 'json' : preferredForm(request.raw.headers.accept);
    const exchange = createExchange(request, reply, { form, baseUrl: parts.baseUrl() });
    const page = readsRecords
      ? await recordsAtOnce(principal.accountId, onDisconnect(reply.raw), () => operate(exchange))
      : await operate(exchange);
    const json = requireFittingJson(page, principal);
    if (page.unreadSince !== undefined) parts.feedReads.read(principal.keyId, page.unreadSince);
    if (page.items > 0) parts.metrics.itemsServed(operationId, page.items);
    void reply.code(page.status ?? success.status);
    void reply.headers({ 'content-type': `${MEDIA_TYPES[form]}; charset=utf-8`, 'cache-control': 'no-store' });
    return json;
  };
}

function createExchange(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: { readonly form: PageForm; readonly baseUrl: string },
): Exchange<KeyOperation> {
  const { params, query, headers, body, id: requestId } = request;
  const onAllowance = announceAllowance(request, reply);
  return { params, query, headers, body, principal: request.principal!, requestId, onAllowance, ...answer };
}

/** Ends the wait for a turn once the client has disconnected. */
const onDisconnect = (response: ServerResponse) => (leave: (reason: Rejection) => void) => {
  const disconnected = () =>
    leave(new Rejection('rate_limited', 'the client did not wait for the answer', { retryAfterSeconds: 1 }));
  if (response.destroyed) disconnected();
  else response.on('close', disconnected);
};
