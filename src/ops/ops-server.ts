import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import type { Logger } from '../domain/ports/logger.ts';
import { Rejection } from '../domain/rejections.ts';
import { errorHandler } from '../http/errors.ts';
import { createListener, type Listener } from '../http/listener.ts';
import type { OpsState } from './ops-state.ts';
import { PAGE_FILES, PAGE_HEADERS } from './page.ts';
import { type Readiness, tellReadiness } from './readyz.ts';

export interface OpsServerParts {
  readonly registry: Registry;
  readonly readiness: () => Promise<Readiness>;
  /** What the page at `/ops` shows. */
  readonly state: () => Promise<OpsState>;
  readonly logger: Logger;
  /** Names in lower case by which it may be asked, beside addresses and names of loopback. */
  readonly allowedHosts: readonly string[];
}

export type OpsServer = Omit<Listener, 'app' | 'drain'>;

/** Scrapers and a few pages in browsers; milliseconds. */
const TIMEOUTS = { headers: 5_000, request: 10_000, keepAlive: 5_000, keepAliveMargin: 1_000 };
const LIMITS = { total: 500, perClient: 500, pipelined: 8 };
const CLOSE_MS = 1_000;
const READING = ['GET', 'HEAD'];

/** The operator's listener: `/livez`, `/readyz`, `/metrics`, and the page at `/ops` with its state. It needs no credential and belongs on a private address. */
export function createOpsServer({ registry, readiness, state, logger, allowedHosts }: OpsServerParts): OpsServer {
  let requests = 0;
  const listener = createListener({
    timeouts: TIMEOUTS,
    limits: LIMITS,
    closeMs: CLOSE_MS,
    isTrustedProxy: () => false,
    requestId: () => `ops-${(requests += 1)}`,
    follow: (_request, reply, next) => {
      reply.headers({ ...PAGE_HEADERS, 'cache-control': 'no-store' });
      next();
    },
    onError: errorHandler({ logger, metrics: { refused: () => undefined } }),
    onRefused: () => undefined,
    onConnectionRefused: () => undefined,
  });
  const { app } = listener;
  app.addHook('onRequest', (request, _reply, done) => done(refusalOfHost(request, allowedHosts)));
  const add = (url: string, answer: (reply: FastifyReply) => unknown): void =>
    void app.route({ method: READING, url, handler: (_request, reply) => answer(reply) });
  add('/livez', () => ({ status: 'live' }));
  add('/readyz', async (reply) => {
    const { status, body } = await tellReadiness(readiness, logger);
    void reply.code(status);
    return body;
  });
  add('/metrics', async (reply) => {
    void reply.type(registry.contentType);
    return registry.metrics();
  });
  add('/ops/state', () => state());
  for (const [path, { type, body }] of Object.entries(PAGE_FILES)) add(path, (reply) => reply.type(type).send(body));
  return listener;
}

/** A page of another site can have its own name lead to this address: a request by such a name is refused. */
function refusalOfHost({ hostname, raw }: FastifyRequest, allowed: readonly string[]): Rejection | undefined {
  if (raw.headers.host === undefined) return;
  const name = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost') || allowed.includes(name)) return;
  return new Rejection('forbidden', 'this listener answers to localhost, to addresses and to the names in CIVIC_OPS_ALLOWED_HOSTS');
}
