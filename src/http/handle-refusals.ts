import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WRONG_METHOD_STATUS } from '../contract/statuses.ts';
import type { Logger } from '../domain/ports/logger.ts';
import { Rejection } from '../domain/rejections.ts';
import { allowedMethods, type Route } from './allowed-methods.ts';
import { isCustomerPath } from './customer-paths.ts';
import type { HttpMetrics } from './metrics.ts';
import { answerTo, refusalOf } from './refusals.ts';
import { refusalFor } from './report-refusals.ts';

export interface Refusals {
  /** Answers whatever was thrown, in the envelope. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
}

/** Makes the envelope the answer to everything that is refused or fails: by the router, the framework, an operation or a defect. */
export const handleRefusals = (
  app: FastifyInstance,
  {
    routes,
    logger,
    metrics,
  }: { readonly routes: readonly Route[]; readonly logger: Logger; readonly metrics: Pick<HttpMetrics, 'refused'> },
): Refusals => {
  const send = (rejection: Rejection, status: number | undefined, request: FastifyRequest, reply: FastifyReply): void => {
    const answer = answerTo(rejection, status);
    metrics.refused(rejection.code);
    if (isCustomerPath(request.raw.url ?? '')) reply.header('cache-control', 'no-store');
    void reply.code(answer.status).headers(answer.headers).send(answer.body);
  };
  const answer: Refusals['answer'] = (error, request, reply) => {
    const rejection = isBadTarget(error)
      ? new Rejection('invalid_parameter', 'the path is not valid percent-encoded UTF-8')
      : refusalOf(error);
    if (rejection !== error && rejection.code !== 'invalid_parameter') {
      const level = rejection.code === 'internal_error' ? 'error' : 'warn';
      logger[level]({ requestId: request.id, operation: request.operationId, code: rejection.code, err: error }, 'the request failed');
    }
    const worded = refusalFor(request.raw.url ?? '', rejection);
    send(worded.rejection, worded.status, request, reply);
  };
  app.setErrorHandler(answer);
  app.setNotFoundHandler((request, reply) => {
    const allowed = allowedMethods(routes, request.raw.url ?? '');
    if (allowed.length === 0) return send(new Rejection('not_found', 'there is nothing at this path'), undefined, request, reply);
    reply.header('allow', allowed.join(', '));
    send(new Rejection('invalid_parameter', `this path takes ${allowed.join(', ')}`), WRONG_METHOD_STATUS, request, reply);
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const { httpVersion, headers } = request.raw;
    if (httpVersion === '1.1' && headers.host === undefined) done(new Rejection('invalid_parameter', 'the Host header is missing'));
    else done();
  });
  return { answer };
};

const isBadTarget = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'FST_ERR_BAD_URL';
