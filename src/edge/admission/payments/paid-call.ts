import type { PaymentChallenge } from '../../../../contract/tools/tool-results.ts';
import { TOOL_ERRORS, type ToolErrorCode, ToolRefusal } from '../../../../contract/tools/tool-errors.ts';
import type { ToolName } from '../../../../contract/tools/tool-names.ts';
import type { PaymentReceipt, PaymentTerms } from '../../../../domain/payments/payment.ts';
import type { CheckSignature, PaymentBudget, PaymentPorts } from '../../../../domain/ports/payments.ts';
import type { Principal } from '../admit.ts';

/**
 * Milliseconds. The facilitator has its own timeouts; they and the read must fit into `settleMarginMs`.
 */
export const PAYMENT_TIMES = {
  /** Shorter than the deadline of the tool, whose refusal has less detail. */
  totalMs: 9_500,
  readMs: 3_000,
  /** Minimum remaining validity of a new payment: the facilitator's minimum plus the time for our work before it. */
  settleMarginMs: 16_000,
};

export interface Price {
  readonly terms: PaymentTerms;
  readonly version: string;
}

export interface PaymentParts extends PaymentPorts {
  readonly checkSignature: CheckSignature;
  /** Returns null if nothing is for sale. */
  readonly price: () => Price | null;
  readonly enforced: boolean;
  readonly budget: PaymentBudget;
  readonly times: typeof PAYMENT_TIMES;
}

export interface PaidCall {
  readonly principal: Pick<Principal, 'accountId' | 'keyId' | 'billing'>;
  readonly tool: ToolName;
  /** Parsed, with defaults filled in. */
  readonly arguments: unknown;
  /** `_meta["x402/payment"]` as received; undefined if absent. */
  readonly payment: unknown;
  /** Another call of the same batch carries the same payment. */
  readonly sharedInBatch: boolean;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
  /**
   * Returns JSON text. The signal aborts at the deadline and at a disconnect. Throws `empty_result_not_chargeable` if
   * nothing was found.
   */
  readonly read: (signal: AbortSignal) => Promise<string>;
}

export type PaymentAnswer =
  /** The call is free: read and answer. */
  | { readonly kind: 'serve' }
  /** Paid. `text` is the JSON of `data`; repeating the same payment returns identical bytes. */
  | { readonly kind: 'paid'; readonly data: unknown; readonly text: string; readonly receipt: PaymentReceipt }
  | { readonly kind: 'challenge'; readonly challenge: PaymentChallenge }
  | PaymentRefused;

export class PaymentRefused extends ToolRefusal {
  readonly kind = 'error';
  constructor(
    code: ToolErrorCode,
    extra: ConstructorParameters<typeof ToolRefusal>[2] = {},
    message: string = TOOL_ERRORS[code],
  ) {
    super(code, message, extra);
  }
}
