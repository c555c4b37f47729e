import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ReportClients } from '../admission/report-clients.ts';
import type { JsonPage, OperationFunctions } from '../contract/handlers.ts';
import type { Operation } from '../contract/operation.ts';
import { postMcpJsonRpc } from '../contract/post-mcp-json-rpc.ts';
import { CLOSED_OPERATIONS, CUSTOMER_OPERATIONS, type CustomerOperationId, PUBLIC_OPERATIONS } from '../contract/operations.ts';
import type { Route } from './allowed-methods.ts';
import { createAnswers, type Exchange } from './answers.ts';
import { type DocumentRoute, serveDocument } from './documents.ts';
import type { Codings } from './public/accept-encoding.ts';
import type { PublicEdge } from './public/public-edge.ts';
import { servePublic } from './public/serve-public.ts';
import { refuseClosed } from './refuse-closed.ts';
import { type KeyOperation, serveOperation } from './serve-operation.ts';
import { afterReportClient } from './report-client.ts';
import { serveTools, serveToolsPreflight, type ToolServing } from './serve-tools.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** `none` where the router itself answers, and for a page that is no operation's. */
    operationId: string;
  }
}

export interface RouteParts extends ToolServing {
  readonly reportClients: ReportClients;
  /** Whether pages of other origins may call the tools. */
  readonly preflights: boolean;
  readonly functions: OperationFunctions;
  readonly publicEdge: PublicEdge;
  readonly codingsOf: (header: string | undefined) => Codings;
  /** The documents, whose texts may name the base URL, which is known once the server listens. */
  readonly documents: () => readonly DocumentRoute[];
}

type Handle = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Adds every route of the public listener and tells them all, for whoever asks what a path takes. */
export const addRoutes = (app: FastifyInstance, parts: RouteParts): readonly Route[] => {
  // Fastify is told that no method has a body: it would judge a Content-Type before the credential, and where a body is to be ignored.
  for (const method of ['POST', 'DELETE']) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  const routes: Route[] = [];
  const add = (methods: readonly string[], path: string, operationId: string, handle: Handle): void => {
    routes.push(...methods.map((method) => ({ method, path })));
    app.route({
      method: [...methods],
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      handler: (request: FastifyRequest, reply: FastifyReply) => {
        request.operationId = operationId;
        return request.span === null ? handle(request, reply) : request.span.run(() => handle(request, reply));
      },
    });
  };
  addCustomerRoutes(add, parts);
  const { method, path, operationId } = postMcpJsonRpc;
  add([method], path, operationId, serveTools(parts));
  if (parts.preflights) add(['OPTIONS'], path, operationId, serveToolsPreflight(parts));
  for (const [id, answer] of Object.entries(parts.publicEdge.answers)) {
    const operation: Operation = PUBLIC_OPERATIONS[id as keyof typeof PUBLIC_OPERATIONS];
    add(READING, operation.path, id, servePublic(parts.publicEdge.serving, operation, answer));
  }
  for (const operation of Object.values(CLOSED_OPERATIONS)) {
    const methods = operation.method === 'GET' ? READING : [operation.method];
    add(methods, operation.path, operation.operationId, refuseClosed(operation));
  }
  parts.documents().forEach(({ path, operationId }, index) => {
    add(
      READING,
      path,
      operationId ?? 'none',
      serveDocument(() => parts.documents()[index]!, parts.codingsOf),
    );
  });
  return routes;
};

/** Where a shared cache may keep the answer to GET, HEAD is the same question without the body (RFC 9110, 9.1 and 9.3.2). */
const READING = ['GET', 'HEAD'];

type AnyAnswer = (exchange: Exchange<KeyOperation>) => Promise<JsonPage>;

const addCustomerRoutes = (
  add: (methods: readonly string[], path: string, operationId: string, handle: Handle) => void,
  parts: RouteParts,
): void => {
  const answers = createAnswers(parts.functions, parts.baseUrl);
  for (const [id, operation] of Object.entries(CUSTOMER_OPERATIONS)) {
    const answer: AnyAnswer = answers[id as CustomerOperationId];
    const served = serveOperation<KeyOperation>(parts, operation, answer);
    const serve = operation.surface === 'reports' ? afterReportClient(parts, operation, served) : served;
    add([operation.method], operation.path, id, (request, reply) => {
      reply.header('cache-control', 'no-store');
      return serve(request, reply);
    });
  }
};
