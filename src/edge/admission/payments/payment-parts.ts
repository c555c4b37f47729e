import type { ToolName } from '../../../../contract/tools/tool-names.ts';
import type { Identifiers } from '../../../../domain/identifiers.ts';
import type { Clock } from '../../../../domain/ports/clock.ts';
import type { EventLog } from '../../../../domain/ports/event-log.ts';
import type { CheckSignature, Facilitator } from '../../../../domain/ports/facilitator.ts';
import type { Logger } from '../../../../domain/ports/logger.ts';
import type { PaymentBudget, PaymentLedger } from '../../../../domain/ports/payment-ledger.ts';
import type { Principal } from '../admit.ts';
import type { Price } from './price.ts';

/** Milliseconds; `totalMs` is within the deadline of the tool, whose answer would say less. The facilitator keeps its own times, which must be within `settleMarginMs` together with the read's. */
export interface PaymentTimes {
  readonly totalMs: number;
  readonly readMs: number;
  readonly leaseMs: number;
  /** How much longer a new payment must be valid for: what the facilitator itself asks for, and our own work before it. */
  readonly settleMarginMs: number;
  readonly maxValidMs: number;
}

export const PAYMENT_TIMES: PaymentTimes = {
  totalMs: 9_500,
  readMs: 3_000,
  leaseMs: 15_000,
  settleMarginMs: 16_000,
  maxValidMs: 3_600_000,
};

export interface PaymentParts {
  readonly ledger: PaymentLedger;
  /** Null where the channel is off. */
  readonly facilitator: Facilitator | null;
  readonly checkSignature: CheckSignature;
  /** What a tool costs now; null where nothing is sold now. */
  readonly price: (tool: ToolName) => Promise<Price | null>;
  readonly log: EventLog;
  /** The service's time: of facts and budgets. */
  readonly clock: Clock;
  /** The time that the chain and other processes live by: of leases and validity. */
  readonly chainClock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
  /** Whether billing is enforced at all. */
  readonly enforced: boolean;
  readonly budget: PaymentBudget;
  readonly times: PaymentTimes;
  /** Takes work that continues after the answer. */
  readonly behind: (work: Promise<void>) => void;
  /** Aborts when the service ends: pauses then end at once. */
  readonly ending: AbortSignal;
}

/** The result of a read. It may throw; then nothing is charged. */
export type ReadOutcome =
  /** JSON text of the tool's data. */
  | { readonly kind: 'data'; readonly text: string }
  /** The read found nothing; nothing is charged. */
  | { readonly kind: 'empty' }
  /** Over the cap even when trimmed. */
  | { readonly kind: 'too_large' }
  /** A mistake of the caller, or a limit, found during the read: nothing is charged, and the payment may be sent again. */
  | {
      readonly kind: 'refused';
      readonly code: 'invalid_parameter' | 'invalid_cursor' | 'rate_limited';
      readonly message: string;
      readonly retryAfterSeconds?: number;
    };

export interface PaidCall {
  readonly principal: Pick<Principal, 'accountId' | 'keyId' | 'billing'>;
  readonly tool: ToolName;
  /** Parsed, defaults filled in. */
  readonly arguments: unknown;
  /** `_meta["x402/payment"]` as it came; undefined when it is not there. */
  readonly payment: unknown;
  /** Another call of the same batch carries the same payment. */
  readonly sharedInBatch: boolean;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Reads the data that is sold. Its signal aborts at the deadline and when the caller disconnects. */
  readonly read: (signal: AbortSignal) => Promise<ReadOutcome>;
}
