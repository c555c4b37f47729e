import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type AnswerCache, createAnswerCache } from '../answers/answer-cache.ts';
import { watchPosition } from '../answers/position-watch.ts';
import { createPublicAnswers, type PublicAnswer } from '../answers/public-answers.ts';
import type { PublicLimits } from '../admission/public-limits.ts';
import type { PublicFunctions } from '../contract/handlers.ts';
import type { Operation } from '../contract/operation.ts';
import { PUBLIC_OPERATIONS, type PublicOperationId } from '../contract/operations.ts';
import type { Clock } from '../domain/ports/clock.ts';
import { DatabaseUnavailable } from '../domain/ports/database.ts';
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
const LOG_EVERY_MS = 1_000;

interface Shared extends PublicRouteParts {
  readonly cache: AnswerCache<Representation>;
  /** What was read before is out of date. */
  readonly onDatabaseLost: () => void;
}

/** The routes of the public operations: the limit of the address, then a kept answer, which costs neither parsing nor a round trip, or a new one. */
export function addPublicRoutes(app: FastifyInstance, parts: PublicRouteParts): void {
  const { clock } = parts;
  const watch = watchPosition({ readPosition: parts.readPosition, clock });
  app.addHook('onClose', async () => watch.close());
  const shared = { ...parts, cache: createAnswerCache<Representation>({ watch, clock }), onDatabaseLost: () => watch.lost() };
  const answers = createPublicAnswers(parts.publicFunctions);
  for (const [id, operation] of Object.entries(PUBLIC_OPERATIONS)) addRoute(app, shared, operation, answers[id as PublicOperationId]);
}

function addRoute(app: FastifyInstance, parts: Shared, operation: Operation, answer: PublicAnswer): void {
  const { publicLimits, clock, cache } = parts;
  const { operationId, params, query } = operation;
  /** Keys of questions by request target: what a target means never changes. */
  const keys = new Map<string, string>();
  const reportSoftFailure = softFailureReports(parts, operationId);

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
      const question = { params: request.params, query: request.query };
      const key = JSON.stringify([operationId, question]);
      remember(keys, request.raw.url!, key);
      const representation =
        cache.standing(key) ??
        (await cache
          .fetch(key, async () => represent(await answer.ask(question).catch(asBackendFailure), operation.cacheControl!))
          .catch((error: unknown) => {
            if (!(error instanceof BackendFailure)) throw error;
            if (error.cause instanceof DatabaseUnavailable) parts.onDatabaseLost();
            if (answer.soft === undefined) throw new Error(`${operationId} could not be answered`, { cause: error.cause });
            reportSoftFailure(request, error.cause);
            return represent(answer.soft(question), 'no-store');
          }));
      await representation.send(request, reply);
    },
  });

  /** A refusal of this operation is an answer; all else that the backend throws is a failure. */
  function asBackendFailure(error: unknown): never {
    if (error instanceof Rejection && operation.refusals.includes(error.code)) throw error;
    throw new BackendFailure('the backend failed', { cause: error });
  }
}

class BackendFailure extends Error {
  override readonly name = 'BackendFailure';
}

function remember(keys: Map<string, string>, target: string, key: string): void {
  if (target.length > MAX_TARGET_LENGTH) return;
  if (keys.size >= MAX_TARGETS) keys.delete(keys.keys().next().value!);
  keys.set(target, key);
}

function represent(json: string, cacheControl: string): Representation {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': cacheControl };
  return createRepresentation({ body: json, headers, effort: 'passing' });
}

/** Counts every answer that hides a failure of the backend, and logs one a second with the number since the last. */
function softFailureReports({ clock, logger, metrics }: PublicRouteParts, operation: string) {
  let failures = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return ({ id: requestId }: FastifyRequest, err: unknown): void => {
    metrics.softFailure(operation);
    failures += 1;
    const now = clock.now();
    if (Math.abs(now - loggedAt) < LOG_EVERY_MS) return;
    logger.warn({ operation, requestId, failures, err }, 'the backend failed; a public answer hides it');
    failures = 0;
    loggedAt = now;
  };
}
