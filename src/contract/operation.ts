import type { z } from 'zod';
import type { Scope } from '../domain/events/account-events.ts';
import type { RejectionCode } from '../domain/rejections.ts';

/** What a request asks of billing (decisions, section 5, table of surfaces and channels). `tools` are judged one by one. */
export type Surface = 'data' | 'subscriptions' | 'reports' | 'tools';

/** What the wire says about one operation. The edge, the answers' tests and the documents are all made from it. */
export interface Operation {
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With `{name}` for each path parameter. */
  readonly path: string;
  /** `public`: nobody is asked who they are; `key`: an API key is needed, and every answer is `Cache-Control: no-store`. */
  readonly access: 'public' | 'key';
  /** What the key must have; null where any active key will do, and where none is needed. */
  readonly scope: Scope | null;
  /** By which rules billing is asked, the same for all operations of a surface; null where nobody is asked who they are. */
  readonly surface: Surface | null;
  /** Whether it takes one of the account's exports of the hour. */
  readonly takesExport?: true;
  readonly params: z.ZodType;
  readonly query: z.ZodType;
  /** Request headers of its own, by their names in lower case. */
  readonly headers?: z.ZodType;
  /** Null where a request body, whatever it is, is ignored unread. */
  readonly body: { readonly schema: z.ZodType; readonly maxBytes: number } | null;
  readonly success: { readonly status: 200 | 201 | 202; readonly schema: z.ZodType };
  /** Answers beside the success and the refusals in the envelope. */
  readonly otherAnswers?: readonly OtherAnswer[];
  /** Refusals in the envelope; `STATUSES` has their statuses. An operation that has `invalid_input` answers bad input with it. */
  readonly refusals: readonly RejectionCode[];
  /** Refusals that this operation answers with a status of its own. */
  readonly refusalsAt?: Readonly<Record<number, readonly RejectionCode[]>>;
  /** Of a public success; errors of public operations carry no directive. */
  readonly cacheControl?: string;
}

export interface OtherAnswer {
  readonly status: number;
  /** In few words, for the documents. */
  readonly when: string;
  /** Null where the answer has no body. */
  readonly schema: z.ZodType | null;
}

/** A route that refuses whatever it is sent, and reads none of it; its answers are `Cache-Control: no-store`. */
export interface ClosedOperation {
  readonly operationId: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly access: 'closed';
  readonly refusals: readonly RejectionCode[];
}

/** Keeps the exact schema types of a definition. */
export const operation = <const Definition extends Operation>(definition: Definition): Definition => definition;
export const closedOperation = <const Definition extends ClosedOperation>(definition: Definition): Definition => definition;

/** Public answers may be replayed by shared caches for a minute, and while they are made anew. */
export const PUBLIC_CACHE = 'public, s-maxage=60, stale-while-revalidate=300';

/** Refusals that any public operation may answer. */
export const PUBLIC_REFUSALS = ['invalid_parameter', 'rate_limited', 'internal_error'] as const satisfies readonly RejectionCode[];

/** Refusals that any operation under `/api/v1/data` may answer. */
export const CUSTOMER_REFUSALS = [
  'unauthorized',
  'forbidden',
  'billing_channel_unset',
  'billing_entitlement_required',
  'invalid_parameter',
  'response_too_large',
  'rate_limited',
  'internal_error',
  'authentication_unavailable',
  'feed_unavailable',
  'timeout',
] as const satisfies readonly RejectionCode[];

/** Refusals that either report operation may answer. */
export const REPORT_REFUSALS = [
  'invalid_input',
  'unauthorized',
  'forbidden',
  'rate_limited',
  'internal_error',
  'authentication_unavailable',
] as const satisfies readonly RejectionCode[];
