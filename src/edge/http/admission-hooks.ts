import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation, Surface } from '../../../contract/operation.ts';
import type { AllowanceState, OnAllowance } from '../../../domain/ports/counts.ts';
import type { Principal } from '../admission/admit.ts';
import type { RouteParts } from './parts.ts';

declare module 'fastify' {
  interface FastifyRequest {
    principal?: Principal;
    /** Stopwatch milliseconds at the admission. */
    admittedAt?: number;
    /** Remaining units of the charged buckets. */
    buckets?: readonly AllowanceState[];
  }
}

export type KeyOperation = Operation & { readonly surface: Surface };

/** If the body arrives this many milliseconds after admission, the request is admitted again. */
const LONG_BODY_MS = 1_000;

/** Returns a hook that admits a request before its input is read. */
export function admitRequest({ admission, clock, stopwatch }: RouteParts, { surface, scope }: KeyOperation) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { authorization } = request.raw.headers;
    const onAllowance = announceAllowance(request, reply);
    request.principal = await admission.admit({ authorization, surface, scope, now: clock.now(), onAllowance });
    request.admittedAt = stopwatch();
  };
}

/** Returns a check for the end of a body: a key that lost access while a slow body arrived is refused. */
export function admitAfterLongBody({ admission, clock, stopwatch }: RouteParts, { surface, scope }: KeyOperation) {
  return async (request: FastifyRequest): Promise<void> => {
    if (stopwatch() - request.admittedAt! < LONG_BODY_MS) return;
    const { authorization } = request.raw.headers;
    request.principal = await admission.admitAgain({ authorization, surface, scope, now: clock.now() });
  };
}

/** Returns a hook that charges exports of this hour, after the input was validated. */
export function chargeExports({ admission, clock }: RouteParts, units: number) {
  return (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    admission.chargeExport(request.principal!, units, clock.now(), announceAllowance(request, reply));
}

/**
 * Returns a listener that announces each bucket read for this request in the fields of
 * draft-ietf-httpapi-ratelimit-headers.
 */
export function announceAllowance(request: FastifyRequest, reply: FastifyReply): OnAllowance {
  return (states) => {
    const names = new Set(states.map(({ bucket }) => bucket.name));
    const others = request.buckets?.filter(({ bucket }) => !names.has(bucket.name)) ?? [];
    request.buckets = [...others, ...states];
    reply.header('ratelimit-policy', request.buckets.map(policyField).join(', '));
    reply.header('ratelimit', request.buckets.map(remainingField).join(', '));
  };
}

function policyField({ bucket }: AllowanceState): string {
  return `"${shortenName(bucket.name)}";q=${bucket.limit}${parameter('w', bucket.seconds)}`;
}

function remainingField({ bucket, remaining, resetSeconds }: AllowanceState): string {
  return `"${shortenName(bucket.name)}";r=${remaining}${parameter('t', resetSeconds)}`;
}

/** Returns the name that customers see: the last part of the bucket's name. */
function shortenName(bucket: string): string {
  return bucket.replace(/^api-customer-/, '');
}

function parameter(name: string, seconds: number | null): string {
  return seconds === null ? '' : `;${name}=${seconds}`;
}
