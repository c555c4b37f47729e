import { publishPaymentFacts } from '../../../../commands/payments/payment-facts.ts';
import { Backoff } from '../../../../domain/retry.ts';
import type { Settlement } from '../../../../domain/ports/facilitator.ts';
import type { PaymentMove, PaymentRow } from '../../../../domain/ports/payment-ledger.ts';
import { readSignedPayment, receiptOf } from '../../../../domain/payments/payment.ts';
import { answeredWithin } from '../../../../domain/within-deadline.ts';
import { type PaymentAnswer, PaymentRefused } from './payment-answer.ts';
import type { PaymentParts } from './payment-parts.ts';
import { inProgress, LOOK_AGAIN_SECONDS, paidAnswer } from './replay.ts';
import type { PointOfNoReturn } from './point-of-no-return.ts';

const unknownYet = (): PaymentRefused => new PaymentRefused('payment_reconciliation_required', { retryAfterSeconds: LOOK_AGAIN_SECONDS });

/**
 * Settles a payment whose result is saved, and only then gives the result out. The attempt is committed before it is made; from there
 * on nothing cancels it, and the row has the outcome, or that it is unknown.
 */
export async function settlePayment(parts: PaymentParts, saved: PaymentRow, pointOfNoReturn: PointOfNoReturn): Promise<PaymentAnswer> {
  const { ledger, chainClock } = parts;
  const now = chainClock.now();
  if (now >= saved.validBefore) {
    const lapsed = await ledger.move(saved, { to: 'LAPSED', cause: 'valid_before_passed' }, now).catch(() => null);
    if (lapsed !== null) await publishSoon(parts, lapsed);
    throw new PaymentRefused('payment_expired');
  }
  pointOfNoReturn.pass();
  const settling = await writeAhead(parts, saved, now);
  const settlement = await parts.facilitator!.settle(readSignedPayment(settling.payload!));
  parts.logger.info({ paymentId: saved.paymentId, settlement: settlement.kind, reason: reasonOf(settlement) }, 'payment settling ended');
  if (settlement.kind === 'settled') return await settled(parts, settling, settlement.transaction);
  if (settlement.kind === 'refused') return await refused(parts, settling, settlement);
  const { reason: cause, transaction } = settlement;
  const lookAt = chainClock.now() + LOOK_AGAIN_SECONDS * 1000;
  // Where even this cannot be written, the worker finds the lease dead and writes it.
  await ledger.move(settling, { to: 'RECONCILE', cause, transaction, lookAt }, chainClock.now()).catch(() => null);
  throw unknownYet();
}

const reasonOf = (settlement: Settlement): string | undefined => (settlement.kind === 'settled' ? undefined : settlement.reason);

async function writeAhead({ ledger, times, logger }: PaymentParts, saved: PaymentRow, now: number): Promise<PaymentRow> {
  let row: PaymentRow | null;
  try {
    row = await ledger.move(saved, { to: 'SETTLING', leaseUntil: now + times.leaseMs }, now);
  } catch (error) {
    // It may have been written: then the worker settles it, and the same payment finds the result.
    logger.warn({ paymentId: saved.paymentId, error: (error as Error).message }, 'a settlement could not be written ahead');
    throw unknownYet();
  }
  if (row === null) throw inProgress(times.leaseMs);
  return row;
}

const WRITES = 8;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 32_000;

async function settled(parts: PaymentParts, row: PaymentRow, transaction: string): Promise<PaymentAnswer> {
  const receipt = JSON.stringify(receiptOf(row, transaction));
  const move = { to: 'SETTLED', transaction, receipt, settledAt: parts.clock.now() } as const;
  let written: PaymentRow;
  try {
    written = await writeSettled(parts, row, move);
  } catch (error) {
    parts.logger.error(
      { paymentId: row.paymentId, transaction, error: (error as Error).message },
      'a settled payment could not be written yet',
    );
    // Billed: the outcome must not be lost with this process, so it is written as soon as the store is back.
    parts.behind(writeUntilStored(parts, row, move));
    throw new PaymentRefused('payment_receipt_unavailable', { retryAfterSeconds: LOOK_AGAIN_SECONDS });
  }
  await publishSoon(parts, written);
  return paidAnswer(written);
}

async function writeSettled(
  { ledger, chainClock }: PaymentParts,
  row: PaymentRow,
  move: Extract<PaymentMove, { to: 'SETTLED' }>,
): Promise<PaymentRow> {
  const written = (await ledger.settledAfterAll(row.paymentId, move, chainClock.now())) ?? (await ledger.get(row.paymentId));
  if (written?.state !== 'SETTLED') throw new Error(`a settled payment stands as ${written?.state ?? 'nothing'}`);
  return written;
}

async function writeUntilStored(parts: PaymentParts, row: PaymentRow, move: Extract<PaymentMove, { to: 'SETTLED' }>): Promise<void> {
  const backoff = new Backoff(FIRST_PAUSE_MS, MAX_PAUSE_MS);
  for (let tries = 0; tries < WRITES; tries += 1) {
    await parts.clock.sleep(backoff.take(), parts.ending).catch(() => undefined);
    const written = await writeSettled(parts, row, move).catch(() => null);
    if (written !== null) return await publishSoon(parts, written);
  }
  parts.logger.error(
    { paymentId: row.paymentId, transaction: move.transaction },
    'a settled payment was never written: reconcile it by hand',
  );
}

async function refused(
  parts: PaymentParts,
  row: PaymentRow,
  { reason, transaction }: Extract<Settlement, { kind: 'refused' }>,
): Promise<never> {
  const { ledger, chainClock } = parts;
  const ended = await ledger.move(row, { to: 'SETTLE_FAILED', cause: reason, transaction }, chainClock.now()).catch(() => null);
  // Not written: the worker tries again and may succeed, so a final failure is not reported.
  if (ended === null) throw unknownYet();
  await publishSoon(parts, ended);
  throw new PaymentRefused('payment_settlement_failed', { details: { cause: reason } });
}

const SOON_MS = 1_000;
/** Publishes the facts on the account's stream; an answer waits a moment for it and no longer: the worker publishes the rest later. */
export async function publishSoon(parts: PaymentParts, row: PaymentRow): Promise<void> {
  const publishing = publishPaymentFacts(parts, row).catch((error: unknown) => {
    parts.logger.warn({ paymentId: row.paymentId, error: (error as Error).message }, 'the facts of a payment are published later');
  });
  parts.behind(publishing);
  await answeredWithin(parts.clock, SOON_MS, () => publishing).catch(() => undefined);
}
