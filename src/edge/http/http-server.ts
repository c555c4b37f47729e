import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ClosedOperation } from '../../../contract/operation.ts';
import { CLOSED_OPERATIONS } from '../../../contract/operations.ts';
import type { OpenSpan } from '../../../domain/ports/tracing.ts';
import { Rejection } from '../../../domain/rejections.ts';
import type { ToolEndpoint } from '../mcp/endpoint.ts';
import { addCustomerRoutes } from './customer-routes.ts';
import { errorHandler } from './errors.ts';
import { ignoreBodies } from './input.ts';
import { createListener, type Listener } from './listener.ts';
import type { HttpServerParts, HttpTimeouts } from './parts.ts';
import { addDocumentRoutes, addPublicRoutes, READING } from './public-routes.ts';
import { addToolRoutes } from './tool-routes.ts';

export const HTTP_TIMEOUTS: HttpTimeouts = { headers: 10_000, request: 30_000, keepAlive: 65_000, keepAliveMargin: 65_000, close: 10_000 };

/** The public listener: the operations of the contract and the documents. */
export function createHttpServer(parts: HttpServerParts): Omit<Listener, 'app'> {
  // One fresh id for the process and a count: as unique as a fresh id for each request, without asking for randomness each time.
  const processId = parts.identifiers.next();
  let requests = 0;
  const listener = createListener({
    ...parts,
    requestId: () => `${processId}-${(requests += 1)}`,
    follow: followRequests(parts),
    onError: errorHandler(parts),
    onRefused: (code) => parts.metrics.refused(code),
    onConnectionRefused: (limit) => parts.metrics.connectionRefused(limit),
    closeMs: parts.timeouts.close,
  });
  const { app } = listener;
  let baseUrl = parts.baseUrl ?? 'http://localhost';
  let endpoint: Promise<ToolEndpoint> | undefined;
  /** Loaded with the first call: the library of the protocol and its schemas take 10 MB. After a failure the next call loads again. */
  function tools(): Promise<ToolEndpoint> {
    endpoint ??= import('../mcp/endpoint.ts')
      .then((mcp) => mcp.createToolEndpoint({ ...parts, ...parts.tools }))
      .catch((error: unknown) => {
        endpoint = undefined;
        throw error;
      });
    return endpoint;
  }
  const routeParts = { ...parts, baseUrl: () => baseUrl };
  addCustomerRoutes(app, routeParts);
  addToolRoutes(app, tools, routeParts);
  addPublicRoutes(app, routeParts);
  addClosedRoutes(app);
  addDocumentRoutes(app, parts.documents(routeParts.baseUrl));
  app.addHook('onClose', async () => (await endpoint)?.close());

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

/** Records metric, log line and span of each request at the end of its answer or connection. */
function followRequests({ logger, logSampleEvery, metrics, tracing }: HttpServerParts) {
  let answered = 0;
  return (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    const { method, raw } = request;
    // By the conventions of OpenTelemetry for HTTP servers, without the target.
    const attributes = { 'http.request.method': method, 'url.scheme': 'http' };
    const span = tracing ? tracing.begin({ name: method, kind: 'server', attributes }, raw.headers) : null;
    reply.header('x-request-id', request.id);
    reply.raw.on('close', () => {
      metrics.answered(request.operationId, reply.statusCode, reply.elapsedTime / 1000);
      answered += 1;
      if (reply.statusCode >= 500 || answered % logSampleEvery === 0) logger.info(lineOf(request, reply, span), 'answered');
      if (span !== null) endSpan(span, request, reply);
    });
    if (span === null) next();
    else span.run(next);
  };
}

/** The route and never the request target: a path or a query may carry a secret. */
function lineOf({ id, method, principal, operationId }: FastifyRequest, reply: FastifyReply, span: OpenSpan | null): object {
  const ms = Math.round(reply.elapsedTime * 100) / 100;
  const line = { requestId: id, operation: operationId, method, status: reply.statusCode, ms, accountId: principal?.accountId ?? null };
  return span === null || span.traceId === null ? line : { ...line, trace_id: span.traceId };
}

function endSpan(span: OpenSpan, request: FastifyRequest, { statusCode }: FastifyReply): void {
  const route = request.is404 ? undefined : request.routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}');
  span.end({
    name: route === undefined ? request.method : `${request.method} ${route}`,
    attributes: {
      ...(route === undefined ? {} : { 'http.route': route }),
      'http.response.status_code': statusCode,
      'civic.operation': request.operationId,
    },
    error: statusCode >= 500 ? String(statusCode) : null,
  });
}
