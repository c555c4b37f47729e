import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Admit } from '../admission/admit.ts';
import type { JsonPage } from '../contract/handlers.ts';
import type { Operation } from '../contract/operation.ts';
import type { Clock } from '../domain/ports/clock.ts';
import { Rejection } from '../domain/rejections.ts';
import type { Exchange } from './answers.ts';
import type { Connections } from './connections.ts';
import { readJsonBody } from './json-body.ts';
import type { HttpMetrics } from './metrics.ts';
import { parseInput } from './parse-input.ts';
import { parseQueryString } from './query-string.ts';

export interface ServingParts {
  readonly admit: Admit;
  readonly clock: Clock;
  readonly connections: Connections;
  readonly metrics: HttpMetrics;
}

/** One request from its credential to its body's last byte: who is it, what is asked, the work, and whether the result may be sent. */
export const serveOperation =
  <Op extends Operation>(parts: ServingParts, operation: Op, answer: (exchange: Exchange<Op>) => Promise<JsonPage>) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<Buffer> => {
    const { raw } = request;
    const principal = await parts.admit({
      authorization: raw.headersDistinct.authorization,
      scope: operation.scope,
      now: parts.clock.now(),
    });
    request.accountId = principal.accountId;
    const params = parseInput(operation.params, request.params);
    const query = parseInput(operation.query, parseQueryString(raw.url ?? ''));
    const body =
      operation.body === null ? undefined : parseInput(operation.body.schema, await read(parts.connections, raw, operation.body));
    const page = await answer({ params, query, body, principal, requestId: request.id } as Exchange<Op>);
    const bytes = Buffer.from(page.text);
    const { maxResponseBytes } = principal.allowances;
    if (bytes.length > maxResponseBytes) {
      throw new Rejection('response_too_large', `the result is over ${maxResponseBytes} bytes; ask for less at once`);
    }
    if (page.items > 0) parts.metrics.itemsServed(operation.operationId, page.items);
    void reply.code(operation.success.status).header('content-type', 'application/json; charset=utf-8');
    return bytes;
  };

const read = (connections: Connections, raw: FastifyRequest['raw'], { maxBytes }: { readonly maxBytes: number }): Promise<unknown> => {
  connections.awaitsBody(raw);
  return readJsonBody(raw, maxBytes);
};
