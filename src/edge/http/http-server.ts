import type { FastifyInstance } from 'fastify';
import type { ClosedOperation } from '../../../contract/operation.ts';
import { CLOSED_OPERATIONS } from '../../../contract/operations.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { watchPosition } from '../answers/answer-cache.ts';
import { memoize } from '../documents/document-routes.ts';
import { errorPath } from '../pages/addresses.ts';
import type { ToolEndpoint } from '../mcp/endpoint.ts';
import { cachedRoutes } from './cached-routes.ts';
import { addCustomerRoutes } from './customer-routes.ts';
import { followRequests } from './follow-requests.ts';
import { ignoreBodies } from './input.ts';
import { createListener, READING } from './listener.ts';
import type { HttpServerParts } from './parts.ts';
import { addPageRoutes, showError } from './page-routes.ts';
import { addDocumentRoutes, addPublicPreflight, addPublicRoutes } from './public-routes.ts';
import { addToolRoutes } from './tool-routes.ts';
import { UnreadAnswers } from './unread-answers.ts';

export const HTTP_TIMEOUTS = {
  headers: 10_000,
  request: 30_000,
  keepAlive: 65_000,
  keepAliveMargin: 65_000,
  close: 10_000,
};

export function createHttpServer(parts: HttpServerParts) {
  // A random process id with a counter is unique and avoids randomness per request.
  const processId = parts.identifiers.next();
  let requests = 0;
  let baseUrl = parts.baseUrl ?? 'http://localhost';
  const requestId = (): string => `${processId}-${(requests += 1)}`;
  const watch = watchPosition(parts);
  const listener = createListener({
    ...parts,
    requestId,
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
  /** Loaded at the first call: the protocol library and its schemas take 10 MB. */
  const tools = memoize(
    () =>
      (loading = import('../mcp/endpoint.ts').then(({ createToolEndpoint }) =>
        createToolEndpoint({ ...parts, ...parts.tools }),
      )),
  );
  const routeParts = { ...parts, baseUrl: () => baseUrl };
  const unread = new UnreadAnswers(parts.metrics);
  addCustomerRoutes(app, routeParts, unread);
  addToolRoutes(app, tools, routeParts, unread);
  app.addHook('onClose', async () => watch.close());
  const addCached = cachedRoutes(app, { ...parts, watch });
  addPublicRoutes(addCached, routeParts, watch);
  addPublicPreflight(app, parts.publicOrigins);
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
        onRequest: (_request, _reply, next) =>
          next(new Rejection(refusals[0]!, 'this route is closed; the tool endpoint is /api/v1/mcp')),
        handler: () => undefined,
      });
    }
  });
}
