import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenSpan } from '../../../domain/ports/tracing.ts';
import type { HttpServerParts } from './parts.ts';

/** Refusals per second that a process logs one by one. The bound keeps a flood from filling the disk. */
const REFUSALS_A_SECOND = 500;

interface AnsweredRequest {
  readonly id: string;
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  /** Milliseconds. */
  readonly elapsed: number;
  readonly accountId: string | null;
  readonly traceId: string | null;
}

/**
 * Records metric, log line and span of each request when its answer or connection ends. Logs one in n successful
 * answers.
 */
export function followRequests({ logger, logSampleEvery, metrics, tracing, clock }: HttpServerParts) {
  let successes = 0;
  let [second, refused] = [0, 0];
  const isLoggedRefusal = (): boolean => {
    const now = Math.floor(clock.now() / 1000);
    if (now !== second) {
      if (refused > REFUSALS_A_SECOND)
        logger.warn({ refusals: refused - REFUSALS_A_SECOND }, 'refusals of one second were not logged');
      [second, refused] = [now, 0];
    }
    return (refused += 1) <= REFUSALS_A_SECOND;
  };
  const record = ({ id, operation, method, status, elapsed, accountId, traceId }: AnsweredRequest): void => {
    metrics.answered(operation, status, elapsed / 1000);
    if (status < 400) successes += 1;
    if (status < 500 && (status < 400 ? successes % logSampleEvery !== 0 : !isLoggedRefusal())) return;
    const ms = Math.round(elapsed * 100) / 100;
    // Logs the route, never the request target: a path or query might contain a secret.
    logger.info(
      { requestId: id, operation, method, status, ms, accountId, ...(traceId && { trace_id: traceId }) },
      'answered',
    );
  };
  /** Runs at the start of each request, even if the router cannot parse the target; `next` continues. */
  return (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    const { id, method, raw } = request;
    // The attributes follow OpenTelemetry's conventions for HTTP servers, without the target.
    const attributes = { 'http.request.method': method, 'url.scheme': 'http' };
    const span = tracing ? tracing.begin({ name: method, kind: 'server', attributes }, raw.headers) : null;
    reply.header('x-request-id', id);
    reply.raw.on('close', () => {
      const { operationId: operation, principal } = request;
      const { statusCode: status, elapsedTime: elapsed } = reply;
      const [accountId, traceId] = [principal?.accountId ?? null, span?.traceId ?? null];
      record({ id, operation, method, status, elapsed, accountId, traceId });
      if (span !== null) endSpan(span, request, status);
    });
    if (span === null) next();
    else span.run(next);
  };
}

function endSpan(span: OpenSpan, { method, is404, routeOptions, operationId }: FastifyRequest, status: number): void {
  const route = is404 ? undefined : routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}');
  const attributes = { 'http.response.status_code': status, 'civic.operation': operationId };
  const error = status >= 500 ? String(status) : null;
  if (route === undefined) span.end({ name: method, attributes, error });
  else span.end({ name: `${method} ${route}`, attributes: { 'http.route': route, ...attributes }, error });
}
