import { publishPaymentFacts } from '../../../../commands/payments/payment-facts.ts';
import type { PaymentRow } from '../../../../domain/ports/payment-ledger.ts';
import { lookAtUnknown } from './look-at-unknown.ts';
import { leaseFor, type ReconcileParts } from './reconcile-parts.ts';

const AT_ONCE = 100;
/** The request publishes the facts of its row first; the worker publishes what is left. */
const LEFT_TO_OTHERS_MS = 5_000;
/** How long a result stays fetchable by the payment that paid for it. */
const RESULTS_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** How many rows of each kind were dealt with. */
export interface Reconciled {
  readonly tidied: number;
  readonly looked: number;
  readonly published: number;
  readonly purged: number;
}

/**
 * One round of the worker: ends what was left lying, looks at payments of unknown outcome that are due, publishes facts that are
 * not on their streams yet, and drops results past their time. Any number may run at once. A row that fails is logged and comes again.
 */
export async function reconcilePayments(parts: ReconcileParts, signal: AbortSignal): Promise<Reconciled> {
  const { ledger, clock, chainClock } = parts;
  const tidied = await each(parts, signal, await ledger.abandoned(chainClock.now(), AT_ONCE), (row) => tidy(parts, row));
  let looked = 0;
  for (; looked < AT_ONCE && !signal.aborted; looked += 1) {
    // One by one: a lease lasts for one look.
    const [row] = await ledger.claimUnknown(leaseFor(parts), 1);
    if (row === undefined) break;
    await each(parts, signal, [row], () => lookAtUnknown(parts, row));
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
  switch (row.state) {
    case 'RESERVED':
      await ledger.forget(row);
      return;
    case 'VERIFIED':
      await publishPaymentFacts(parts, row);
      await ledger.forget(row);
      return;
    case 'RESULT_SAVED':
      await ledger.move(row, { to: 'LAPSED', cause: 'valid_before_passed' }, now);
      return;
    case 'SETTLING':
      await ledger.move(row, { to: 'RECONCILE', cause: 'settling_was_interrupted', transaction: null, lookAt: now }, now);
      return;
    case 'SETTLED':
    case 'READ_FAILED':
    case 'READ_EMPTY':
    case 'SETTLE_FAILED':
    case 'LAPSED':
    case 'RECONCILE':
      return;
  }
}
