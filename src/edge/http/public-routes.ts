import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, onSendHookHandler } from 'fastify';
import { LRUCache } from 'lru-cache';
import { createAnswerCache, type PositionWatch } from '../answers/answer-cache.ts';
import type { PublicAnswer, PublicExchange } from '../answers/exchange.ts';
import { noQuery } from '../../../contract/fields.ts';
import type { Operation } from '../../../contract/operation.ts';
import { PUBLIC_OPERATIONS, type PublicOperationId } from '../../../contract/operations.ts';
import { DatabaseUnavailable } from '../../../domain/ports/database.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { sampled } from '../admission/sampled-failures.ts';
import { type DocumentRoute, kept } from '../documents/document-routes.ts';
import { clientAddress } from '../admission/client-address.ts';
import { routerPath } from './customer-routes.ts';
import { READING } from './listener.ts';
import type { RouteParts } from './parts.ts';
import { createRepresentation, type Form, namesTag, type Representation } from '../answers/representation.ts';

const MAX_TARGETS = 6_000;
const MAX_TARGET_LENGTH = 300;

/** A route whose answers are cached while the read model stands. */
interface CachedRoute {
  /** Names its answers in the cache, and its requests among those that an address may send. */
  readonly name: string;
  readonly url: string;
  readonly schema: FastifySchema;
  /** Null for a page, which is no operation's. */
  readonly operationId: string | null;
  readonly sharing: Sharing;
  readonly answer: (asked: PublicExchange, variant: string) => Promise<Representation>;
  /** Makes the answer to a failure, which is not cached; may throw. Null: the failure is answered. */
  readonly soft: ((failure: { readonly err: unknown; readonly requestId: string }, asked: PublicExchange) => Representation) | null;
  /** What an answer depends on beside the request target. */
  readonly variant?: (request: FastifyRequest) => string;
}

export type AddCachedRoute = (route: CachedRoute) => void;

/** The limit of the address, then a cached answer, without parsing or a round trip, or a new one. */
export function cachedRoutes(app: FastifyInstance, { publicLimits, clock }: RouteParts, watch: PositionWatch): AddCachedRoute {
  const cache = createAnswerCache({ watch, clock });
  /** Cache keys by request target: the meaning of a target never changes. */
  const keys = new LRUCache<string, string>({ max: MAX_TARGETS });
  return ({ name, url, schema, operationId, sharing, answer, soft, variant }) => {
    app.route({
      method: READING,
      url,
      config: operationId === null ? {} : { operationId },
      schema,
      onSend: shareRefusals(sharing),
      onRequest: (request, reply, done) => {
        const { url, socket } = request.raw;
        const retryAfterSeconds = publicLimits.take(name, clientAddress(request.ip, socket.remoteAddress), clock.now());
        if (retryAfterSeconds !== null)
          return done(new Rejection('rate_limited', 'too many requests from this address; wait', { retryAfterSeconds }));
        const key = keys.get(variant === undefined ? url! : `${variant(request)} ${url}`);
        const kept = key === undefined ? undefined : cache.standing(key);
        if (kept === undefined) return done();
        const sent = send(kept, request, reply, sharing);
        if (sent instanceof Promise) sent.catch((error: unknown) => reply.send(error));
      },
      handler: async (request, reply) => {
        const question = { params: request.params, query: request.query } as PublicExchange;
        const wanted = variant?.(request) ?? '';
        const key = JSON.stringify([name, question, wanted]);
        const { url } = request.raw;
        if (url!.length <= MAX_TARGET_LENGTH) keys.set(variant === undefined ? url! : `${wanted} ${url}`, key);
        const representation =
          cache.standing(key) ??
          (await cache
            .fetch(key, () => answer(question, wanted))
            .catch((err: unknown) => {
              if (soft === null) throw err;
              return soft({ err, requestId: request.id }, question);
            }));
        await send(representation, request, reply, sharing);
      },
    });
  };
}

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
      handler: async (request, reply) => send(await made(), request, reply, sharing),
    });
  }
}

type Sharing = (origin: string | undefined) => readonly string[];

/** Headers, names and values by turns, that let pages of these origins read an answer, without credentials. */
export function sharedWith(origins: readonly string[]): Sharing {
  const exposed = ['access-control-expose-headers', 'ETag, Retry-After, X-Request-Id'];
  const everyone = ['access-control-allow-origin', '*', ...exposed];
  if (origins.includes('*')) return () => everyone;
  const others = origins.length === 0 ? [] : ['vary', 'Origin'];
  return (origin) =>
    origin !== undefined && origins.includes(origin) ? ['access-control-allow-origin', origin, ...exposed, ...others] : others;
}

/** The same for answers of Fastify's reply. */
const shareRefusals =
  (sharing: Sharing): onSendHookHandler =>
  (request, reply, payload, done): void => {
    const headers = sharing(request.raw.headers.origin);
    for (let at = 0; at < headers.length; at += 2) reply.header(headers[at]!, headers[at + 1]!);
    done(null, payload);
  };

/** Synchronous where the encoding is cached. */
function send(answer: Representation, request: FastifyRequest, reply: FastifyReply, sharing: Sharing): Promise<void> | void {
  const form = answer.form(request.raw.headers['accept-encoding']);
  return form instanceof Promise ? form.then((ready) => sendForm(ready, request, reply, sharing)) : sendForm(form, request, reply, sharing);
}

/** Without Fastify's reply, whose preparation takes a tenth of the time of a hot answer. */
function sendForm(form: Form, request: FastifyRequest, reply: FastifyReply, sharing: Sharing): void {
  const condition = request.raw.headers['if-none-match'];
  const isNotModified = condition !== undefined && namesTag(condition, form.etag);
  reply.hijack();
  const headers = isNotModified ? form.headersOfNotModified : form.headers;
  reply.raw.writeHead(isNotModified ? 304 : 200, [...headers, ...sharing(request.raw.headers.origin), 'x-request-id', request.id]);
  reply.raw.end(isNotModified ? undefined : form.body, 'latin1');
}
