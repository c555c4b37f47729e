import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ClosedOperation } from '../../../contract/operation.ts';
import { CLOSED_OPERATIONS } from '../../../contract/operations.ts';
import type { OpenSpan } from '../../../domain/ports/tracing.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { watchPosition } from '../answers/answer-cache.ts';
import { kept } from '../documents/document-routes.ts';
import { errorPath } from '../pages/addresses.ts';
import type { ToolEndpoint } from '../mcp/endpoint.ts';
import { addCustomerRoutes } from './customer-routes.ts';
import { ignoreBodies } from './input.ts';
import { createListener, READING } from './listener.ts';
import type { HttpServerParts } from './parts.ts';
import { addPageRoutes, showError } from './page-routes.ts';
import { addDocumentRoutes, addPublicRoutes, cachedRoutes } from './public-routes.ts';
import { addToolRoutes } from './tool-routes.ts';

export const HTTP_TIMEOUTS = { headers: 10_000, request: 30_000, keepAlive: 65_000, keepAliveMargin: 65_000, close: 10_000 };

export function createHttpServer(parts: HttpServerParts) {
  // As unique as a fresh id for each request, without asking for randomness each time.
  const processId = parts.identifiers.next();
  let requests = 0;
  let baseUrl = parts.baseUrl ?? 'http://localhost';
  const listener = createListener({
    ...parts,
    requestId: () => `${processId}-${(requests += 1)}`,
    follow: followRequests(parts),
    docsOf: (code) => `${baseUrl}${errorPath(code)}`,
    errorPage: showError(parts.pages),
  });
  const { app } = listener;
  const { disturb } = parts;
  if (disturb !== undefined) {
    app.addHook('onRequest', (request, reply, next) => {
      disturb(request.operationId, reply.raw);
      next();
    });
  }
  let loading: Promise<ToolEndpoint> | undefined;
  /** Loaded with the first call: the library of the protocol and its schemas take 10 MB. */
  const tools = kept(
    () => (loading = import('../mcp/endpoint.ts').then(({ createToolEndpoint }) => createToolEndpoint({ ...parts, ...parts.tools }))),
  );
  const routeParts = { ...parts, baseUrl: () => baseUrl };
  addCustomerRoutes(app, routeParts);
  addToolRoutes(app, tools, routeParts);
  const watch = watchPosition(parts);
  app.addHook('onClose', async () => watch.close());
  const addCached = cachedRoutes(app, routeParts, watch);
  addPublicRoutes(addCached, routeParts, watch);
  addPageRoutes(addCached, routeParts);
  addClosedRoutes(app);
  addDocumentRoutes(app, parts.documents(routeParts.baseUrl), parts.publicOrigins);
  app.addHook('onClose', async () => (await loading?.catch(() => undefined))?.close());
  return {
    ...listener,
    async listen(address: { readonly host: string; readonly port: number }) {
      const bound = await listener.listen(address);
      baseUrl = parts.baseUrl ?? bound.url;
      return bound;
    },
  };
}

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

/** Refusals in a second that a process logs one by one: a flood of them must not fill a disk. */
const REFUSALS_A_SECOND = 500;

/** Records metric, log line and span of each request at the end of its answer or connection. Of successful answers one in n is logged. */
function followRequests({ logger, logSampleEvery, metrics, tracing, clock }: HttpServerParts) {
  let answered = 0;
  let [second, refused] = [0, 0];
  const logsRefusal = (): boolean => {
    const now = Math.floor(clock.now() / 1000);
    if (now !== second) {
      if (refused > REFUSALS_A_SECOND) logger.warn({ refusals: refused - REFUSALS_A_SECOND }, 'refusals of one second were not logged');
      [second, refused] = [now, 0];
    }
    return (refused += 1) <= REFUSALS_A_SECOND;
  };
  return (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    const { id, method, raw } = request;
    // By the conventions of OpenTelemetry for HTTP servers, without the target.
    const attributes = { 'http.request.method': method, 'url.scheme': 'http' };
    const span = tracing ? tracing.begin({ name: method, kind: 'server', attributes }, raw.headers) : null;
    reply.header('x-request-id', id);
    reply.raw.on('close', () => {
      const { operationId: operation, principal } = request;
      const { statusCode: status, elapsedTime } = reply;
      metrics.answered(operation, status, elapsedTime / 1000);
      if (status < 400) answered += 1;
      if (status >= 500 || (status < 400 ? answered % logSampleEvery === 0 : logsRefusal())) {
        const ms = Math.round(elapsedTime * 100) / 100;
        const trace = span?.traceId ? { trace_id: span.traceId } : {};
        // The route and never the request target: a path or a query may carry a secret.
        logger.info({ requestId: id, operation, method, status, ms, accountId: principal?.accountId ?? null, ...trace }, 'answered');
      }
      if (span !== null) endSpan(span, request, status);
    });
    if (span === null) next();
    else span.run(next);
  };
}

function endSpan(span: OpenSpan, { method, is404, routeOptions, operationId }: FastifyRequest, status: number): void {
  const route = is404 ? undefined : routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}');
  const attributes = { 'http.response.status_code': status, 'civic.operation': operationId };
  const error = status >= 500 ? String(status) : null;
  if (route === undefined) span.end({ name: method, attributes, error });
  else span.end({ name: `${method} ${route}`, attributes: { 'http.route': route, ...attributes }, error });
}
