import { METHODS } from './node-http.ts';
import type { IncomingMessage } from 'node:http';
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
    /** `none` for answers of the router itself and for pages, which are not operations. */
    operationId: string;
    /** Returns 405 if the path has other methods, else 404. */
    unrouted(): Rejection;
  }
  interface FastifyContextConfig {
    operationId?: string;
  }
}

interface ListenerParts extends ConnectionsParts {
  readonly requestId: () => string;
  /** Called at the start of each request, even if the router cannot parse the target; `next` continues. */
  readonly follow: (request: FastifyRequest, reply: FastifyReply, next: () => void) => void;
  readonly logger: Logger;
  readonly docsOf: DocsOf | null;
  readonly errorPage: Parameters<typeof errorHandler>[0]['errorPage'];
}

/** Methods of cacheable answers: HEAD is a GET without the body (RFC 9110, sections 9.1 and 9.3.2). */
export const READING = ['GET', 'HEAD'];

/** Creates a server that refuses requests in the envelope and without reading their bodies. */
export function createListener(parts: ListenerParts) {
  const { requestId, follow } = parts;
  const connections = new Connections(parts);
  const onError = errorHandler(parts);
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    genReqId: requestId,
    serverFactory: (handle) => connections.createServer(handle),
    // The router would apply its own limit before the key is checked. The query stays a text, so that a cached answer
    // needs no parsing.
    routerOptions: { maxParamLength: 16_384, querystringParser: (text) => ({ text }) },
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')),
    // Set here so that Fastify does not load its JSON Schema compilers, a hundred modules.
    schemaController: {
      compilersFactory: { buildValidator: () => zodValidator as never, buildSerializer: () => () => JSON.stringify },
    },
    clientErrorHandler: (error, socket) => connections.broken(error, socket),
    frameworkErrors: (error, request, reply) => {
      // Fastify creates this request without decorations.
      Object.assign(request, { operationId: 'none' });
      follow(request, reply, () => onError(error, request, reply));
    },
  });
  // Only POST has a body: bodies of other methods are not read.
  for (const method of METHODS)
    if (method !== 'POST' && method !== 'CONNECT')
      app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.setErrorHandler(onError);
  app.decorateRequest('operationId', 'none');
  const unroutedAt = collectMethods(app);
  app.decorateRequest('unrouted', function unrouted(this: FastifyRequest) {
    return unroutedAt(this.url);
  });
  app.addHook('onRequest', (request, reply, done) => {
    request.operationId = request.routeOptions.config.operationId ?? 'none';
    const isUnrouted = request.is404 || hasEmptyParameter(request);
    follow(request, reply, () => done(hostFault(request.raw) ?? (isUnrouted ? request.unrouted() : undefined)));
  });
  // Fastify measures the time of a reply only if an `onResponse` hook exists, and otherwise returns 0.
  app.addHook('onResponse', (_request, _reply, done) => done());
  return {
    app,
    /** Starts to listen. Port 0 selects a free port. Throws if the address cannot be bound. */
    async listen({ host, port }: { readonly host: string; readonly port: number }) {
      // Length of the kernel's queue of new connections. The kernel resets connections beyond it.
      await app.listen({ host, port, backlog: parts.limits.total });
      const bound = app.server.address() as AddressInfo;
      const name = bound.address.includes(':') ? `[${bound.address}]` : bound.address;
      return { host: bound.address, port: bound.port, url: `http://${name}:${bound.port}` };
    },
    /** Continues to answer, but asks each client to reconnect, which behind a proxy leads to another process. */
    drain: () => connections.drain(),
    /**
     * Stops accepting connections. Resolves when running requests are answered, the time limit has passed or the signal
     * aborts.
     */
    async close(hurrying?: AbortSignal): Promise<void> {
      connections.drain();
      // First accept the connections in the kernel's queue: closing would reset them.
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

/** Returns true for a path that ends where an id is expected: the router would accept it with an empty id. */
function hasEmptyParameter({ params }: FastifyRequest): boolean {
  return Object.values(params as Readonly<Record<string, string>>).includes('');
}

function hostFault({ httpVersion, headers }: IncomingMessage): Rejection | undefined {
  if (httpVersion === '1.1' && headers.host === undefined)
    return new Rejection('invalid_parameter', 'the Host header is missing');
  if (!headers.host?.includes(',')) return undefined;
  return new Rejection('invalid_parameter', 'the Host header is sent more than once, or names several hosts');
}

/** Collects the methods of each path. Returns the rejection for a raw target whose path can be decoded. */
function collectMethods(app: FastifyInstance): (target: string) => Rejection {
  const byUrl = new Map<string, { readonly path: RegExp; readonly methods: string[] }>();
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const path = new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
    const { methods } = byUrl.get(url) ?? byUrl.set(url, { path, methods: [] }).get(url)!;
    methods.push(...[method].flat());
  });
  return (target) => {
    const decoded = decodeURI(target.split(/[?#]/, 1)[0]!);
    const allowed = [...byUrl.values()].find(({ path }) => path.test(decoded))?.methods.join(', ');
    return allowed === undefined
      ? new Rejection('not_found', 'there is nothing at this path')
      : new WrongMethod(allowed);
  };
}
