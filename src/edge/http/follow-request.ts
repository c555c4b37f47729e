import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../../domain/ports/logger.ts';
import type { OpenSpan, SpanAttributes, Tracing } from '../../../domain/ports/tracing.ts';
import type { HttpMetrics } from '../metrics/http-metrics.ts';

export interface FollowParts {
  readonly logger: Logger;
  /** Every n-th answer below 500 is logged, and each one from 500 on. */
  readonly logSampleEvery: number;
  readonly metrics: HttpMetrics;
  readonly tracing: Tracing | null;
}

/** Gives each request its metric, its log line and its span, to the end of its answer or of its connection. */
export function followRequests({ logger, logSampleEvery, metrics, tracing }: FollowParts) {
  let answered = 0;
  return (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    const span = tracing === null ? null : beginSpan(tracing, request);
    reply.header('x-request-id', request.id);
    reply.raw.on('close', () => {
      metrics.answered(request.operationId, reply.statusCode, reply.elapsedTime / 1000);
      answered += 1;
      if (reply.statusCode >= 500 || answered % logSampleEvery === 0) logger.info(lineOf(request, reply, span), 'answered');
      if (span !== null) endSpan(span, request, reply);
    });
    if (span === null) next();
    else span.run(next);
  };
}

/** The route and never the request target: a path or a query may carry a secret. */
function lineOf(request: FastifyRequest, reply: FastifyReply, span: OpenSpan | null): object {
  const { id, method, principal, operationId } = request;
  const ms = Math.round(reply.elapsedTime * 100) / 100;
  const traced = span === null || span.traceId === null ? {} : { trace_id: span.traceId };
  return {
    requestId: id,
    operation: operationId,
    method,
    status: reply.statusCode,
    ms,
    accountId: principal?.accountId ?? null,
    ...traced,
  };
}

/** By the conventions of OpenTelemetry for HTTP servers, without the target. */
function beginSpan(tracing: Tracing, { method, raw }: FastifyRequest): OpenSpan {
  return tracing.begin({ name: method, kind: 'server', attributes: { 'http.request.method': method, 'url.scheme': 'http' } }, raw.headers);
}

function endSpan(span: OpenSpan, request: FastifyRequest, { statusCode }: FastifyReply): void {
  const route = request.is404 ? undefined : request.routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}');
  const known: SpanAttributes = route === undefined ? {} : { 'http.route': route };
  span.end({
    name: route === undefined ? request.method : `${request.method} ${route}`,
    attributes: { ...known, 'http.response.status_code': statusCode, 'civic.operation': request.operationId },
    error: statusCode >= 500 ? String(statusCode) : null,
  });
}
