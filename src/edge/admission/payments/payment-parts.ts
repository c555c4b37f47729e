import { PAYMENT_LEASE_MS } from '../../../../commands/payments/payment-facts.ts';
import type { ToolName } from '../../../../contract/tools/tool-names.ts';
import type { CheckSignature } from '../../../../domain/ports/facilitator.ts';
import type { PaymentBudget, PaymentMove, PaymentPorts, PaymentRow } from '../../../../domain/ports/payment-ledger.ts';
import type { Principal } from '../admit.ts';
import { AGAIN_SECONDS, inProgress, PaymentRefused } from './payment-answer.ts';
import type { Price } from './price.ts';

/** Milliseconds. The facilitator keeps its own times, which must be within `settleMarginMs` together with the read's. */
export const PAYMENT_TIMES = {
  /** Less than the deadline of the tool, whose refusal has less detail. */
  totalMs: 9_500,
  readMs: 3_000,
  /** Minimum remaining validity of a new payment: the facilitator's own minimum plus the time of our work before it. */
  settleMarginMs: 16_000,
};

export interface PaymentParts extends PaymentPorts {
  readonly checkSignature: CheckSignature;
  /** The current price of a call; null where nothing is sold. */
  readonly price: () => Price | null;
  /** Whether billing is enforced. */
  readonly enforced: boolean;
  readonly budget: PaymentBudget;
  readonly times: typeof PAYMENT_TIMES;
  /** Takes work that continues after the answer. */
  readonly behind: (work: Promise<void>) => void;
  /** Aborts when the service ends: pauses then end at once. */
  readonly ending: AbortSignal;
}

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
  /**
   * Reads the data that is sold, as JSON text. Its signal aborts at the deadline and when the caller disconnects. Nothing is charged where it
   * throws; it throws the refusal `empty_result_not_chargeable` where nothing was found.
   */
  readonly read: (signal: AbortSignal) => Promise<string>;
}

/** Whether one call can still be cancelled: at any time before it settles, never afterwards. */
export class PointOfNoReturn {
  readonly #controller = new AbortController();
  #passed = false;
  readonly calledOff = this.#controller.signal;

  /** Throws where the call has been cancelled; afterwards it cannot be cancelled. */
  pass(): void {
    this.calledOff.throwIfAborted();
    this.#passed = true;
  }

  /** Cancels the call; false after the point of no return. */
  callOff(reason: Error): boolean {
    if (!this.#passed) this.#controller.abort(reason);
    return !this.#passed;
  }
}

/** Fails closed: where the ledger throws, the call is refused, and nothing is verified, read or settled. */
export async function fromLedger<Result>(
  { logger }: Pick<PaymentParts, 'logger'>,
  ask: () => Promise<Result>,
  refuse = () => new PaymentRefused('payment_ledger_unavailable', { retryAfterSeconds: AGAIN_SECONDS }),
  about: object = {},
): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    const refusal = refuse();
    logger.warn({ ...about, code: refusal.code, error: (error as Error).message }, 'the payment ledger could not be reached');
    throw refusal;
  }
}

/** The row after a move. Refused as in progress where another process holds the payment; it stays leased where the ledger throws. */
export async function moved(
  parts: PaymentParts,
  row: PaymentRow,
  move: PaymentMove,
  refuse = () => new PaymentRefused('payment_ledger_unavailable', { retryAfterSeconds: PAYMENT_LEASE_MS / 1000 }),
): Promise<PaymentRow> {
  const about = { paymentId: row.paymentId, to: move.to };
  const after = await fromLedger(parts, () => parts.ledger.move(row, move, parts.chainClock.now()), refuse, about);
  if (after === null) throw inProgress();
  return after;
}
