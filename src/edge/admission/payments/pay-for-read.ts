import { newPaymentLease } from '../../../../commands/payments/payment-facts.ts';
import type { ToolName } from '../../../../contract/tools/tool-names.ts';
import type { ToolErrorCode } from '../../../../contract/tools/tool-errors.ts';
import { leaseLeftMs, paymentId, writeSignedPayment } from '../../../../domain/payments/payment.ts';
import { NO_STREAM } from '../../../../domain/ports/event-log.ts';
import type { PaymentRow, Reserved } from '../../../../domain/ports/payments.ts';
import { withinDeadline } from '../../../../plumbing/retry.ts';
import { accountStream } from '../../../../domain/streams.ts';
import { type Billing, toolBilling } from '../billing.ts';
import { type PaidCall, type PaymentAnswer, type PaymentParts, PaymentRefused, type Price } from './paid-call.ts';
import {
  challengeFor,
  checkTerms,
  type PresentedPayment,
  readPayment,
  requestHash,
  termsHash,
} from './payment-terms.ts';
import { fromLedger, inProgress, paidAnswer, type PaymentWork, unknownYet, workOnPayment } from './work-on-payment.ts';

/** Codes after which the caller may sign a new payment for the same call; their details contain a new challenge. */
const REPAYABLE: ReadonlySet<ToolErrorCode> = new Set<ToolErrorCode>([
  'payment_invalid',
  'payment_expired',
  'payment_mismatch',
  'payment_request_invalid',
  'payment_price_mismatch',
  'payment_authorization_invalid',
  'payment_settlement_failed',
  'payment_previous_read_failure',
  'payment_previous_settlement_failure',
  'read_timeout',
  'read_failed',
  'read_result_not_saved',
]);

export type Payments = ReturnType<typeof createPayments>;
export function createPayments(parts: PaymentParts) {
  const working = new Set<Promise<unknown>>();
  const ending = new AbortController();
  const trackInBackground = (work: Promise<unknown>): void => {
    working.add(work);
    void work.catch(() => undefined).finally(() => working.delete(work));
  };
  return {
    open: parts.facilitator !== null,
    /** Answers one call of a paid tool, or returns `serve` if the call is free. Never throws. */
    async payForRead(call: PaidCall): Promise<PaymentAnswer> {
      const settlement = { begun: false };
      try {
        return await withinDeadline(parts.clock, parts.times.totalMs, call.signal, (over) => {
          const answer = payOrRefuse({ ...parts, ...call, over, settlement, trackInBackground, ending: ending.signal });
          trackInBackground(answer);
          return answer;
        });
      } catch {
        // The deadline has passed or the caller has disconnected: this cancels the work, unless settlement has begun.
        return settlement.begun ? unknownYet() : new PaymentRefused('timeout');
      }
    },
    /** Resolves when all work that continues after answers has ended. Await it before closing the ledger. */
    async end(): Promise<void> {
      ending.abort(new Error('the service is shutting down'));
      while (working.size > 0) await Promise.allSettled(working);
    },
  };
}

async function payOrRefuse(work: PaymentWork): Promise<PaymentAnswer> {
  try {
    return await pay(work);
  } catch (error) {
    if (!(error instanceof PaymentRefused)) {
      if (error === work.over.reason) return new PaymentRefused('timeout');
      work.logger.error({ tool: work.tool, error: (error as Error).message }, 'a paid call failed');
      return new PaymentRefused('service_unavailable');
    }
    const price = work.price();
    if (price === null || !REPAYABLE.has(error.code)) return error;
    const details = { ...error.details, paymentRequired: challengeFor(work.tool, price) };
    return new PaymentRefused(error.code, { details }, error.message);
  }
}

async function pay(work: PaymentWork): Promise<PaymentAnswer> {
  const { principal, tool, payment, facilitator, ledger } = work;
  const billing = { facts: principal.billing, enforced: work.enforced, now: work.clock.now() };
  const attached = payment !== undefined;
  if (checkChannel(tool, billing, { open: facilitator !== null, attached }) === 'serve') return { kind: 'serve' };
  if (!attached) return { kind: 'challenge', challenge: challengeFor(tool, currentPrice(work)) };

  const presented = readPayment(payment, tool);
  if (work.sharedInBatch) throw new PaymentRefused('payment_request_invalid');
  const claim = createClaim(work, presented);
  // Comes before the checks of price and expiry: paid data can be fetched again after the price changed or the payment
  // expired.
  const existing = await fromLedger(work, () => ledger.find(presented.key));
  const stored =
    existing === null ? await reservePayment(work, presented, claim) : { kind: 'found' as const, row: existing };
  work.over.throwIfAborted();
  if (stored.kind === 'reserved') return await workOnPayment(work, stored.row);
  const answer = replay(stored.row, claim, work.chainClock.now());
  if (answer !== null) return answer;
  const acquired = await fromLedger(work, () => ledger.takeOver(stored.row, newPaymentLease(work)));
  if (acquired === null) throw inProgress();
  return await workOnPayment(work, acquired);
}

/** Checks the billing channel. Ignores a payment for a free call, unless the account uses another billing channel. */
export function checkChannel(
  tool: ToolName,
  billing: Billing,
  call: { readonly open: boolean; readonly attached: boolean },
) {
  const judged = toolBilling(tool, billing);
  if (call.attached && billing.facts.channel !== 'payg') {
    throw new PaymentRefused(call.open ? 'billing_channel_payment_mismatch' : 'beta_unavailable');
  }
  if (judged === 'served') return 'serve';
  if (judged !== 'pay_per_call') throw new PaymentRefused('billing_entitlement_required');
  if (!call.open) throw new PaymentRefused('beta_unavailable');
  return 'pay';
}

function currentPrice({ price }: PaymentWork): Price {
  const current = price();
  if (current === null) throw new PaymentRefused('payment_price_unavailable');
  return current;
}

type Claim = Pick<PaymentRow, 'accountId' | 'tool' | 'requestHash' | 'termsHash'>;

function createClaim(
  { principal: { accountId }, tool, arguments: parsed }: PaidCall,
  { signed }: PresentedPayment,
): Claim {
  try {
    return { accountId, tool, requestHash: requestHash(tool, parsed), termsHash: termsHash(signed) };
  } catch {
    // The arguments contain an unpaired surrogate, which no stored text has.
    throw new PaymentRefused('invalid_parameter');
  }
}

/**
 * Reserves a row for a new payment, or returns the one that a concurrent call reserved. Throws the first check that
 * fails.
 */
async function reservePayment(work: PaymentWork, { key, signed, boundTo }: PresentedPayment, claim: Claim) {
  const { ledger, log, principal } = work;
  const { terms, version } = currentPrice(work);
  checkTerms({ key, signed, boundTo }, terms, work.chainClock.now(), work.times.settleMarginMs);
  const { accepted, authorization, signature } = signed;
  if (!(await work.checkSignature(authorization, accepted, signature)))
    throw new PaymentRefused('payment_authorization_invalid');
  const stream = accountStream(claim.accountId);
  // Facts about the row come after this revision. If the log does not answer, publishing them only costs more.
  const last = await log.readLast([stream]).catch(() => null);
  const reservation = {
    ...key,
    ...claim,
    paymentId: paymentId(key),
    keyId: principal.keyId,
    priceVersion: version,
    amount: terms.amount,
    payTo: terms.payTo,
    validBefore: Number(authorization.validBefore) * 1000,
    payload: writeSignedPayment(signed),
    createdAt: work.clock.now(),
    factsAfter: last?.get(stream)?.revision ?? NO_STREAM,
  };
  const reserved: Reserved = await fromLedger(work, () =>
    ledger.reserve(reservation, newPaymentLease(work), work.budget),
  );
  if (reserved.kind === 'budget_exceeded') throw new PaymentRefused('payment_budget_exceeded');
  if (reserved.kind === 'wallet_refused') throw new PaymentRefused('payment_access_denied');
  return reserved;
}

/** Answers from the stored row; null if its work must continue. Price and expiry are not checked. */
function replay(
  row: PaymentRow,
  { accountId, tool, requestHash, termsHash }: Claim,
  now: number,
): PaymentAnswer | null {
  const same =
    row.accountId === accountId && row.tool === tool && row.requestHash === requestHash && row.termsHash === termsHash;
  if (!same) throw new PaymentRefused('payment_replay_mismatch');
  const leftMs = leaseLeftMs(row, now);
  switch (row.state) {
    case 'RESERVED':
    case 'VERIFIED':
    case 'RESULT_SAVED':
      if (leftMs > 0) throw inProgress(leftMs);
      return null;
    case 'SETTLING':
      throw leftMs > 0 ? inProgress(leftMs) : unknownYet();
    case 'RECONCILE':
      throw unknownYet();
    case 'SETTLED':
      return paidAnswer(row);
    case 'READ_FAILED':
      throw new PaymentRefused('payment_previous_read_failure', { details: { cause: row.cause } });
    case 'READ_EMPTY':
      throw new PaymentRefused('empty_result_not_chargeable');
    case 'SETTLE_FAILED':
      throw new PaymentRefused('payment_previous_settlement_failure', { details: { cause: row.cause } });
    case 'LAPSED':
      throw new PaymentRefused('payment_expired');
  }
}
