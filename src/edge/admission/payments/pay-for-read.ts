import { newPaymentLease } from '../../../../commands/payments/payment-facts.ts';
import { withinDeadline } from '../../../../domain/retry.ts';
import { firstUse } from './first-use.ts';
import { inProgress, type PaymentAnswer, PaymentRefused, REPAYABLE, unknownYet } from './payment-answer.ts';
import { fromLedger, type PaidCall, type PaymentParts, PointOfNoReturn } from './payment-parts.ts';
import { type PresentedPayment, readPayment, requestHash, termsHash } from './payment-payload.ts';
import { challengeFor, channelGate, requiredPrice } from './price.ts';
import { type Claim, replay } from './replay.ts';
import { workOnPayment } from './work-on-payment.ts';

/** Pay as you go: checks in their order, the ledger around verify, read and settle, and one deadline. */
export function createPayments(given: Omit<PaymentParts, 'behind' | 'ending'>) {
  const working = new Set<Promise<unknown>>();
  const ending = new AbortController();
  const behind = (work: Promise<unknown>): void => {
    working.add(work);
    void work.catch(() => undefined).finally(() => working.delete(work));
  };
  const parts: PaymentParts = { ...given, behind, ending: ending.signal };
  return {
    /** True where the channel is configured, so that calls can be sold. */
    open: given.facilitator !== null,
    /** Answers one call of a sold tool, or returns `serve` where nothing is charged. Never throws. */
    async payForRead(call: PaidCall): Promise<PaymentAnswer> {
      const pointOfNoReturn = new PointOfNoReturn();
      const late = new PaymentRefused('timeout');
      // Immediately: a caller who has disconnected must not be charged while the payment can still be cancelled.
      const goes = (): void => void pointOfNoReturn.callOff(late);
      call.signal.addEventListener('abort', goes, { once: true });
      if (call.signal.aborted) goes();
      const answer = answerOf(parts, call, pointOfNoReturn).finally(() => call.signal.removeEventListener('abort', goes));
      behind(answer);
      try {
        return await withinDeadline(given.clock, given.times.totalMs, call.signal, () => answer);
      } catch {
        // The deadline of the tool has passed, or the caller has gone: before settlement this ends the work, later it does not.
        return pointOfNoReturn.callOff(late) ? late : unknownYet();
      }
    },
    /** Resolves when all work that continues after answers has ended. Await it before the ledger is closed. */
    async end(): Promise<void> {
      ending.abort(new Error('the service is ending'));
      while (working.size > 0) await Promise.allSettled(working);
    },
  };
}
export type Payments = ReturnType<typeof createPayments>;

async function answerOf(parts: PaymentParts, call: PaidCall, pointOfNoReturn: PointOfNoReturn): Promise<PaymentAnswer> {
  try {
    return await pay(parts, call, pointOfNoReturn);
  } catch (error) {
    if (!(error instanceof PaymentRefused)) {
      parts.logger.error({ tool: call.tool, error: (error as Error).message }, 'a paid call failed');
      return new PaymentRefused('service_unavailable');
    }
    const price = parts.price();
    if (price === null || !REPAYABLE.has(error.code)) return error;
    const details = { ...(error.details as object | undefined), paymentRequired: challengeFor(call.tool, price) };
    return new PaymentRefused(error.code, { details }, error.message);
  }
}

async function pay(parts: PaymentParts, call: PaidCall, pointOfNoReturn: PointOfNoReturn): Promise<PaymentAnswer> {
  const { principal, tool, payment } = call;
  const billing = { facts: principal.billing, enforced: parts.enforced, now: parts.clock.now() };
  const attached = payment !== undefined;
  if (channelGate(tool, billing, { open: parts.facilitator !== null, attached }) === 'serve') return { kind: 'serve' };
  if (!attached) return { kind: 'challenge', challenge: challengeFor(tool, requiredPrice(parts.price())) };

  const presented = readPayment(payment, tool);
  if (call.sharedInBatch) throw new PaymentRefused('payment_request_invalid');
  const claim = claimOf(call, presented);
  // Before price and expiry: paid data can be fetched again after the price has changed or the payment has expired.
  const known = await fromLedger(parts, () => parts.ledger.find(presented.key));
  const used = known === null ? await firstUse(parts, call, presented, claim) : { kind: 'found' as const, row: known };
  pointOfNoReturn.calledOff.throwIfAborted();
  if (used.kind === 'reserved') return await workOnPayment(parts, call, used.row, pointOfNoReturn);
  const answer = replay(used.row, claim, parts.chainClock.now());
  if (answer !== null) return answer;
  const taken = await fromLedger(parts, () => parts.ledger.takeOver(used.row, newPaymentLease(parts)));
  if (taken === null) throw inProgress();
  return await workOnPayment(parts, call, taken, pointOfNoReturn);
}

function claimOf({ principal, tool, arguments: parsed }: PaidCall, { signed }: PresentedPayment): Claim {
  try {
    return { accountId: principal.accountId, tool, requestHash: requestHash(tool, parsed), termsHash: termsHash(signed) };
  } catch {
    // A lone surrogate: no stored text contains one.
    throw new PaymentRefused('invalid_parameter');
  }
}
