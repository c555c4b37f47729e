import type { FastifyInstance } from 'fastify';
import type { ClosedOperation } from '../../../contract/operation.ts';
import { CLOSED_OPERATIONS } from '../../../contract/operations.ts';
import type { DocumentRoute } from '../documents/document-routes.ts';
import type { Identifiers } from '../../../domain/identifiers.ts';
import type { Tracing } from '../../../domain/ports/tracing.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { createToolEndpoint } from '../mcp/endpoint.ts';
import type { ToolRunnerParts } from '../mcp/run-tool.ts';
import type { IsTrustedProxy } from '../admission/client-address.ts';
import type { ConnectionLimits, ConnectionTimeouts } from './connections.ts';
import { addCustomerRoutes, type CustomerRouteParts } from './customer-routes.ts';
import { errorHandler } from './errors.ts';
import { followRequests } from './follow-request.ts';
import { createListener, type Listener } from './listener.ts';
import { addDocumentRoutes, addPublicRoutes, type PublicRouteParts, READING } from './public-routes.ts';
import { ignoreBodies } from './input.ts';
import { addToolRoutes } from './tool-routes.ts';

export interface HttpServerParts extends PublicRouteParts, Omit<CustomerRouteParts, 'baseUrl'> {
  /** Every document, for the base URL that it names; known once the server listens. */
  readonly documents: (baseUrl: () => string) => readonly DocumentRoute[];
  /** Left out: the address that the server listens on. */
  readonly baseUrl?: string | undefined;
  readonly tools: Omit<ToolRunnerParts, 'clock' | 'logger' | 'metrics'>;
  /** Browser origins whose pages may call the tools, beside the service's own. */
  readonly allowedOrigins: readonly string[];
  readonly identifiers: Identifiers;
  /** Null, or left out, where no traces are asked for. */
  readonly tracing?: Tracing | null;
  /** Every n-th answer below 500 is logged. */
  readonly logSampleEvery: number;
  readonly isTrustedProxy: IsTrustedProxy;
  readonly limits: ConnectionLimits;
  readonly timeouts: HttpTimeouts;
}

/** Milliseconds. */
export interface HttpTimeouts extends ConnectionTimeouts {
  /** Running requests may take this long to finish at a close. */
  readonly close: number;
}

export const HTTP_TIMEOUTS: HttpTimeouts = { headers: 10_000, request: 30_000, keepAlive: 65_000, keepAliveMargin: 65_000, close: 10_000 };

export type HttpServer = Omit<Listener, 'app'>;

/** The public listener: every operation of the contract, and the documents. */
export function createHttpServer(parts: HttpServerParts): HttpServer {
  const { tracing = null, metrics, timeouts } = parts;
  const listener = createListener({
    ...parts,
    requestId: requestIds(parts.identifiers),
    follow: followRequests({ ...parts, tracing }),
    onError: errorHandler(parts),
    onRefused: (code) => metrics.refused(code),
    onConnectionRefused: (limit) => metrics.connectionRefused(limit),
    closeMs: timeouts.close,
  });
  const { app } = listener;
  let baseUrl = parts.baseUrl ?? 'http://localhost';
  const endpoint = createToolEndpoint({ ...parts, ...parts.tools });
  const served = { ...parts, baseUrl: () => baseUrl, endpoint };
  addCustomerRoutes(app, served);
  addToolRoutes(app, served);
  addPublicRoutes(app, parts);
  addClosedRoutes(app);
  addDocumentRoutes(app, parts.documents(served.baseUrl));
  app.addHook('onClose', () => endpoint.close());

  return {
    ...listener,
    listen: async (address) => {
      const bound = await listener.listen(address);
      baseUrl = parts.baseUrl ?? `http://${bound.host.includes(':') ? `[${bound.host}]` : bound.host}:${bound.port}`;
      return bound;
    },
  };
}

/** Routes that refuse every request before its input is read. */
function addClosedRoutes(app: FastifyInstance): void {
  app.register(async (scope) => {
    ignoreBodies(scope);
    for (const { method, path, operationId, refusals } of Object.values<ClosedOperation>(CLOSED_OPERATIONS)) {
      scope.route({
        method: method === 'GET' ? READING : method,
        url: path,
        config: { operationId },
        onRequest: (_request, _reply, next) => next(new Rejection(refusals[0]!, 'this route is closed; the tool endpoint is /api/v1/mcp')),
        handler: () => undefined,
      });
    }
  });
}

/** One fresh id for the process and a count: as unique as a fresh id for each request, without asking for randomness each time. */
function requestIds(identifiers: Identifiers): () => string {
  const process = identifiers.next();
  let count = 0;
  return () => `${process}-${(count += 1)}`;
}
