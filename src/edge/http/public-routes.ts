import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import type { PositionWatch } from '../answers/answer-cache.ts';
import type { PublicAnswer, PublicExchange } from '../answers/exchange.ts';
import { noQuery } from '../../../contract/fields.ts';
import type { Operation } from '../../../contract/operation.ts';
import { PUBLIC_OPERATIONS, type PublicOperationId } from '../../../contract/operations.ts';
import { DatabaseUnavailable } from '../../../domain/ports/database.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { sampled } from '../admission/sampled-failures.ts';
import { type DocumentRoute, memoize } from '../documents/document-routes.ts';
import { createRepresentation, type Representation } from '../answers/representation.ts';
import type { AddCachedRoute } from './cached-routes.ts';
import { routerPath } from './customer-routes.ts';
import { WrongMethod } from './errors.ts';
import { READING } from './listener.ts';
import type { RouteParts } from './parts.ts';
import { sendRepresentation, shareWith, shareRefusals } from './send-representation.ts';

const PUBLIC_PREFIX = '/api/v1/public';
const PREFLIGHT_SECONDS = 600;

export function addPublicRoutes(add: AddCachedRoute, parts: RouteParts, watch: PositionWatch): void {
  const sharing = shareWith(parts.publicOrigins);
  for (const operation of Object.values<Operation>(PUBLIC_OPERATIONS)) {
    const { operationId, params, query } = operation;
    const answer: PublicAnswer = parts.publicOperations[operationId as PublicOperationId];
    const softAnswer = soften(operation, answer, parts, () => watch.invalidate());
    add({
      name: operationId,
      url: routerPath(operation),
      schema: { params, querystring: query },
      operationId,
      sharing,
      answer: async (exchange) => represent(await answer.ask(exchange), operation.cacheControl!),
      soft: (failure, exchange) => represent(softAnswer(failure, exchange), 'no-store'),
    });
  }
}

/**
 * Answers the preflight with which a browser asks for a request with headers such as `If-None-Match`. Any other OPTIONS
 * is 405.
 */
export function addPublicPreflight(app: FastifyInstance, origins: readonly string[]): void {
  const isShared = (origin: string | undefined): boolean =>
    origin !== undefined && (origins.includes('*') || origins.includes(origin));
  app.register(
    async (scope) => {
      scope.addHook('onRequest', (request, _reply, next) => {
        const { headers } = request.raw;
        const refusal = request.unrouted();
        const isPreflight = refusal instanceof WrongMethod && 'access-control-request-method' in headers;
        next(isPreflight && isShared(headers.origin) ? undefined : refusal);
      });
      scope.register(cors, {
        origin: origins.includes('*') ? '*' : [...origins],
        methods: [...READING],
        maxAge: PREFLIGHT_SECONDS,
      });
    },
    { prefix: PUBLIC_PREFIX },
  );
}

function represent(json: string, cacheControl: string): Representation {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': cacheControl };
  return createRepresentation(json, headers, 'passing');
}

/**
 * Counts a failure of `ask` and returns the soft answer. Throws a refusal unchanged, and the failure if there is no
 * soft answer.
 */
function soften(
  { operationId, refusals }: Operation,
  answer: PublicAnswer,
  parts: RouteParts,
  onDatabaseLost: () => void,
) {
  const logFailure = sampled<{ readonly requestId: string; readonly err: unknown }>(
    parts.clock,
    (failures, { requestId, err }) =>
      parts.logger.warn(
        { operation: operationId, requestId, failures, err },
        'the backend failed; a public answer hides it',
      ),
  );
  return (failure: { readonly requestId: string; readonly err: unknown }, exchange: PublicExchange): string => {
    const { err } = failure;
    if (err instanceof Rejection && refusals.includes(err.code)) throw err;
    if (err instanceof DatabaseUnavailable) onDatabaseLost();
    if (answer.soft === undefined) throw new Error(`${operationId} could not be answered`, { cause: err });
    parts.metrics.softFailure(operationId);
    logFailure(failure);
    return answer.soft(exchange);
  };
}

export function addDocumentRoutes(
  app: FastifyInstance,
  documents: readonly DocumentRoute[],
  publicOrigins: readonly string[],
): void {
  const sharing = shareWith(publicOrigins);
  for (const { path, operationId, headers, body } of documents) {
    const representation = memoize(async () => createRepresentation(await body(), headers, 'lasting'));
    app.route({
      method: READING,
      url: path,
      config: operationId === null ? {} : { operationId },
      schema: { querystring: noQuery },
      onSend: shareRefusals(sharing),
      handler: async (request, reply) => sendRepresentation(await representation(), request, reply, sharing),
    });
  }
}
