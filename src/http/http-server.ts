import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Admit } from '../admission/admit.ts';
import type { JsonPage, OperationFunctions } from '../contract/handlers.ts';
import type { Operation } from '../contract/operation.ts';
import { type ServedOperationId, SERVED_OPERATIONS } from '../contract/operations.ts';
import type { Identifiers } from '../domain/identifiers.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Logger } from '../domain/ports/logger.ts';
import { createAnswers, type Exchange } from './answers.ts';
import { type Connections, createConnections, refuseConnect } from './connections.ts';
import { handleRefusals } from './handle-refusals.ts';
import type { HttpMetrics } from './metrics.ts';
import { createRequestLog } from './request-log.ts';
import { serveOperation } from './serve-operation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request is admitted. */
    accountId: string | null;
    /** `none` where the router itself answers. */
    operationId: string;
  }
}

export interface HttpServerParts {
  readonly functions: OperationFunctions;
  readonly admit: Admit;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
  readonly metrics: HttpMetrics;
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
  /** Between two requests on one connection. */
  readonly keepAlive: number;
  /** What runs at the close may take this long to finish. */
  readonly close: number;
}

export const HTTP_TIMEOUTS: HttpTimeouts = { headers: 10_000, request: 30_000, keepAlive: 65_000, close: 10_000 };

export interface HttpServer {
  /** Port 0 picks a free one. Throws when the address cannot be had. */
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly host: string; readonly port: number }>;
  /** Stops accepting and resolves when what ran has been answered, or the limit has passed. */
  close(): Promise<void>;
}

/** The public listener: every operation of the contract, and the envelope around whatever goes wrong. */
export const createHttpServer = (parts: HttpServerParts): HttpServer => {
  const { timeouts } = parts;
  const connections = createConnections();
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
      connectionsCheckingInterval: Math.min(1_000, timeouts.headers / 2),
      // Node would answer without the envelope; `handleRefusals` looks for the header.
      requireHostHeader: false,
    },
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')),
    clientErrorHandler: (error, socket) => connections.broken(error, socket),
    frameworkErrors: (error, request, reply) => {
      track(request, reply);
      refusals.answer(error, request, reply);
    },
  });
  app.server.on('connection', (socket) => connections.opened(socket));
  app.server.on('connect', refuseConnect);
  // Other expectations may be ignored; Node would refuse them without the envelope.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.decorateRequest('accountId', null);
  app.decorateRequest('operationId', 'none');
  app.addHook('onRequest', (request, reply, done) => {
    track(request, reply);
    done();
  });
  const refusals = handleRefusals(app, { operations: Object.values(SERVED_OPERATIONS), logger: parts.logger });
  addRoutes(app, { ...parts, connections });

  return {
    listen: async (address) => {
      await app.listen({ ...address });
      const { address: host, port } = app.server.address() as AddressInfo;
      return { host, port };
    },
    close: async () => {
      const limit = setTimeout(() => app.server.closeAllConnections(), timeouts.close);
      const closed = app.close();
      connections.close();
      await closed;
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
const createTracking = ({ logger, logSampleEvery, metrics }: HttpServerParts, connections: Connections) => {
  const log = createRequestLog(logger, logSampleEvery);
  return (request: FastifyRequest, reply: FastifyReply): void => {
    connections.begin(request.raw, reply.raw);
    reply.header('x-request-id', request.id);
    reply.raw.once('close', () => {
      metrics.answered(request.operationId, reply.statusCode, reply.elapsedTime / 1000);
      log(request, reply);
    });
  };
};

type AnyAnswer = (exchange: Exchange<Operation>) => Promise<JsonPage>;

const addRoutes = (app: FastifyInstance, parts: HttpServerParts & { readonly connections: Connections }): void => {
  // Fastify is told that no method has a body: it would judge a Content-Type before the credential, and where a body is to be ignored.
  for (const method of ['POST', 'DELETE']) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  const answers = createAnswers(parts.functions);
  for (const [id, operation] of Object.entries(SERVED_OPERATIONS)) {
    const answer: AnyAnswer = answers[id as ServedOperationId];
    const serve = serveOperation<Operation>(parts, operation, answer);
    app.route({
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      handler: (request: FastifyRequest, reply: FastifyReply) => {
        request.operationId = id;
        reply.header('cache-control', 'no-store');
        return serve(request, reply);
      },
    });
  }
};
