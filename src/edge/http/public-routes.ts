import type { FastifyInstance } from 'fastify';
import type { PositionWatch } from '../answers/answer-cache.ts';
import type { PublicAnswer, PublicExchange } from '../answers/exchange.ts';
import { noQuery } from '../../../contract/fields.ts';
import type { Operation } from '../../../contract/operation.ts';
import { PUBLIC_OPERATIONS, type PublicOperationId } from '../../../contract/operations.ts';
import { DatabaseUnavailable } from '../../../domain/ports/database.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { sampled } from '../admission/sampled-failures.ts';
import { type DocumentRoute, kept } from '../documents/document-routes.ts';
import { createRepresentation, type Representation } from '../answers/representation.ts';
import type { AddCachedRoute } from './cached-routes.ts';
import { routerPath } from './customer-routes.ts';
import { READING } from './listener.ts';
import type { RouteParts } from './parts.ts';
import { sendRepresentation, sharedWith, shareRefusals } from './send-representation.ts';

export function addPublicRoutes(add: AddCachedRoute, parts: RouteParts, watch: PositionWatch): void {
  const sharing = sharedWith(parts.publicOrigins);
  for (const operation of Object.values<Operation>(PUBLIC_OPERATIONS)) {
    const { operationId, params, query } = operation;
    const answer: PublicAnswer = parts.publicOperations[operationId as PublicOperationId];
    const softAnswer = softened(operation, answer, parts, () => watch.lost());
    add({
      name: operationId,
      url: routerPath(operation),
      schema: { params, querystring: query },
      operationId,
      sharing,
      answer: async (asked) => represent(await answer.ask(asked), operation.cacheControl!),
      soft: (failure, asked) => represent(softAnswer(failure, asked), 'no-store'),
    });
  }
}

function represent(json: string, cacheControl: string): Representation {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': cacheControl };
  return createRepresentation(json, headers, 'passing');
}

/** Counts a failure of `ask`. Throws a refusal of the operation as it is, and the failure where there is no soft answer. */
function softened({ operationId, refusals }: Operation, answer: PublicAnswer, parts: RouteParts, onDatabaseLost: () => void) {
  const logFailure = sampled<{ readonly requestId: string; readonly err: unknown }>(parts.clock, (failures, { requestId, err }) =>
    parts.logger.warn({ operation: operationId, requestId, failures, err }, 'the backend failed; a public answer hides it'),
  );
  return (failure: { readonly requestId: string; readonly err: unknown }, asked: PublicExchange): string => {
    const { err } = failure;
    if (err instanceof Rejection && refusals.includes(err.code)) throw err;
    if (err instanceof DatabaseUnavailable) onDatabaseLost();
    if (answer.soft === undefined) throw new Error(`${operationId} could not be answered`, { cause: err });
    parts.metrics.softFailure(operationId);
    logFailure(failure);
    return answer.soft(asked);
  };
}

export function addDocumentRoutes(app: FastifyInstance, documents: readonly DocumentRoute[], publicOrigins: readonly string[]): void {
  const sharing = sharedWith(publicOrigins);
  for (const { path, operationId, headers, body } of documents) {
    const made = kept(async () => createRepresentation(await body(), headers, 'lasting'));
    app.route({
      method: READING,
      url: path,
      config: operationId === null ? {} : { operationId },
      schema: { querystring: noQuery },
      onSend: shareRefusals(sharing),
      handler: async (request, reply) => sendRepresentation(await made(), request, reply, sharing),
    });
  }
}
