import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Logger } from '../../../domain/ports/logger.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { createListener } from '../http/listener.ts';

/** Few clients connect. */
const LIMITS = { ipv6Prefix: 64, total: 500, perClient: 500, pipelined: 8 };

interface PrivateListenerParts {
  /** Beginning of the ids of its requests. */
  readonly name: string;
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Accepted host names in lower case, besides IP addresses and loopback names. */
  readonly allowedHosts: readonly string[];
  /** Message for a request by another host name. */
  readonly hostRefusal: string;
  /** Milliseconds within which a request must have arrived. */
  readonly requestMs: number;
  readonly logger: Logger;
}

/** Creates a listener for operators. It requires no credential, so bind it to a private address. */
export function createPrivateListener({
  name,
  headers,
  allowedHosts,
  hostRefusal,
  requestMs,
  logger,
}: PrivateListenerParts) {
  let requests = 0;
  const listener = createListener({
    docsOf: null,
    timeouts: { headers: 5_000, request: requestMs, keepAlive: 5_000, keepAliveMargin: 1_000, close: 1_000 },
    limits: LIMITS,
    isTrustedProxy: () => false,
    requestId: () => `${name}-${(requests += 1)}`,
    follow: (_request, reply, next) => {
      reply.headers({ ...headers, 'cache-control': 'no-store' });
      next();
    },
    logger,
    errorPage: null,
    metrics: { refused: () => undefined, connectionRefused: () => undefined },
  });
  listener.app.addHook('onRequest', (request, _reply, done) =>
    done(isAllowedHost(request, allowedHosts) ? undefined : new Rejection('forbidden', hostRefusal)),
  );
  return listener;
}

/** Returns false for an unknown host name: another site can point its own name at this address. */
function isAllowedHost({ hostname, raw }: FastifyRequest, allowed: readonly string[]): boolean {
  if (raw.headers.host === undefined) return true;
  const name = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost') || allowed.includes(name);
}
