import { newPaymentLease, publishPaymentFacts } from '../../../../commands/payments/payment-facts.ts';
import { DAY_MS } from '../../../../domain/durations.ts';
import { leaseLeftMs, MAX_PAUSE_MS, readSignedPayment, receiptOf } from '../../../../domain/payments/payment.ts';
import type {
  ChainLookup,
  Facilitator,
  PaymentMove,
  PaymentPorts,
  PaymentRow,
} from '../../../../domain/ports/payments.ts';

export interface ReconcileParts extends PaymentPorts {
  /** Null if the chain cannot be queried. */
  readonly chain: ChainLookup | null;
}

/**
 * Milliseconds after expiry until the chain certainly rejects the authorization, allowing for its clock and block time.
 */
const CHAIN_MARGIN_MS = 120_000;
const AT_ONCE = 100;
/** Milliseconds for the request to publish the facts of its row; then the worker publishes the rest. */
const PUBLISH_DELAY_MS = 5_000;
/** Milliseconds for which a payment can fetch its result. */
const RESULT_RETENTION_MS = 30 * DAY_MS;

export interface Reconciled {
  readonly tidied: number;
  readonly examined: number;
  readonly published: number;
  readonly purged: number;
}

/** Runs one round of the worker. Any number may run at once. A failed row is logged and processed again. */
export async function reconcilePayments(parts: ReconcileParts, signal: AbortSignal): Promise<Reconciled> {
  const { ledger, clock, chainClock } = parts;
  const tidied = await forEachPayment(parts, signal, await ledger.abandoned(chainClock.now(), AT_ONCE), (row) =>
    tidy(parts, row),
  );
  let examined = 0;
  for (; examined < AT_ONCE && !signal.aborted; examined += 1) {
    // One row at a time, because a lease lasts for one inspection.
    const rows = await ledger.claimUnknown(newPaymentLease(parts), 1);
    if (rows.length === 0) break;
    await forEachPayment(parts, signal, rows, (row) => lookAtUnknown(parts, row));
  }
  const unpublished = await ledger.unpublished(chainClock.now() - PUBLISH_DELAY_MS, AT_ONCE);
  const published = await forEachPayment(parts, signal, unpublished, (row) => publishPaymentFacts(parts, row));
  return { tidied, examined, published, purged: await ledger.purgeResults(clock.now() - RESULT_RETENTION_MS) };
}

async function forEachPayment(
  { logger }: ReconcileParts,
  signal: AbortSignal,
  rows: readonly PaymentRow[],
  work: (row: PaymentRow) => Promise<unknown>,
): Promise<number> {
  let processed = 0;
  for (const row of rows) {
    if (signal.aborted) break;
    try {
      await work(row);
      processed += 1;
    } catch (error) {
      logger.warn(
        { paymentId: row.paymentId, state: row.state, error: (error as Error).message },
        'a payment could not be worked on yet',
      );
    }
  }
  return processed;
}

/**
 * Handles a row with an expired lease: deletes it if its work has not begun, ends it if it cannot continue, and
 * examines it if it might be paid.
 */
async function tidy(parts: ReconcileParts, row: PaymentRow): Promise<void> {
  const { ledger, chainClock } = parts;
  const now = chainClock.now();
  if (row.state === 'VERIFIED') await publishPaymentFacts(parts, row);
  if (row.state === 'RESERVED' || row.state === 'VERIFIED') await ledger.forget(row);
  if (row.state === 'RESULT_SAVED') await ledger.move(row, { to: 'LAPSED', cause: 'valid_before_passed' }, now);
  const unknown = { to: 'RECONCILE', cause: 'settling_was_interrupted', transaction: null, lookAt: now } as const;
  if (row.state === 'SETTLING') await ledger.move(row, unknown, now);
}

/** Never deletes a row whose outcome stays unknown. */
async function lookAtUnknown(parts: ReconcileParts, row: PaymentRow): Promise<void> {
  if (parts.chain !== null) return await askTheChain(parts, row, parts.chain);
  if (parts.facilitator !== null) return await settleAgain(parts, row, parts.facilitator);
  await later(parts, row, row.cause ?? 'unknown');
}

async function askTheChain(parts: ReconcileParts, row: PaymentRow, chain: ChainLookup): Promise<void> {
  const { ledger, chainClock, logger } = parts;
  const { payTo, amount, createdAt, validBefore, paymentId } = row;
  const lookup = await chain.look(row, { payTo, amount, since: createdAt, until: validBefore });
  if (lookup.kind === 'settled') return await becomesSettled(parts, row, lookup.transaction);
  const over = chainClock.now() > validBefore + CHAIN_MARGIN_MS;
  if (lookup.kind === 'unavailable' || (lookup.kind === 'unused' && !over)) {
    return await later(parts, row, lookup.kind === 'unused' ? 'not_on_chain_yet' : 'chain_unavailable');
  }
  const cause = lookup.kind === 'unused' ? 'never_settled_on_chain' : 'authorization_used_otherwise';
  await ledger.move(row, { to: 'SETTLE_FAILED', cause }, chainClock.now());
  logger.info({ paymentId, cause }, 'a payment of unknown outcome was not settled');
}

/**
 * Settles again, which is safe because one authorization moves money once. Only success proves anything: a refusal,
 * `expired` or a used nonce might be the result of an earlier success.
 */
async function settleAgain(parts: ReconcileParts, row: PaymentRow, facilitator: Facilitator): Promise<void> {
  if (!(await parts.ledger.attempt(row, parts.chainClock.now()))) return;
  const settlement = await facilitator.settle(readSignedPayment(row.payload!));
  if (settlement.kind === 'settled') return await becomesSettled(parts, row, settlement.transaction);
  await later(parts, { ...row, settleAttempts: row.settleAttempts + 1 }, settlement.reason, settlement.transaction);
}

async function becomesSettled(
  { ledger, clock, chainClock, logger }: ReconcileParts,
  row: PaymentRow,
  transaction: string,
): Promise<void> {
  await ledger.settledAfterAll(row.paymentId, createSettlement(row, transaction, clock.now()), chainClock.now());
  logger.info({ paymentId: row.paymentId, transaction }, 'a payment of unknown outcome was settled');
}

const createSettlement = (row: PaymentRow, transaction: string, settledAt: number) =>
  ({ to: 'SETTLED', transaction, receipt: JSON.stringify(receiptOf(row, transaction)), settledAt }) as const;

const FIRST_PAUSE_MS = 5_000;
const MAX_DOUBLINGS = 10;

async function later(
  { ledger, chainClock }: ReconcileParts,
  row: PaymentRow,
  cause: string,
  transaction: string | null = null,
) {
  const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(row.settleAttempts, MAX_DOUBLINGS));
  await ledger.postponeCheck(row, { cause, transaction, lookAt: chainClock.now() + pause });
}

const CLAIM_TRIES = 20;
const CLAIM_EVERY_MS = 250;

export class NotResolved extends Error {
  override readonly name = 'NotResolved';
}

/** Ends a payment of unknown outcome by what an operator found on the chain. Throws `NotResolved` with the reason. */
export async function resolveByHand(
  parts: ReconcileParts,
  paymentId: string,
  observed: { readonly settled: string } | { readonly failed: string },
): Promise<PaymentRow> {
  const { ledger, chainClock, clock } = parts;
  const current = await ledger.get(paymentId);
  if (current?.state === 'SETTLING' && leaseLeftMs(current, chainClock.now()) === 0) await tidy(parts, current);
  const row = await claimRow(parts, paymentId);
  if (row === null) throw new NotResolved(await whyNot(parts, paymentId));
  const now = chainClock.now();
  if ('failed' in observed && now <= row.validBefore + CHAIN_MARGIN_MS) {
    await ledger.postponeCheck(row, { cause: row.cause ?? 'unknown', transaction: null, lookAt: now });
    const until = new Date(row.validBefore + CHAIN_MARGIN_MS).toISOString();
    throw new NotResolved(`the chain may still take this payment: do not record it as failed before ${until}`);
  }
  const move: PaymentMove =
    'failed' in observed
      ? { to: 'SETTLE_FAILED', cause: observed.failed }
      : createSettlement(row, observed.settled, clock.now());
  const resolved = await ledger.move(row, move, now);
  if (resolved === null) throw new NotResolved(await whyNot(parts, paymentId));
  await publishPaymentFacts(parts, resolved);
  return resolved;
}

/** Claims the row. A job that currently examines the payment finishes within seconds. */
async function claimRow(parts: ReconcileParts, paymentId: string): Promise<PaymentRow | null> {
  const { ledger, chainClock } = parts;
  for (let tries = 1; ; tries += 1) {
    const row = await ledger.claimOne(paymentId, newPaymentLease(parts));
    if (row !== null || tries === CLAIM_TRIES) return row;
    const current = await ledger.get(paymentId);
    if (current === null || leaseLeftMs(current, chainClock.now()) === 0) return row;
    await chainClock.sleep(CLAIM_EVERY_MS);
  }
}

async function whyNot({ ledger, chainClock }: ReconcileParts, paymentId: string): Promise<string> {
  const row = await ledger.get(paymentId);
  if (row === null) return `there is no payment ${paymentId}`;
  if (leaseLeftMs(row, chainClock.now()) > 0) return 'another process works on this payment; try again in some seconds';
  return `this payment is ${row.state}; only one of unknown outcome (RECONCILE) can be resolved by hand`;
}
