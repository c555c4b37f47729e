import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import type { Admission } from '../admission/admit.ts';
import type { PublicLimits } from '../admission/public-limits.ts';
import type { ReportClients } from '../admission/report-clients.ts';
import type { OperationFunctions, PublicFunctions } from '../contract/handlers.ts';
import type { Identifiers } from '../domain/identifiers.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { OpenSpan, Tracing } from '../domain/ports/tracing.ts';
import { addRoutes } from './add-routes.ts';
import { type Connections, createConnections, refuseConnect } from './connections.ts';
import type { DocumentRoute } from './documents.ts';
import { createToolEndpoint } from '../mcp/endpoint.ts';
import type { ToolRunnerParts } from '../mcp/run-tool.ts';
import { handleRefusals } from './handle-refusals.ts';
import type { HttpMetrics } from './metrics.ts';
import { rememberedCodings } from './public/accept-encoding.ts';
import { createPublicEdge } from './public/public-edge.ts';
import { createRequestLog } from './request-log.ts';
import { beginRequestSpan, endRequestSpan } from './request-span.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request is admitted. */
    accountId: string | null;
    /** Null where no traces are asked for. */
    span: OpenSpan | null;
  }
}

export interface HttpServerParts {
  readonly functions: OperationFunctions;
  readonly publicFunctions: PublicFunctions;
  /** Where the read model behind the public answers stands: any text that differs when that does. */
  readonly readPosition: () => Promise<string>;
  readonly publicLimits: PublicLimits;
  readonly reportClients: ReportClients;
  /** Every document, for the base URL that it is to name; its paths and headers are the same whatever that is. */
  readonly documents: (baseUrl: string) => readonly DocumentRoute[];
  /** Left out: the address that the server listens on. */
  readonly baseUrl?: string | undefined;
  readonly admission: Admission;
  readonly tools: Omit<ToolRunnerParts, 'clock' | 'logger' | 'metrics'>;
  /** Browser origins whose pages may call the tools, beside the service's own. */
  readonly allowedOrigins: readonly string[];
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
  readonly metrics: HttpMetrics;
  /** Null, or left out, where no traces are asked for. */
  readonly tracing?: Tracing | null;
  /** Every n-th answer below 500 is logged. */
  readonly logSampleEvery: number;
  readonly timeouts: HttpTimeouts;
}

/** Milliseconds. */
export interface HttpTimeouts {
  /** From a request's first byte to the end of its headers. */
  readonly headers: number;
  /** From a request's first byte to its last. */
  readonly request: number;
  /** Between two requests on one connection: clients are told so. */
  readonly keepAlive: number;
  /** A connection is ended so much later than clients were told: their clocks run slow when they are busy, and what they sent in time is on its way. */
  readonly keepAliveMargin: number;
  /** What runs at the close may take this long to finish. */
  readonly close: number;
}

export const HTTP_TIMEOUTS: HttpTimeouts = { headers: 10_000, request: 30_000, keepAlive: 65_000, keepAliveMargin: 65_000, close: 10_000 };

export interface HttpServer {
  /** Port 0 picks a free one. Throws when the address cannot be had. */
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly host: string; readonly port: number }>;
  /** Goes on answering, and asks every client to come back on another connection: where a proxy stands before it, to another process. */
  drain(): void;
  /** Stops accepting and resolves when what ran has been answered, or the limit has passed, or its caller is in a hurry. */
  close(hurrying?: AbortSignal): Promise<void>;
}

/** What a request carries until a route has it. */
const BEFORE_ROUTING = { accountId: null, span: null, operationId: 'none' };

/** The public listener: every operation of the contract, and the envelope around whatever goes wrong. */
export const createHttpServer = (parts: HttpServerParts): HttpServer => {
  const { timeouts } = parts;
  const connections = createConnections((code) => parts.metrics.refused(code), timeouts.request);
  const track = createTracking(parts, connections);
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    genReqId: requestIds(parts.identifiers),
    // Left to the contract: Fastify's own limit would answer before the credential is looked at.
    routerOptions: { maxParamLength: 16_384 },
    return503OnClosing: false,
    connectionTimeout: 2 * timeouts.request,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    http: {
      headersTimeout: timeouts.headers,
      keepAliveTimeoutBuffer: timeouts.keepAliveMargin,
      connectionsCheckingInterval: Math.min(1_000, timeouts.headers / 2),
      // Node would answer without the envelope; `handleRefusals` looks for the header.
      requireHostHeader: false,
    },
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')),
    clientErrorHandler: (error, socket) => connections.broken(error, socket),
    frameworkErrors: (error, request, reply) => {
      // Fastify makes this request without what decorates all others.
      track(Object.assign(request, BEFORE_ROUTING), reply);
      refusals.answer(error, request, reply);
    },
  });
  app.server.on('connection', (socket) => connections.opened(socket));
  app.server.on('timeout', (socket) => connections.silent(socket));
  app.server.on('connect', refuseConnect);
  // Other expectations may be ignored; Node would refuse them without the envelope.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.decorateRequest('accountId', BEFORE_ROUTING.accountId);
  app.decorateRequest('span', BEFORE_ROUTING.span);
  app.decorateRequest('operationId', BEFORE_ROUTING.operationId);
  app.addHook('onRequest', (request, reply, done) => {
    track(request, reply);
    done();
  });
  // Fastify takes the time of a reply for whoever waits for its end, and tells 0 without one.
  app.addHook('onResponse', (_request, _reply, done) => done());
  const codingsOf = rememberedCodings();
  const publicEdge = createPublicEdge(parts, codingsOf);
  let baseUrl = parts.baseUrl ?? 'http://localhost';
  let documents = parts.documents(baseUrl);
  const endpoint = createToolEndpoint({ ...parts, ...parts.tools });
  const served = { baseUrl: () => baseUrl, documents: () => documents, preflights: parts.allowedOrigins.length > 0 };
  const routes = addRoutes(app, { ...parts, ...served, connections, publicEdge, codingsOf, endpoint });
  const refusals = handleRefusals(app, { routes, logger: parts.logger, metrics: parts.metrics });

  return {
    listen: async (address) => {
      await app.listen({ ...address });
      const { address: host, port } = app.server.address() as AddressInfo;
      if (parts.baseUrl === undefined) {
        baseUrl = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
        documents = parts.documents(baseUrl);
      }
      return { host, port };
    },
    drain: () => connections.drain(),
    close: async (hurrying) => {
      connections.drain();
      // What the kernel has accepted already is taken in first: closing would reset it.
      await nextTurn();
      const cut = (): void => app.server.closeAllConnections();
      const limit = setTimeout(cut, timeouts.close);
      const closed = app.close();
      connections.close(app.server);
      publicEdge.close();
      if (hurrying?.aborted === true) cut();
      hurrying?.addEventListener('abort', cut, { once: true });
      await closed;
      hurrying?.removeEventListener('abort', cut);
      await endpoint.close();
      clearTimeout(limit);
    },
  };
};

/** One fresh id for the process and a count: as unique as a fresh id for each request, without asking for randomness each time. */
const requestIds = (identifiers: Identifiers): (() => string) => {
  const process = identifiers.next();
  let count = 0;
  return () => `${process}-${(count += 1)}`;
};

/** Follows a request to the end of its answer, or of its connection. */
const createTracking = ({ logger, logSampleEvery, metrics, tracing = null }: HttpServerParts, connections: Connections) => {
  const log = createRequestLog(logger, logSampleEvery);
  return (request: FastifyRequest, reply: FastifyReply): void => {
    connections.begin(request.raw, reply.raw);
    reply.header('x-request-id', request.id);
    if (tracing !== null) request.span = beginRequestSpan(tracing, request);
    reply.raw.on('close', () => {
      metrics.answered(request.operationId, reply.statusCode, reply.elapsedTime / 1000);
      log(request, reply);
      if (request.span !== null) endRequestSpan(request.span, request, reply);
    });
  };
};
