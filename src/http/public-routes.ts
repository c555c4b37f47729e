import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import { type AnswerCache, createAnswerCache } from '../answers/answer-cache.ts';
import { watchPosition } from '../answers/position-watch.ts';
import { type Asked, createPublicAnswers } from '../answers/public-answers.ts';
import { softened, type SoftenedAnswer } from '../answers/soft-failures.ts';
import type { PublicLimits } from '../admission/public-limits.ts';
import type { PublicFunctions } from '../contract/handlers.ts';
import type { Operation } from '../contract/operation.ts';
import { PUBLIC_OPERATIONS, type PublicOperationId } from '../contract/operations.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Logger } from '../domain/ports/logger.ts';
import { Rejection } from '../domain/rejections.ts';
import type { HttpMetrics } from '../metrics/http-metrics.ts';
import { clientAddress } from './client-address.ts';
import { routerPath } from './customer-routes.ts';
import { createRepresentation, type Representation } from './representation.ts';

export interface PublicRouteParts {
  readonly publicFunctions: PublicFunctions;
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
  const answers = createPublicAnswers(parts.publicFunctions);
  const failing = { ...parts, onDatabaseLost: () => watch.lost() };
  for (const [id, operation] of Object.entries<Operation>(PUBLIC_OPERATIONS))
    addRoute(app, parts, cache, operation, softened(operation, answers[id as PublicOperationId], failing));
}

function addRoute(
  app: FastifyInstance,
  { publicLimits, clock }: PublicRouteParts,
  cache: AnswerCache<Representation>,
  operation: Operation,
  answer: SoftenedAnswer,
): void {
  const { operationId, params, query } = operation;
  /** Keys of questions by request target: what a target means never changes. */
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
      const sent = kept.send(request, reply);
      if (sent instanceof Promise) sent.catch((error: unknown) => reply.send(error));
    },
    handler: async (request, reply) => {
      const question = { params: request.params, query: request.query } as Asked<Operation>;
      const key = JSON.stringify([operationId, question]);
      if (request.raw.url!.length <= MAX_TARGET_LENGTH) keys.set(request.raw.url!, key);
      const representation =
        cache.standing(key) ??
        (await cache
          .fetch(key, async () => represent(await answer.ask(question), operation.cacheControl!))
          .catch((error: unknown) => represent(answer.soften(error, question, request.id), 'no-store')));
      await representation.send(request, reply);
    },
  });
}

function represent(json: string, cacheControl: string): Representation {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': cacheControl };
  return createRepresentation({ body: json, headers, effort: 'passing' });
}
