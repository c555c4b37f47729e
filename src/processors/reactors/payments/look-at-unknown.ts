import type { PaymentRow } from '../../../../domain/ports/payment-ledger.ts';
import { readSignedPayment, receiptOf } from '../../../../domain/payments/payment.ts';
import { CHAIN_MARGIN_MS, type ReconcileParts } from './reconcile-parts.ts';

const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 3_600_000;
const MAX_DOUBLINGS = 10;

/** Determines the outcome of an unknown settlement, under a lease. A row whose outcome stays unknown is kept and never deleted. */
export async function lookAtUnknown(parts: ReconcileParts, row: PaymentRow): Promise<void> {
  if (parts.chain !== null) return await askTheChain(parts, row, parts.chain);
  if (parts.facilitator !== null) return await settleAgain(parts, row, parts.facilitator);
  await later(parts, row, { reason: row.cause ?? 'unknown', transaction: null });
}

async function askTheChain(parts: ReconcileParts, row: PaymentRow, chain: NonNullable<ReconcileParts['chain']>): Promise<void> {
  const { payTo, amount, createdAt, validBefore, paymentId } = row;
  const found = await chain.look(row, { payTo, amount, since: createdAt, until: validBefore });
  const { ledger, chainClock, logger } = parts;
  if (found.kind === 'settled') return await becomesSettled(parts, row, found.transaction);
  const over = chainClock.now() > row.validBefore + CHAIN_MARGIN_MS;
  if (found.kind === 'used_otherwise' || (found.kind === 'unused' && over)) {
    const cause = found.kind === 'unused' ? 'never_settled_on_chain' : 'authorization_used_otherwise';
    await ledger.move(row, { to: 'SETTLE_FAILED', cause }, chainClock.now());
    logger.info({ paymentId, cause }, 'a payment of unknown outcome was not settled');
    return;
  }
  await later(parts, row, { reason: found.kind === 'unused' ? 'not_on_chain_yet' : 'chain_unavailable', transaction: null });
}

/**
 * The same authorization moves money once, so asking again is safe. Only success proves anything: a refusal, `expired` and a used nonce
 * included, may come of an earlier success.
 */
async function settleAgain(parts: ReconcileParts, row: PaymentRow, facilitator: NonNullable<ReconcileParts['facilitator']>): Promise<void> {
  if (!(await parts.ledger.attempt(row, parts.chainClock.now()))) return;
  const settlement = await facilitator.settle(readSignedPayment(row.payload!));
  if (settlement.kind === 'settled') return await becomesSettled(parts, row, settlement.transaction);
  await later(parts, { ...row, settleAttempts: row.settleAttempts + 1 }, settlement);
}

async function becomesSettled({ ledger, clock, chainClock, logger }: ReconcileParts, row: PaymentRow, transaction: string): Promise<void> {
  const receipt = JSON.stringify(receiptOf(row, transaction));
  await ledger.settledAfterAll(row.paymentId, { to: 'SETTLED', transaction, receipt, settledAt: clock.now() }, chainClock.now());
  logger.info({ paymentId: row.paymentId, transaction }, 'a payment of unknown outcome was settled');
}

async function later(
  { ledger, chainClock }: ReconcileParts,
  row: PaymentRow,
  { reason, transaction }: { readonly reason: string; readonly transaction: string | null },
): Promise<void> {
  const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(row.settleAttempts, MAX_DOUBLINGS));
  await ledger.lookAgain(row, { cause: reason, transaction, lookAt: chainClock.now() + pause });
}
