import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { LRUCache } from 'lru-cache';
import { Rejection } from '../../../domain/rejections.ts';
import { requestAddress } from '../admission/client-address.ts';
import { createAnswerCache, type PositionWatch } from '../answers/answer-cache.ts';
import type { PublicExchange } from '../answers/exchange.ts';
import type { Representation } from '../answers/representation.ts';
import type { FollowRequests } from './follow-requests.ts';
import { hostFault, READING } from './listener.ts';
import type { HttpServerParts } from './parts.ts';
import { sendForm, sendRepresentation, shareRefusals, type Sharing } from './send-representation.ts';

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
  readonly answer: (asked: PublicExchange, by: { readonly variant: string; readonly address: string }) => Promise<Representation>;
  /** Makes the answer to a failure, which is not cached; may throw. Null: the failure is answered. */
  readonly soft: ((failure: { readonly err: unknown; readonly requestId: string }, asked: PublicExchange) => Representation) | null;
  /** What an answer depends on beside the request target. */
  readonly variant?: (request: IncomingMessage) => string;
}

export type AddCachedRoute = (route: CachedRoute) => void;

/** What a request target asks; that never changes. */
interface Target {
  readonly route: CachedRoute;
  readonly question: string;
}

interface CachedRoutesParts extends Pick<HttpServerParts, 'publicLimits' | 'clock' | 'isTrustedProxy' | 'tracing' | 'disturb'> {
  readonly watch: PositionWatch;
  readonly requestId: () => string;
  readonly follow: FollowRequests;
}

/** Key of an answer in the cache; the variant is empty where there is one form. */
const keyOf = (question: string, variant: string): string => (variant === '' ? question : `${variant} ${question}`);

/** The limit of the address, then a cached answer, without routing, parsing or a round trip, or a new one. */
export function createCachedRoutes(parts: CachedRoutesParts) {
  const { publicLimits, clock, isTrustedProxy, follow } = parts;
  const cache = createAnswerCache(parts);
  const targets = new LRUCache<string, Target>({ max: MAX_TARGETS });
  /** Spans and disturbances belong to routed requests. */
  const routesAll = parts.tracing != null || parts.disturb !== undefined;
  return {
    /** Answers a request that has not been routed yet; false where that takes more than a cached answer, and nothing was done. */
    answerAtOnce(request: IncomingMessage, response: ServerResponse): boolean {
      const { method, url, headers } = request;
      const target = targets.get(url!);
      if (target === undefined || routesAll || !READING.includes(method!) || hostFault(request) !== undefined) return false;
      const { route, question } = target;
      const form = cache.standing(keyOf(question, route.variant?.(request) ?? ''))?.form(headers['accept-encoding']);
      if (form === undefined) return false;
      if (form instanceof Promise) {
        // The handler awaits it, unless the request is refused.
        form.catch(() => undefined);
        return false;
      }
      const { name, operationId, sharing } = route;
      if (publicLimits.take(name, requestAddress(request, isTrustedProxy), clock.now()) !== null) return false;
      const requestId = parts.requestId();
      const done = follow.unrouted({ id: requestId, operation: operationId ?? 'none', method: method! });
      sendForm(form, request, response, requestId, sharing);
      response.on('close', () => done(response.statusCode));
      return true;
    },
    addTo:
      (app: FastifyInstance): AddCachedRoute =>
      (route) => {
        const { name, url, schema, operationId, sharing, answer, soft, variant } = route;
        app.route({
          method: READING,
          url,
          config: operationId === null ? {} : { operationId },
          schema,
          onSend: shareRefusals(sharing),
          onRequest: ({ raw }, _reply, done) => {
            const retryAfterSeconds = publicLimits.take(name, requestAddress(raw, isTrustedProxy), clock.now());
            if (retryAfterSeconds === null) done();
            else done(new Rejection('rate_limited', 'too many requests from this address; wait', { retryAfterSeconds }));
          },
          handler: async (request, reply) => {
            const { params, query, raw, id: requestId } = request;
            const asked = { params, query } as PublicExchange;
            const wanted = variant?.(raw) ?? '';
            const question = JSON.stringify([name, asked]);
            if (raw.url!.length <= MAX_TARGET_LENGTH) targets.set(raw.url!, { route, question });
            const key = keyOf(question, wanted);
            const representation =
              cache.standing(key) ??
              (await cache
                .fetch(key, () => answer(asked, { variant: wanted, address: requestAddress(raw, isTrustedProxy) }))
                .catch((err: unknown) => {
                  if (soft === null) throw err;
                  return soft({ err, requestId }, asked);
                }));
            await sendRepresentation(representation, request, reply, sharing);
          },
        });
      },
  };
}
