import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { type AnswerCache, createAnswerCache } from '../answers/answer-cache.ts';
import { watchPosition } from '../answers/position-watch.ts';
import type { PublicAnswers, PublicExchange } from '../answers/exchange.ts';
import { softened, type SoftenedAnswer } from '../answers/soft-failures.ts';
import type { PublicLimits } from '../admission/public-limits.ts';
import { noQuery } from '../../../contract/fields.ts';
import type { Operation } from '../../../contract/operation.ts';
import { PUBLIC_OPERATIONS, type PublicOperationId } from '../../../contract/operations.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import { Rejection } from '../../../domain/rejections.ts';
import type { DocumentRoute } from '../documents/document-routes.ts';
import type { HttpMetrics } from '../metrics/http-metrics.ts';
import { clientAddress } from '../admission/client-address.ts';
import { routerPath } from './customer-routes.ts';
import { createRepresentation, type Form, namesTag, type Representation } from '../answers/representation.ts';

export interface PublicRouteParts {
  readonly publicOperations: PublicAnswers;
  readonly publicLimits: PublicLimits;
  /** The position of the read model behind the public answers: any text that differs when that does. */
  readonly readPosition: () => Promise<string>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: HttpMetrics;
}

/** Where a shared cache may keep the answer to GET, HEAD is the same question without the body (RFC 9110, 9.1 and 9.3.2). */
export const READING = ['GET', 'HEAD'];

const MAX_TARGETS = 1_000;
const MAX_TARGET_LENGTH = 300;

/** The routes of the public operations: the limit of the address, then a kept answer, which costs neither parsing nor a round trip, or a new one. */
export function addPublicRoutes(app: FastifyInstance, parts: PublicRouteParts): void {
  const watch = watchPosition(parts);
  app.addHook('onClose', async () => watch.close());
  const cache = createAnswerCache<Representation>({ watch, clock: parts.clock });
  const failing = { ...parts, onDatabaseLost: () => watch.lost() };
  for (const [id, operation] of Object.entries<Operation>(PUBLIC_OPERATIONS))
    addRoute(app, parts, cache, operation, softened(operation, parts.publicOperations[id as PublicOperationId], failing));
}

function addRoute(
  app: FastifyInstance,
  { publicLimits, clock }: PublicRouteParts,
  cache: AnswerCache<Representation>,
  operation: Operation,
  answer: SoftenedAnswer,
): void {
  const { operationId, params, query } = operation;
  /** Cache keys by request target: the meaning of a target never changes. */
  const keys = new LRUCache<string, string>({ max: MAX_TARGETS });

  app.route({
    method: READING,
    url: routerPath(operation),
    config: { operationId },
    schema: { params, querystring: query },
    onRequest: (request, reply, done) => {
      const { url, socket } = request.raw;
      const wait = publicLimits.take(operationId, clientAddress(request.ip, socket.remoteAddress), clock.now());
      if (wait !== null)
        return done(new Rejection('rate_limited', 'too many requests from this address; wait', { retryAfterSeconds: wait }));
      const key = keys.get(url!);
      const kept = key === undefined ? undefined : cache.standing(key);
      if (kept === undefined) return done();
      const sent = send(kept, request, reply);
      if (sent instanceof Promise) sent.catch((error: unknown) => reply.send(error));
    },
    handler: async (request, reply) => {
      const question = { params: request.params, query: request.query } as PublicExchange;
      const key = JSON.stringify([operationId, question]);
      if (request.raw.url!.length <= MAX_TARGET_LENGTH) keys.set(request.raw.url!, key);
      const representation =
        cache.standing(key) ??
        (await cache
          .fetch(key, async () => represent(await answer.ask(question), operation.cacheControl!))
          .catch((error: unknown) => represent(answer.soften(error, question, request.id), 'no-store')));
      await send(representation, request, reply);
    },
  });
}

function represent(json: string, cacheControl: string): Representation {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': cacheControl };
  return createRepresentation({ body: json, headers, effort: 'passing' });
}

/** The routes of the documents, each made once at its first request. */
export function addDocumentRoutes(app: FastifyInstance, documents: readonly DocumentRoute[]): void {
  for (const { path, operationId, headers, body } of documents) {
    let made: Representation | undefined;
    app.route({
      method: READING,
      url: path,
      config: operationId === null ? {} : { operationId },
      schema: { querystring: noQuery },
      handler: async (request, reply) => {
        made ??= createRepresentation({ body: await body(), headers, effort: 'lasting' });
        await send(made, request, reply);
      },
    });
  }
}

/** Sends an answer, or 304; without waiting where its form has been made before. */
function send(answer: Representation, request: FastifyRequest, reply: FastifyReply): Promise<void> | void {
  const form = answer.form(request.raw.headers['accept-encoding']);
  return form instanceof Promise ? form.then((ready) => sendForm(ready, request, reply)) : sendForm(form, request, reply);
}

/** A hot answer is sent past Fastify's reply, whose own preparations would cost it a tenth. */
function sendForm(form: Form, request: FastifyRequest, reply: FastifyReply): void {
  const condition = request.raw.headers['if-none-match'];
  const isNotModified = condition !== undefined && namesTag(condition, form.etag);
  reply.hijack();
  reply.raw.writeHead(isNotModified ? 304 : 200, [
    ...(isNotModified ? form.headersOfNotModified : form.headers),
    'x-request-id',
    request.id,
  ]);
  reply.raw.end(isNotModified ? undefined : form.body);
}
