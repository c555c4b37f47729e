import { newPaymentLease, publishPaymentFacts } from '../../../../commands/payments/payment-facts.ts';
import { DAY_MS } from '../../../../domain/durations.ts';
import { leaseLeftMs, MAX_PAUSE_MS, readSignedPayment, receiptOf } from '../../../../domain/payments/payment.ts';
import type { ChainLookup, Facilitator, PaymentMove, PaymentPorts, PaymentRow } from '../../../../domain/ports/payments.ts';

export interface ReconcileParts extends PaymentPorts {
  /** Null where the chain itself cannot be asked. */
  readonly chain: ChainLookup | null;
}

/** Milliseconds after which the chain cannot accept the authorization any more; allows for its clock and the time of a block. */
const CHAIN_MARGIN_MS = 120_000;
const AT_ONCE = 100;
/** The request publishes the facts of its row first; the worker publishes what is left. */
const LEFT_TO_OTHERS_MS = 5_000;
/** How long a result stays fetchable by the payment that paid for it. */
const RESULTS_KEPT_MS = 30 * DAY_MS;

export interface Reconciled {
  readonly tidied: number;
  readonly looked: number;
  readonly published: number;
  readonly purged: number;
}

/** One round of the worker. Any number may run at once. A row that fails is logged and comes again. */
export async function reconcilePayments(parts: ReconcileParts, signal: AbortSignal): Promise<Reconciled> {
  const { ledger, clock, chainClock } = parts;
  const tidied = await each(parts, signal, await ledger.abandoned(chainClock.now(), AT_ONCE), (row) => tidy(parts, row));
  let looked = 0;
  for (; looked < AT_ONCE && !signal.aborted; looked += 1) {
    // One by one: a lease lasts for one look.
    const rows = await ledger.claimUnknown(newPaymentLease(parts), 1);
    if (rows.length === 0) break;
    await each(parts, signal, rows, (row) => lookAtUnknown(parts, row));
  }
  const unpublished = await ledger.unpublished(chainClock.now() - LEFT_TO_OTHERS_MS, AT_ONCE);
  const published = await each(parts, signal, unpublished, (row) => publishPaymentFacts(parts, row));
  return { tidied, looked, published, purged: await ledger.purgeResults(clock.now() - RESULTS_KEPT_MS) };
}

async function each(
  { logger }: ReconcileParts,
  signal: AbortSignal,
  rows: readonly PaymentRow[],
  work: (row: PaymentRow) => Promise<unknown>,
): Promise<number> {
  let done = 0;
  for (const row of rows) {
    if (signal.aborted) break;
    try {
      await work(row);
      done += 1;
    } catch (error) {
      logger.warn({ paymentId: row.paymentId, state: row.state, error: (error as Error).message }, 'a payment could not be worked on yet');
    }
  }
  return done;
}

/** Handles a row with an expired lease: deletes one that has not begun, ends one that cannot continue, examines one that may be paid. */
export async function tidy(parts: ReconcileParts, row: PaymentRow): Promise<void> {
  const { ledger, chainClock } = parts;
  const now = chainClock.now();
  if (row.state === 'VERIFIED') await publishPaymentFacts(parts, row);
  if (row.state === 'RESERVED' || row.state === 'VERIFIED') await ledger.forget(row);
  if (row.state === 'RESULT_SAVED') await ledger.move(row, { to: 'LAPSED', cause: 'valid_before_passed' }, now);
  const unknown = { to: 'RECONCILE', cause: 'settling_was_interrupted', transaction: null, lookAt: now } as const;
  if (row.state === 'SETTLING') await ledger.move(row, unknown, now);
}

/** A row whose outcome stays unknown is kept and never deleted. */
async function lookAtUnknown(parts: ReconcileParts, row: PaymentRow): Promise<void> {
  if (parts.chain !== null) return await askTheChain(parts, row, parts.chain);
  if (parts.facilitator !== null) return await settleAgain(parts, row, parts.facilitator);
  await later(parts, row, row.cause ?? 'unknown');
}

async function askTheChain(parts: ReconcileParts, row: PaymentRow, chain: ChainLookup): Promise<void> {
  const { ledger, chainClock, logger } = parts;
  const { payTo, amount, createdAt, validBefore, paymentId } = row;
  const found = await chain.look(row, { payTo, amount, since: createdAt, until: validBefore });
  if (found.kind === 'settled') return await becomesSettled(parts, row, found.transaction);
  const over = chainClock.now() > validBefore + CHAIN_MARGIN_MS;
  if (found.kind === 'unavailable' || (found.kind === 'unused' && !over)) {
    return await later(parts, row, found.kind === 'unused' ? 'not_on_chain_yet' : 'chain_unavailable');
  }
  const cause = found.kind === 'unused' ? 'never_settled_on_chain' : 'authorization_used_otherwise';
  await ledger.move(row, { to: 'SETTLE_FAILED', cause }, chainClock.now());
  logger.info({ paymentId, cause }, 'a payment of unknown outcome was not settled');
}

/**
 * The same authorization moves money once, so asking again is safe. Only success proves anything: a refusal, `expired` and a used nonce
 * included, may come of an earlier success.
 */
async function settleAgain(parts: ReconcileParts, row: PaymentRow, facilitator: Facilitator): Promise<void> {
  if (!(await parts.ledger.attempt(row, parts.chainClock.now()))) return;
  const settlement = await facilitator.settle(readSignedPayment(row.payload!));
  if (settlement.kind === 'settled') return await becomesSettled(parts, row, settlement.transaction);
  await later(parts, { ...row, settleAttempts: row.settleAttempts + 1 }, settlement.reason, settlement.transaction);
}

async function becomesSettled({ ledger, clock, chainClock, logger }: ReconcileParts, row: PaymentRow, transaction: string): Promise<void> {
  await ledger.settledAfterAll(row.paymentId, settledBy(row, transaction, clock.now()), chainClock.now());
  logger.info({ paymentId: row.paymentId, transaction }, 'a payment of unknown outcome was settled');
}

const settledBy = (row: PaymentRow, transaction: string, settledAt: number) =>
  ({ to: 'SETTLED', transaction, receipt: JSON.stringify(receiptOf(row, transaction)), settledAt }) as const;

const FIRST_PAUSE_MS = 5_000;
const MAX_DOUBLINGS = 10;

async function later({ ledger, chainClock }: ReconcileParts, row: PaymentRow, cause: string, transaction: string | null = null) {
  const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(row.settleAttempts, MAX_DOUBLINGS));
  await ledger.lookAgain(row, { cause, transaction, lookAt: chainClock.now() + pause });
}

const CLAIM_TRIES = 20;
const CLAIM_EVERY_MS = 250;

export class NotResolved extends Error {
  override readonly name = 'NotResolved';
}

/** Ends a payment of unknown outcome by what an operator has seen on the chain. Throws `NotResolved` with the reason. */
export async function resolveByHand(
  parts: ReconcileParts,
  paymentId: string,
  seen: { readonly settled: string } | { readonly failed: string },
): Promise<PaymentRow> {
  const { ledger, chainClock, clock } = parts;
  const left = await ledger.get(paymentId);
  if (left?.state === 'SETTLING' && leaseLeftMs(left, chainClock.now()) === 0) await tidy(parts, left);
  const row = await claimed(parts, paymentId);
  if (row === null) throw new NotResolved(await whyNot(parts, paymentId));
  const now = chainClock.now();
  if ('failed' in seen && now <= row.validBefore + CHAIN_MARGIN_MS) {
    await ledger.lookAgain(row, { cause: row.cause ?? 'unknown', transaction: null, lookAt: now });
    const until = new Date(row.validBefore + CHAIN_MARGIN_MS).toISOString();
    throw new NotResolved(`the chain may still take this payment: it cannot be said to have failed before ${until}`);
  }
  const move: PaymentMove = 'failed' in seen ? { to: 'SETTLE_FAILED', cause: seen.failed } : settledBy(row, seen.settled, clock.now());
  const resolved = await ledger.move(row, move, now);
  if (resolved === null) throw new NotResolved(await whyNot(parts, paymentId));
  await publishPaymentFacts(parts, resolved);
  return resolved;
}

/** A job that examines the payment at this moment finishes within seconds. */
async function claimed(parts: ReconcileParts, paymentId: string): Promise<PaymentRow | null> {
  const { ledger, chainClock } = parts;
  for (let tries = 1; ; tries += 1) {
    const row = await ledger.claimOne(paymentId, newPaymentLease(parts));
    if (row !== null || tries === CLAIM_TRIES) return row;
    const other = await ledger.get(paymentId);
    if (other === null || leaseLeftMs(other, chainClock.now()) === 0) return row;
    await chainClock.sleep(CLAIM_EVERY_MS);
  }
}

async function whyNot({ ledger, chainClock }: ReconcileParts, paymentId: string): Promise<string> {
  const row = await ledger.get(paymentId);
  if (row === null) return `there is no payment ${paymentId}`;
  if (leaseLeftMs(row, chainClock.now()) > 0) return 'another process works on this payment; try again in some seconds';
  return `this payment is ${row.state}; only one of unknown outcome (RECONCILE) can be resolved by hand`;
}
