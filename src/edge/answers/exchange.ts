import type { z } from 'zod';
import type { JsonPage } from '../../../contract/inputs.ts';
import type { Operation, PageForm } from '../../../contract/operation.ts';
import type {
  CUSTOMER_OPERATIONS,
  CustomerOperationId,
  PUBLIC_OPERATIONS,
  PublicOperationId,
} from '../../../contract/operations.ts';
import type { OnAllowance } from '../../../domain/ports/counts.ts';
import type { Principal } from '../admission/admit.ts';

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type BodyOf<Body> = Body extends { readonly schema: infer Schema } ? OutputOf<Schema> : undefined;

export interface Exchange<Op extends Operation = Operation> {
  readonly params: z.output<Op['params']>;
  readonly query: z.output<Op['query']>;
  readonly headers: OutputOf<Op['headers']>;
  readonly body: BodyOf<Op['body']>;
  readonly principal: Principal;
  readonly requestId: string;
  /** Adds buckets to the allowances announced with the answer. */
  readonly onAllowance: OnAllowance;
  /** `json` if the operation has no other form. */
  readonly form: PageForm;
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string;
}

/**
 * Answers of the customer operations. A `Rejection` becomes a refusal, `DeadlineExceeded` 504, an unreachable store
 * 503.
 */
export type CustomerAnswers = {
  readonly [Id in CustomerOperationId]: (exchange: Exchange<(typeof CUSTOMER_OPERATIONS)[Id]>) => Promise<JsonPage>;
};

export type PublicExchange<Op extends Operation = Operation> = Pick<Exchange<Op>, 'params' | 'query'>;

export interface PublicAnswer<Op extends Operation = Operation> {
  /** JSON text of the whole body. */
  ask(exchange: PublicExchange<Op>): Promise<string>;
  /**
   * Answers after `ask` failed with an error that is not a refusal; might throw a refusal. Without it the answer is
   * `internal_error`.
   */
  soft?(exchange: PublicExchange<Op>): string;
}

export type PublicAnswers = { readonly [Id in PublicOperationId]: PublicAnswer<(typeof PUBLIC_OPERATIONS)[Id]> };

export const asData = (data: object): JsonPage => ({ text: JSON.stringify({ data }), items: 0 });
