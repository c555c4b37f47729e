import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../domain/ports/logger.ts';

/**
 * One line for every `sampleEvery`-th answer, and for each answer of 500 and above. A line holds the route, never the request target:
 * a query or a path may carry what somebody mistook for the place of a secret.
 */
export const createRequestLog = (logger: Logger, sampleEvery: number): ((request: FastifyRequest, reply: FastifyReply) => void) => {
  let answered = 0;
  return (request, reply) => {
    answered += 1;
    const { statusCode } = reply;
    if (statusCode < 500 && answered % sampleEvery !== 0) return;
    const { id, method, accountId, operationId, span } = request;
    const traced = span === null || span.traceId === null ? {} : { trace_id: span.traceId };
    const ms = Math.round(reply.elapsedTime * 100) / 100;
    logger.info({ requestId: id, operation: operationId, method, status: statusCode, ms, accountId, ...traced }, 'answered');
  };
};
