import type { z } from 'zod';
import type { Scope } from '../domain/events/account-events.ts';
import type { RejectionCode } from '../domain/rejections.ts';

/** What the wire says about one operation. The edge, the answers' tests and the documents are all made from it. */
export interface Operation {
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With `{name}` for each path parameter. */
  readonly path: string;
  readonly scope: Scope;
  readonly params: z.ZodType;
  readonly query: z.ZodType;
  /** Null where a request body, whatever it is, is ignored unread. */
  readonly body: { readonly schema: z.ZodType; readonly maxBytes: number } | null;
  readonly success: { readonly status: 200 | 201; readonly schema: z.ZodType };
  readonly refusals: readonly RejectionCode[];
}

/** Keeps the exact schema types of a definition. */
export const operation = <const Definition extends Operation>(definition: Definition): Definition => definition;

/** Refusals that any operation under `/api/v1/data` may answer. */
export const CUSTOMER_REFUSALS = [
  'unauthorized',
  'forbidden',
  'invalid_parameter',
  'response_too_large',
  'rate_limited',
  'internal_error',
  'authentication_unavailable',
  'feed_unavailable',
  'timeout',
] as const satisfies readonly RejectionCode[];
