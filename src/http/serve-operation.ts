import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from '../admission/admit.ts';
import type { JsonPage } from '../contract/handlers.ts';
import type { Operation, Surface } from '../contract/operation.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { BucketState } from '../domain/ports/window-counts.ts';
import { Rejection } from '../domain/rejections.ts';
import type { Exchange } from './answers.ts';
import type { Connections } from './connections.ts';
import { readJsonBody } from './json-body.ts';
import type { HttpMetrics } from './metrics.ts';
import { parseInput } from './parse-input.ts';
import { parseQueryString } from './query-string.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';

export interface ServingParts {
  readonly admission: Admission;
  readonly clock: Clock;
  readonly connections: Connections;
  readonly metrics: HttpMetrics;
}

/** What is served to holders of keys alone. */
export type KeyOperation = Operation & { readonly surface: Surface };

/** One request from its credential to its body's last byte: who is it, what is asked, the work, and whether the result may be sent. */
export const serveOperation =
  <Op extends KeyOperation>(parts: ServingParts, operation: Op, answer: (exchange: Exchange<Op>) => Promise<JsonPage>) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<string | Buffer> => {
    const { raw } = request;
    const { admission, clock } = parts;
    const told: BucketState[] = [];
    const onAllowance = (states: readonly BucketState[]): void => {
      told.push(...states);
      reply.headers(rateLimitHeaders(told));
    };
    const principal = await admission.admit({
      authorization: authorizationHeaders(raw.rawHeaders),
      surface: operation.surface,
      scope: operation.scope,
      now: clock.now(),
      onAllowance,
    });
    request.accountId = principal.accountId;
    const headers = operation.headers === undefined ? undefined : parseInput(operation.headers, raw.headers);
    const params = parseInput(operation.params, request.params);
    const query = parseInput(operation.query, parseQueryString(raw.url ?? ''));
    const body =
      operation.body === null ? undefined : parseInput(operation.body.schema, await read(parts.connections, raw, operation.body));
    if (operation.takesExport === true) await admission.chargeExport(principal, clock.now(), onAllowance);
    const page = await answer({ params, query, headers, body, principal, requestId: request.id } as Exchange<Op>);
    const json = page.body ?? page.text;
    requireSize(json, principal.allowances.maxResponseBytes);
    if (page.items > 0) parts.metrics.itemsServed(operation.operationId, page.items);
    void reply.code(page.status ?? operation.success.status).header('content-type', 'application/json; charset=utf-8');
    return json;
  };

/** A text of n characters is at most 3n bytes, so that most need no measuring. */
const requireSize = (json: string | Buffer, maxBytes: number): void => {
  if (json.length * 3 > maxBytes && Buffer.byteLength(json) > maxBytes) {
    throw new Rejection('response_too_large', `the result is over ${maxBytes} bytes; ask for less at once`);
  }
};

/** Every one of them: Node's `headers` keeps the first and hides that there are more. */
export const authorizationHeaders = (rawHeaders: readonly string[]): readonly string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === 'authorization');

const read = (connections: Connections, raw: FastifyRequest['raw'], { maxBytes }: { readonly maxBytes: number }): Promise<unknown> => {
  connections.awaitsBody(raw);
  return readJsonBody(raw, maxBytes);
};
