import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createAnswers, type Exchange } from '../answers/customer-answers.ts';
import type { Admission, Principal } from '../admission/admit.ts';
import type { ReportClients } from '../admission/report-clients.ts';
import type { JsonPage, OperationFunctions } from '../contract/handlers.ts';
import type { Operation, Surface } from '../contract/operation.ts';
import { CUSTOMER_OPERATIONS, type CustomerOperationId } from '../contract/operations.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { BucketState } from '../domain/ports/window-counts.ts';
import { Rejection } from '../domain/rejections.ts';
import type { HttpMetrics } from '../metrics/http-metrics.ts';
import { clientAddress } from './client-address.ts';
import { ignoreBodies, parseJson, takeJson } from './request-bodies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request is admitted. */
    principal?: Principal;
    /** What is left of the buckets that were charged. */
    buckets?: readonly BucketState[];
  }
}

export interface AdmittingParts {
  readonly admission: Admission;
  readonly clock: Clock;
}

export interface CustomerRouteParts extends AdmittingParts {
  readonly functions: OperationFunctions;
  readonly reportClients: ReportClients;
  readonly metrics: HttpMetrics;
  readonly baseUrl: () => string;
}

/** What is served to holders of keys alone. */
export type KeyOperation = Operation & { readonly surface: Surface };

/** The routes of the customer operations. The checks run in the order of decisions.md, section 5, each at its place in Fastify's lifecycle. */
export function addCustomerRoutes(app: FastifyInstance, parts: CustomerRouteParts): void {
  const answers = createAnswers(parts.functions, parts.baseUrl);
  const served = Object.entries<KeyOperation>(CUSTOMER_OPERATIONS).map(
    ([id, operation]): Served => ({
      operation,
      answer: answers[id as CustomerOperationId],
    }),
  );
  app.register((scope, _options, done) => {
    takeJson(scope, parseJson);
    for (const each of served) if (each.operation.body !== null) addRoute(scope, parts, each);
    done();
  });
  app.register((scope, _options, done) => {
    ignoreBodies(scope);
    for (const each of served) if (each.operation.body === null) addRoute(scope, parts, each);
    done();
  });
}

interface Served {
  readonly operation: KeyOperation;
  readonly answer: (exchange: Exchange<KeyOperation>) => Promise<JsonPage>;
}

function addRoute(scope: FastifyInstance, parts: CustomerRouteParts, { operation, answer }: Served): void {
  const { admission, clock, reportClients, metrics } = parts;
  const { operationId, params, query, headers, body, success } = operation;
  const countClient = async ({ ip, raw }: FastifyRequest): Promise<void> =>
    reportClients.admit(operationId, clientAddress(ip, raw.socket.remoteAddress), clock.now());
  const chargeExport = async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    admission.chargeExport(request.principal!, clock.now(), (states) => announceAllowance(request, reply, states));
  scope.route({
    method: operation.method,
    url: routerPath(operation),
    config: { operationId },
    schema: { params, querystring: query, ...(headers && { headers }), ...(body && { body: body.schema }) },
    ...(body && { bodyLimit: body.maxBytes }),
    onRequest: [...(operation.surface === 'reports' ? [countClient] : []), admits(parts, operation)],
    preHandler: operation.takesExport ? [chargeExport] : [],
    handler: async (request, reply) => {
      const principal = request.principal!;
      const { params, query, headers, body, id: requestId } = request;
      const page = await answer({ params, query, headers, body, principal, requestId } as unknown as Exchange<KeyOperation>);
      const json = page.body ?? page.text;
      requireSize(json, principal.allowances.maxResponseBytes);
      if (page.items > 0) metrics.itemsServed(operationId, page.items);
      void reply.code(page.status ?? success.status).header('content-type', 'application/json; charset=utf-8');
      void reply.header('cache-control', 'no-store');
      return json;
    },
  });
}

/** An `onRequest` hook: who asks, and whether there is room for it, before anything of the input is looked at. */
export function admits({ admission, clock }: AdmittingParts, { surface, scope }: KeyOperation) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { authorization } = request.raw.headers;
    const onAllowance = (states: readonly BucketState[]): void => announceAllowance(request, reply, states);
    request.principal = await admission.admit({ authorization, surface, scope, now: clock.now(), onAllowance });
  };
}

/** The path of a contract, `{name}` for each parameter, as Fastify's router writes it. */
export function routerPath({ path }: { readonly path: string }): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** `RateLimit-Policy` and `RateLimit` as structured fields of draft-ietf-httpapi-ratelimit-headers, of every bucket that was looked at. */
export function announceAllowance(request: FastifyRequest, reply: FastifyReply, states: readonly BucketState[]): void {
  const others = request.buckets?.filter(({ bucket }) => states.every((state) => state.bucket.name !== bucket.name)) ?? [];
  request.buckets = [...others, ...states];
  // Customers know the buckets by the last part of their names.
  const nameOf = ({ bucket }: BucketState): string => bucket.name.replace(/^api-customer-/, '');
  reply.header(
    'ratelimit-policy',
    request.buckets.map((state) => `"${nameOf(state)}";q=${state.bucket.limit};w=${state.bucket.seconds}`).join(', '),
  );
  reply.header('ratelimit', request.buckets.map((state) => `"${nameOf(state)}";r=${state.remaining};t=${state.resetSeconds}`).join(', '));
}

/** A text of n characters is at most 3n bytes, so that most need no measuring. */
function requireSize(json: string | Buffer, maxBytes: number): void {
  if (json.length * 3 > maxBytes && Buffer.byteLength(json) > maxBytes) {
    throw new Rejection('response_too_large', `the result is over ${maxBytes} bytes; ask for less at once`);
  }
}
