import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Logger } from '../domain/ports/logger.ts';
import type { OpsState } from './ops/ops-state.ts';
import { PAGE_FILES, PAGE_HEADERS } from './ops/page.ts';
import { type Readiness, tellReadiness } from './ops/readyz.ts';

export interface OpsServerParts {
  readonly registry: Registry;
  readonly readiness: () => Promise<Readiness>;
  /** What the page at `/ops` shows. */
  readonly state: () => Promise<OpsState>;
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

/** The operator's listener: `/livez`, `/readyz`, `/metrics`, and the page at `/ops` with its state. It needs no credential and belongs on a private address. */
export const createOpsServer = ({ registry, readiness, state, logger }: OpsServerParts): OpsServer => {
  const page = Object.entries(PAGE_FILES).map(([path, file]) => [path, () => ({ status: 200, ...file })] as const);
  const routes: Readonly<Record<string, () => OpsAnswer | Promise<OpsAnswer>>> = {
    '/livez': () => json(200, { status: 'live' }),
    '/readyz': async () => {
      const { status, body } = await tellReadiness(readiness, logger);
      return json(status, body);
    },
    '/metrics': async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() }),
    '/ops/state': async () => json(200, await state()),
    ...Object.fromEntries(page),
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
    const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body), 'cache-control': 'no-store' };
    response.writeHead(status, { ...PAGE_HEADERS, ...headers });
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
