import { readFileSync } from 'node:fs';
import type { FastifyReply } from 'fastify';
import type { Registry } from 'prom-client';
import type { Logger } from '../../../domain/ports/logger.ts';
import { programFile } from '../../../plumbing/program-files.ts';
import { READING } from '../http/listener.ts';
import { createPrivateListener } from './private-listener.ts';
import type { OpsState } from './read-state.ts';

const read = (name: string): string => readFileSync(programFile(`src/edge/ops/page/${name}`), 'utf8');

const PAGE_FILES: Readonly<Record<string, { readonly type: string; readonly body: string }>> = {
  '/ops': { type: 'text/html; charset=utf-8', body: read('page.html') },
  '/ops/page.css': { type: 'text/css; charset=utf-8', body: read('page.css') },
  '/ops/page.js': { type: 'text/javascript; charset=utf-8', body: read('page.js') },
  '/ops/icon.svg': { type: 'image/svg+xml; charset=utf-8', body: read('icon.svg') },
};

/** The page shows text from outside: it may only load and run what this server serves. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
    "frame-ancestors 'none'; require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

export interface ReadinessCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly reason?: string;
}

/**
 * `degraded`: the process still serves. A part has stopped, and removing the process from the load balancer would not
 * fix it.
 */
export interface Readiness {
  readonly status: 'ready' | 'degraded' | 'not ready' | 'stopping';
  readonly checks: readonly ReadinessCheck[];
}

interface OpsServerParts {
  readonly registry: Registry;
  readonly readiness: () => Promise<Readiness>;
  readonly state: () => Promise<OpsState>;
  readonly logger: Logger;
  /** Accepted host names in lower case, besides IP addresses and loopback names. */
  readonly allowedHosts: readonly string[];
}

/** Serves `/livez`, `/readyz`, `/metrics` and `/ops`. */
export function createOpsServer({ registry, readiness, state, logger, allowedHosts }: OpsServerParts) {
  const listener = createPrivateListener({
    name: 'ops',
    headers: PAGE_HEADERS,
    allowedHosts,
    hostRefusal: 'this listener answers to localhost, to addresses and to the names in CIVIC_OPS_ALLOWED_HOSTS',
    requestMs: 10_000,
    logger,
  });
  const add = (url: string, answer: (reply: FastifyReply) => unknown): void =>
    void listener.app.route({ method: READING, url, handler: (_request, reply) => answer(reply) });
  add('/livez', () => ({ status: 'live' }));
  add('/readyz', async (reply) => {
    const { status, body } = await readinessAnswer(readiness, logger);
    void reply.code(status);
    return body;
  });
  add('/metrics', async (reply) => {
    void reply.type(registry.contentType);
    return registry.metrics();
  });
  add('/ops/state', () => state());
  for (const [path, { type, body }] of Object.entries(PAGE_FILES)) add(path, (reply) => reply.type(type).send(body));
  return listener;
}

/** Answers the readiness check. A failing check counts as not ready. */
async function readinessAnswer(
  readiness: () => Promise<Readiness>,
  logger: Logger,
): Promise<{ status: number; body: Readiness }> {
  const body = await Promise.try(readiness).catch((error: unknown): Readiness => {
    logger.warn({ err: error }, 'readiness could not be determined');
    return {
      status: 'not ready',
      checks: [{ name: 'readiness', ok: false, reason: 'readiness could not be determined' }],
    };
  });
  return { status: body.status === 'ready' || body.status === 'degraded' ? 200 : 503, body };
}
