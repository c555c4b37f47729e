import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Logger } from '../domain/ports/logger.ts';

export type Readiness = { readonly ready: true } | { readonly ready: false; readonly reasons: readonly string[] };

export interface OpsServerParts {
  readonly registry: Registry;
  /** Why the service is not ready, if it is not; a failure of the question itself counts as not ready. */
  readonly readiness: () => Promise<Readiness>;
  readonly logger: Logger;
}

export interface OpsServer {
  /** Port 0 picks a free one. Throws when the address cannot be had. */
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly host: string; readonly port: number }>;
  close(): Promise<void>;
}

interface OpsAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const json = (status: number, value: object): OpsAnswer => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
});

/** The operator's listener: `/livez`, `/readyz` and `/metrics`. It needs no credential and belongs on a private address. */
export const createOpsServer = ({ registry, readiness, logger }: OpsServerParts): OpsServer => {
  const readyz = async (): Promise<OpsAnswer> => {
    const state = await Promise.try(readiness).catch((error: unknown): Readiness => {
      logger.warn({ err: error }, 'readiness could not be told');
      return { ready: false, reasons: ['readiness could not be told'] };
    });
    return state.ready ? json(200, { status: 'ready' }) : json(503, { status: 'not ready', reasons: state.reasons });
  };
  const routes: Readonly<Record<string, () => OpsAnswer | Promise<OpsAnswer>>> = {
    '/livez': () => json(200, { status: 'live' }),
    '/readyz': readyz,
    '/metrics': async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() }),
  };
  const answer = async ({ method, url = '/' }: IncomingMessage): Promise<OpsAnswer> => {
    const path = url.split('?', 1)[0]!;
    if (!Object.hasOwn(routes, path)) return json(404, { error: { code: 'not_found', message: Object.keys(routes).join(' ') } });
    if (method !== 'GET' && method !== 'HEAD') return json(405, { error: { code: 'invalid_parameter', message: 'only GET' } });
    return routes[path]!();
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, type, body } = await answer(request).catch((error: unknown) => {
      logger.error({ err: error }, 'the operator listener failed');
      return json(500, { error: { code: 'internal_error', message: 'see the log' } });
    });
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body), 'cache-control': 'no-store' });
    response.end(body);
  };
  const server = createServer((request, response) => void respond(request, response));
  return {
    listen: async ({ host, port }) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      server.once('error', reject);
      server.listen(port, host, resolve);
      await promise;
      const bound = server.address() as AddressInfo;
      return { host: bound.address, port: bound.port };
    },
    close: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      server.closeAllConnections();
      await promise;
    },
  };
};
