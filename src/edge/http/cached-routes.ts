import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest, FastifySchema, onRequestHookHandler } from 'fastify';
import { LRUCache } from 'lru-cache';
import { Rejection } from '../../../domain/rejections.ts';
import { requestClient } from '../admission/client-address.ts';
import { createAnswerCache, type PositionWatch } from '../answers/answer-cache.ts';
import type { PublicExchange } from '../answers/exchange.ts';
import type { Form, Representation } from '../answers/representation.ts';
import { PageMoved } from '../pages/page-moved.ts';
import { MOVED_HEADERS } from '../pages/page-headers.ts';
import { READING } from './listener.ts';
import type { HttpServerParts } from './parts.ts';
import { sendForm, sendRepresentation, shareRefusals, type Sharing } from './send-representation.ts';

const MAX_TARGETS = 6_000;
const MAX_TARGET_LENGTH = 300;

/** A route whose answers are cached until the read model moves. */
interface CachedRoute {
  /** Names the answers in the cache and the requests in the limit of an address. */
  readonly name: string;
  readonly url: string;
  readonly schema: FastifySchema;
  /** Null for a page, which is not an operation. */
  readonly operationId: string | null;
  readonly sharing: Sharing;
  readonly answer: (
    exchange: PublicExchange,
    client: { readonly variant: string; readonly address: string },
  ) => Promise<Representation>;
  /** Answers a failure; the answer is not cached. Might throw. If null, the failure is answered as an error. */
  readonly soft:
    | ((failure: { readonly err: unknown; readonly requestId: string }, exchange: PublicExchange) => Representation)
    | null;
  /** Returns the part of the cache key that the request target does not contain. */
  readonly variant?: (request: IncomingMessage) => string;
}

export type AddCachedRoute = (route: CachedRoute) => void;

interface CachedRoutesParts extends Pick<HttpServerParts, 'publicLimits' | 'clock' | 'isTrustedProxy' | 'limits'> {
  readonly watch: PositionWatch;
}

/** Returns a function that adds a cached route. Each request counts toward the limit of its address. */
export function cachedRoutes(app: FastifyInstance, parts: CachedRoutesParts): AddCachedRoute {
  const { publicLimits, clock, isTrustedProxy, limits } = parts;
  const cache = createAnswerCache(parts);
  /** Validated inputs by request target, as text, so that a cached answer skips validation. */
  const inputs = new LRUCache<string, string>({ max: MAX_TARGETS });
  const readAddress = (request: IncomingMessage): string => requestClient(request, isTrustedProxy, limits.ipv6Prefix);

  const refuseOverLimit =
    (name: string): onRequestHookHandler =>
    ({ raw }, _reply, done) => {
      const retryAfterSeconds = publicLimits.take(name, readAddress(raw), clock.now());
      if (retryAfterSeconds === null) done();
      else done(new Rejection('rate_limited', 'too many requests from this address; wait', { retryAfterSeconds }));
    };

  const cachedForm = (request: IncomingMessage, variant: string): Form | undefined => {
    const input = inputs.get(request.url!);
    if (input === undefined) return undefined;
    const form = cache.standing(createCacheKey(input, variant))?.form(request.headers['accept-encoding']);
    if (!(form instanceof Promise)) return form;
    // The handler awaits this promise too and reports its error.
    form.catch(() => undefined);
    return undefined;
  };

  return (route) => {
    const { name, url, schema, operationId, sharing, answer, soft } = route;
    const readVariant = (request: IncomingMessage): string => route.variant?.(request) ?? '';
    const sendCached: onRequestHookHandler = ({ raw, id }, reply, done) => {
      const form = cachedForm(raw, readVariant(raw));
      if (form === undefined) return done();
      reply.hijack();
      sendForm(form, raw, reply.raw, id, sharing);
    };
    const handle = async ({ params, query, raw, id: requestId }: FastifyRequest): Promise<Representation> => {
      const exchange = { params, query } as PublicExchange;
      const variant = readVariant(raw);
      const input = JSON.stringify([name, exchange]);
      if (raw.url!.length <= MAX_TARGET_LENGTH) inputs.set(raw.url!, input);
      const key = createCacheKey(input, variant);
      try {
        const make = () => answer(exchange, { variant, address: readAddress(raw) });
        return cache.standing(key) ?? (await cache.fetch(key, make));
      } catch (err) {
        if (soft === null || err instanceof PageMoved) throw err;
        return soft({ err, requestId }, exchange);
      }
    };
    app.route({
      method: READING,
      url,
      config: operationId === null ? {} : { operationId },
      schema,
      onSend: shareRefusals(sharing),
      onRequest: [refuseOverLimit(name), sendCached],
      handler: async (request, reply) => {
        try {
          await sendRepresentation(await handle(request), request, reply, sharing);
        } catch (error) {
          if (!(error instanceof PageMoved)) throw error;
          return reply.headers(MOVED_HEADERS).redirect(error.path, 301);
        }
      },
    });
  };
}

/** Returns the cache key of an answer. The variant is empty if the route has one form. */
function createCacheKey(input: string, variant: string): string {
  return variant === '' ? input : `${variant} ${input}`;
}
