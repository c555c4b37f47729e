import { PAYMENT_LEASE_MS, publishPaymentFacts } from '../../../../commands/payments/payment-facts.ts';
import { type NotBilled, readSignedPayment, receiptOf } from '../../../../domain/payments/payment.ts';
import type { PaymentMove, PaymentRow } from '../../../../domain/ports/payment-ledger.ts';
import { answeredWithin, Backoff } from '../../../../domain/retry.ts';
import { AGAIN_SECONDS, type PaymentAnswer, PaymentRefused, unknownYet } from './payment-answer.ts';
import { moved, type PaymentParts, type PointOfNoReturn } from './payment-parts.ts';
import { paidAnswer } from './replay.ts';

/**
 * Settles a payment whose result is saved, and returns the result only then. The attempt is committed before it is made; from there
 * on nothing cancels it, and the row has the outcome, or that it is unknown.
 */
export async function settlePayment(parts: PaymentParts, saved: PaymentRow, pointOfNoReturn: PointOfNoReturn): Promise<PaymentAnswer> {
  const { ledger, chainClock, facilitator, logger } = parts;
  const { paymentId } = saved;
  const now = chainClock.now();
  if (now >= saved.validBefore) {
    await end(parts, saved, { to: 'LAPSED', cause: 'valid_before_passed' });
    throw new PaymentRefused('payment_expired');
  }
  pointOfNoReturn.pass();
  // Where the ledger throws, it may be written: then the worker settles it, and the same payment finds the result.
  const settling = await moved(parts, saved, { to: 'SETTLING', leaseUntil: now + PAYMENT_LEASE_MS }, unknownYet);
  const settlement = await facilitator!.settle(readSignedPayment(settling.payload!));
  const { kind, transaction } = settlement;
  const cause = kind === 'settled' ? undefined : settlement.reason;
  logger.info({ paymentId, settlement: kind, reason: cause }, 'payment settling ended');
  if (kind === 'settled') return await settled(parts, settling, transaction);
  if (kind === 'refused') {
    // Not written: the worker tries again and may succeed, so a final failure is not reported.
    if (!(await end(parts, settling, { to: 'SETTLE_FAILED', cause: settlement.reason, transaction }))) throw unknownYet();
    throw new PaymentRefused('payment_settlement_failed', { details: { cause } });
  }
  const lookAt = chainClock.now() + AGAIN_SECONDS * 1000;
  // Where even this cannot be written, the worker finds the lease dead and writes it.
  await ledger.move(settling, { to: 'RECONCILE', cause: settlement.reason, transaction, lookAt }, chainClock.now()).catch(() => null);
  throw unknownYet();
}

const WRITES = 8;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 32_000;

async function settled(parts: PaymentParts, { paymentId, ...row }: PaymentRow, transaction: string): Promise<PaymentAnswer> {
  const { ledger, clock, chainClock, logger } = parts;
  const move = { to: 'SETTLED', transaction, receipt: JSON.stringify(receiptOf(row, transaction)), settledAt: clock.now() } as const;
  const write = async (): Promise<PaymentRow> => {
    const written = (await ledger.settledAfterAll(paymentId, move, chainClock.now())) ?? (await ledger.get(paymentId));
    if (written?.state !== 'SETTLED') throw new Error(`a settled payment stands as ${written?.state ?? 'nothing'}`);
    return written;
  };
  const writeUntilStored = async (): Promise<void> => {
    const backoff = new Backoff(FIRST_PAUSE_MS, MAX_PAUSE_MS);
    for (let tries = 0; tries < WRITES; tries += 1) {
      await clock.sleep(backoff.take(), parts.ending).catch(() => undefined);
      const written = await write().catch(() => null);
      if (written !== null) return await publishSoon(parts, written);
    }
    logger.error({ paymentId, transaction }, 'a settled payment was never written: reconcile it by hand');
  };
  let written: PaymentRow;
  try {
    written = await write();
  } catch (error) {
    logger.error({ paymentId, transaction, error: (error as Error).message }, 'a settled payment could not be written yet');
    // The payment is billed: the outcome is written as soon as the store answers again.
    parts.behind(writeUntilStored());
    throw new PaymentRefused('payment_receipt_unavailable', { retryAfterSeconds: AGAIN_SECONDS });
  }
  await publishSoon(parts, written);
  return paidAnswer(written);
}

/** Ends a row that is not billed. False where that was not stored: then the worker ends it. */
export async function end(parts: PaymentParts, row: PaymentRow, move: Extract<PaymentMove, { to: NotBilled }>): Promise<boolean> {
  const ended = await parts.ledger.move(row, move, parts.chainClock.now()).catch(() => null);
  if (ended !== null) await publishSoon(parts, ended);
  return ended !== null;
}

const SOON_MS = 1_000;
/** Publishes the facts on the account's stream; an answer waits a moment for it and no longer: the worker publishes the rest later. */
async function publishSoon(parts: PaymentParts, row: PaymentRow): Promise<void> {
  const publishing = publishPaymentFacts(parts, row).catch((error: unknown) => {
    parts.logger.warn({ paymentId: row.paymentId, error: (error as Error).message }, 'the facts of a payment are published later');
  });
  parts.behind(publishing);
  await answeredWithin(parts.clock, SOON_MS, () => publishing).catch(() => undefined);
}
