import { METHODS } from './node-http.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from '../../../domain/ports/logger.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { Connections, type ConnectionsParts } from './connections.ts';
import { type DocsOf, errorHandler, WrongMethod } from './errors.ts';
import { zodValidator } from './input.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** `none` where the router itself answers, and for a page that is no operation's. */
    operationId: string;
    /** 405 where the path has other methods, else 404. */
    unrouted(): Rejection;
  }
  interface FastifyContextConfig {
    operationId?: string;
  }
}

interface ListenerParts extends ConnectionsParts {
  readonly requestId: () => string;
  /** Answers a request before the router sees it; false where it is to be routed. */
  readonly answerAtOnce: ((request: IncomingMessage, response: ServerResponse) => boolean) | null;
  /** Called at the start of each request, also for a target that the router cannot parse; `next` continues. */
  readonly follow: (request: FastifyRequest, reply: FastifyReply, next: () => void) => void;
  readonly logger: Logger;
  readonly docsOf: DocsOf | null;
  readonly errorPage: Parameters<typeof errorHandler>[0]['errorPage'];
}

/** Where a shared cache may keep the answer to GET, HEAD is the same question without the body (RFC 9110, 9.1 and 9.3.2). */
export const READING = ['GET', 'HEAD'];

/** Every refusal of this server is in the envelope and reads no body. */
export function createListener(parts: ListenerParts) {
  const { requestId, follow } = parts;
  const connections = new Connections(parts);
  const onError = errorHandler(parts);
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    genReqId: requestId,
    serverFactory: (route) =>
      connections.createServer((request, response) => {
        if (!answeredAtOnce(parts, request, response)) route(request, response);
      }),
    // The router's limit would answer before the key is checked. A query stays a text: a cached answer needs no parsing.
    routerOptions: { maxParamLength: 16_384, querystringParser: (text) => text as unknown as Record<string, unknown> },
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')),
    // Given here, so that Fastify does not load the compilers of JSON Schema, a hundred modules.
    schemaController: { compilersFactory: { buildValidator: () => zodValidator as never, buildSerializer: () => () => JSON.stringify } },
    clientErrorHandler: (error, socket) => connections.broken(error, socket),
    frameworkErrors: (error, request, reply) => {
      // Fastify creates this request without decorations.
      Object.assign(request, { operationId: 'none' });
      follow(request, reply, () => onError(error, request, reply));
    },
  });
  // Only POST has a body here: bodies of other methods are not read.
  for (const method of METHODS)
    if (method !== 'POST' && method !== 'CONNECT') app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.setErrorHandler(onError);
  app.decorateRequest('operationId', 'none');
  const unroutedAt = collectMethods(app);
  app.decorateRequest('unrouted', function unrouted(this: FastifyRequest) {
    return unroutedAt(this.url);
  });
  app.addHook('onRequest', (request, reply, done) => {
    request.operationId = request.routeOptions.config.operationId ?? 'none';
    follow(request, reply, () => done(hostFault(request.raw) ?? (request.is404 ? request.unrouted() : undefined)));
  });
  // Fastify measures the time of a reply only where a listener waits for its end, and returns 0 otherwise.
  app.addHook('onResponse', (_request, _reply, done) => done());
  return {
    app,
    /** Port 0 selects a free one. Throws where the address cannot be bound. */
    async listen({ host, port }: { readonly host: string; readonly port: number }) {
      // Length of the kernel's queue of new connections; beyond it the kernel resets them.
      await app.listen({ host, port, backlog: parts.limits.total });
      const bound = app.server.address() as AddressInfo;
      const name = bound.address.includes(':') ? `[${bound.address}]` : bound.address;
      return { host: bound.address, port: bound.port, url: `http://${name}:${bound.port}` };
    },
    /** Continues to answer and asks every client to reconnect: behind a proxy, to another process. */
    drain: () => connections.drain(),
    /** Stops accepting and resolves when running requests have been answered, or the limit has passed, or the signal aborts. */
    async close(hurrying?: AbortSignal): Promise<void> {
      connections.drain();
      // Connections that the kernel has accepted are taken first: closing would reset them.
      await nextTurn();
      const cut = (): void => app.server.closeAllConnections();
      const limit = setTimeout(cut, parts.timeouts.close);
      const closed = app.close();
      connections.close(app.server);
      if (hurrying?.aborted === true) cut();
      hurrying?.addEventListener('abort', cut, { once: true });
      await closed;
      hurrying?.removeEventListener('abort', cut);
      clearTimeout(limit);
    },
  };
}

export function hostFault({ httpVersion, headers }: IncomingMessage): Rejection | undefined {
  if (httpVersion === '1.1' && headers.host === undefined) return new Rejection('invalid_parameter', 'the Host header is missing');
  if (!headers.host?.includes(',')) return undefined;
  return new Rejection('invalid_parameter', 'the Host header is sent more than once, or names several hosts');
}

/** Outside the router nothing catches a defect: a request that meets one is routed, and the router answers 500. */
function answeredAtOnce({ answerAtOnce }: ListenerParts, request: IncomingMessage, response: ServerResponse): boolean {
  try {
    return answerAtOnce?.(request, response) ?? false;
  } catch {
    return response.headersSent;
  }
}

/** `target` is as received, and its path can be decoded. */
function collectMethods(app: FastifyInstance): (target: string) => Rejection {
  const taken = new Map<string, { readonly path: RegExp; readonly methods: string[] }>();
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const path = new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
    const { methods } = taken.get(url) ?? taken.set(url, { path, methods: [] }).get(url)!;
    methods.push(...[method].flat());
  });
  return (target) => {
    const decoded = decodeURI(target.split(/[?#]/, 1)[0]!);
    const allowed = [...taken.values()].find(({ path }) => path.test(decoded))?.methods.join(', ');
    return allowed === undefined ? new Rejection('not_found', 'there is nothing at this path') : new WrongMethod(allowed);
  };
}
