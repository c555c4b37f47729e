import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenSpan, SpanAttributes, Tracing } from '../domain/ports/tracing.ts';

/** The span of a request, by the conventions of the field for HTTP servers. The target is left out: a path or a query may hold a secret. */
export const beginRequestSpan = (tracing: Tracing, { method, raw }: FastifyRequest): OpenSpan =>
  tracing.begin({ name: method, kind: 'server', attributes: { 'http.request.method': method, 'url.scheme': 'http' } }, raw.headers);

export const endRequestSpan = (span: OpenSpan, request: FastifyRequest, { statusCode }: FastifyReply): void => {
  const route = request.routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}');
  const told: SpanAttributes = route === undefined ? {} : { 'http.route': route };
  span.end({
    name: route === undefined ? request.method : `${request.method} ${route}`,
    attributes: { ...told, 'http.response.status_code': statusCode, 'civic.operation': request.operationId },
    error: statusCode >= 500 ? String(statusCode) : null,
  });
};
