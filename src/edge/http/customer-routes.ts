import type { ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Exchange } from '../answers/exchange.ts';
import { preferredForm } from '../answers/representation.ts';
import { jsonOf, type Principal } from '../admission/admit.ts';
import { limitAtOnce } from '../admission/at-once.ts';
import type { JsonPage } from '../../../contract/inputs.ts';
import { readCivicRecords } from '../../../contract/read-civic-records.ts';
import { MEDIA_TYPES, type Operation, type PageForm, type Surface } from '../../../contract/operation.ts';
import { CUSTOMER_OPERATIONS, type CustomerOperationId } from '../../../contract/operations.ts';
import { Rejection } from '../../../domain/rejections.ts';
import type { AllowanceState, OnAllowance } from '../../../domain/ports/counts.ts';
import { requestAddress } from '../admission/client-address.ts';
import { compressAnswers } from './compress-answers.ts';
import { ignoreBodies, parseJson, takeJson } from './input.ts';
import type { RouteParts } from './parts.ts';
import type { UnreadAnswers } from './unread-answers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    principal?: Principal;
    /** Milliseconds of the stopwatch. */
    admittedAt?: number;
    /** Remaining units of the charged buckets. */
    buckets?: readonly AllowanceState[];
    /** Adds to them. */
    onAllowance?: OnAllowance;
    /** The page that was asked for together with the charge, for the principal that the key most likely had. */
    ahead?: { readonly guess: Principal; readonly page: Promise<JsonPage> };
  }
}

export type KeyOperation = Operation & { readonly surface: Surface };

/** Pages of records take up to megabytes and tens of milliseconds each: so many of one account delay those of others by less than a second. */
const RECORDS_AT_ONCE = { what: 'requests for records of this account', concurrency: 16, maxWaiting: 1_000, maxWaitMs: 10_000 };

/** Fastify's lifecycle orders the checks as docs/interface.md lists them. */
export function addCustomerRoutes(app: FastifyInstance, parts: RouteParts, unread: UnreadAnswers): void {
  const { admission, clock, reportClients, feedReads, metrics } = parts;
  const recordsAtOnce = limitAtOnce({ ...RECORDS_AT_ONCE, clock });
  const chargeExport = (units: number) => (request: FastifyRequest, reply: FastifyReply) =>
    admission.chargeExport(request.principal!, units, clock.now(), (states) => announceAllowance(request, reply, states));
  for (const operation of Object.values<KeyOperation>(CUSTOMER_OPERATIONS)) {
    const { operationId, method, params, query, headers, body, success, exportUnits } = operation;
    const formOf = ({ raw }: FastifyRequest): PageForm => (success.forms === undefined ? 'json' : preferredForm(raw.headers.accept));
    const answersRecords = success.forms !== undefined || operationId === readCivicRecords.operationId;
    const operate: (exchange: Exchange<KeyOperation>) => Promise<JsonPage> = parts.operations[operationId as CustomerOperationId];
    const answer = (request: FastifyRequest, { raw }: FastifyReply, principal: Principal): Promise<JsonPage> => {
      const { params, query, headers, body, id: requestId } = request;
      const onAllowance = request.onAllowance!;
      const exchange = { params, query, headers, body, principal, requestId, onAllowance, form: formOf(request), baseUrl: parts.baseUrl() };
      const work = () => operate(exchange as unknown as Exchange<KeyOperation>);
      return answersRecords ? recordsAtOnce(principal.accountId, leavingOf(raw), work) : work();
    };
    const readAhead = (request: FastifyRequest, reply: FastifyReply, guess: Principal): void => {
      const page = answer(request, reply, guess);
      // A refused request never awaits it.
      page.catch(() => undefined);
      request.ahead = { guess, page };
    };
    // Only a GET that writes nothing may begin before admission: a read of a report is counted. Its input is parsed first, and a finding
    // about it is answered after admission.
    const isAhead = method === 'GET' && operation.surface !== 'reports';
    const admit = admits(parts, operation, isAhead ? readAhead : undefined);
    const countClient = async ({ raw }: FastifyRequest): Promise<void> =>
      reportClients.admit(operationId, requestAddress(raw, parts.isTrustedProxy), clock.now());
    app.register(async (scope) => {
      compressAnswers(scope);
      unread.bound(scope);
      if (body === null) ignoreBodies(scope);
      else takeJson(scope, parseJson, admitsAgain(parts, operation));
      scope.route({
        method,
        url: routerPath(operation),
        config: { operationId },
        schema: { params, querystring: query, ...(headers && { headers }), ...(body && { body: body.schema }) },
        ...(body && { bodyLimit: body.maxBytes }),
        attachValidation: isAhead,
        onRequest: [...(operation.surface === 'reports' ? [countClient] : []), ...(isAhead ? [] : [admit])],
        preHandler: [...(isAhead ? [admit, refuseInput] : []), ...(exportUnits === undefined ? [] : [chargeExport(exportUnits)])],
        handler: async (request, reply) => {
          const { ahead, principal } = request as { ahead?: FastifyRequest['ahead']; principal: Principal };
          const page = await (isDeepStrictEqual(ahead?.guess, principal) ? ahead!.page : answer(request, reply, principal));
          const json = jsonOf(page, principal);
          if (page.unreadSince !== undefined) feedReads.read(principal.keyId, page.unreadSince);
          if (page.items > 0) metrics.itemsServed(operationId, page.items);
          void reply.code(page.status ?? success.status).header('content-type', `${MEDIA_TYPES[formOf(request)]}; charset=utf-8`);
          void reply.header('cache-control', 'no-store');
          return json;
        },
      });
    });
  }
}

/** A client leaves when its connection ends before the answer. */
const leavingOf = (answer: ServerResponse) => (leave: (reason: Rejection) => void) => {
  const close = () => leave(new Rejection('rate_limited', 'the client did not wait for the answer', { retryAfterSeconds: 1 }));
  if (answer.destroyed) close();
  else answer.on('close', close);
};

/** A hook that throws what is wrong with the input, after admission. */
async function refuseInput({ validationError }: FastifyRequest): Promise<void> {
  if (validationError !== undefined) throw validationError;
}

/** Milliseconds from the admission of a request to the end of its body after which it is admitted again. */
const LONG_BODY_MS = 1_000;

/** For the end of a body: who sends one slowly holds no access beyond its end. */
export function admitsAgain({ admission, clock, stopwatch }: RouteParts, { surface, scope }: KeyOperation) {
  return async (request: FastifyRequest): Promise<void> => {
    if (stopwatch() - request.admittedAt! < LONG_BODY_MS) return;
    const { authorization } = request.raw.headers;
    request.principal = await admission.admitAgain({ authorization, surface, scope, now: clock.now() });
  };
}

type ReadAhead = (request: FastifyRequest, reply: FastifyReply, guess: Principal) => void;

/** A hook that admits the request before any answer about its input. */
export function admits({ admission, clock, stopwatch }: RouteParts, { surface, scope }: KeyOperation, ahead?: ReadAhead) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { authorization } = request.raw.headers;
    const onAllowance: OnAllowance = (states) => announceAllowance(request, reply, states);
    request.onAllowance = onAllowance;
    const readAhead = ahead && request.validationError === undefined ? (guess: Principal) => ahead(request, reply, guess) : undefined;
    request.principal = await admission.admit({ authorization, surface, scope, now: clock.now(), onAllowance, readAhead });
    request.admittedAt = stopwatch();
  };
}

export const routerPath = ({ path }: { readonly path: string }): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Structured fields of draft-ietf-httpapi-ratelimit-headers, of every bucket that was looked at. */
export function announceAllowance(request: FastifyRequest, reply: FastifyReply, states: readonly AllowanceState[]): void {
  const others = request.buckets?.filter(({ bucket }) => states.every((state) => state.bucket.name !== bucket.name)) ?? [];
  request.buckets = [...others, ...states];
  // Customers know the buckets by the last part of their names.
  const nameOf = ({ bucket }: AllowanceState): string => bucket.name.replace(/^api-customer-/, '');
  reply.header(
    'ratelimit-policy',
    request.buckets.map((state) => `"${nameOf(state)}";q=${state.bucket.limit}${parameter('w', state.bucket.seconds)}`).join(', '),
  );
  reply.header(
    'ratelimit',
    request.buckets.map((state) => `"${nameOf(state)}";r=${state.remaining}${parameter('t', state.resetSeconds)}`).join(', '),
  );
}

const parameter = (name: string, seconds: number | null): string => (seconds === null ? '' : `;${name}=${seconds}`);
