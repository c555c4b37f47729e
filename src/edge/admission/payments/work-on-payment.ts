import { publishPaymentFacts } from '../../../../commands/payments/payment-facts.ts';
import { MAX_TOOL_BYTES } from '../../../../contract/tools/tool.ts';
import type { ToolErrorCode } from '../../../../contract/tools/tool-errors.ts';
import {
  type NotBilled,
  PAYMENT_LEASE_MS,
  paymentReceipt,
  readSignedPayment,
  receiptOf,
} from '../../../../domain/payments/payment.ts';
import { DeadlineExceeded } from '../../../../domain/ports/database.ts';
import type { PaymentMove, PaymentRow } from '../../../../domain/ports/payments.ts';
import { Refusal } from '../../../../domain/rejections.ts';
import { resolveWithin, Backoff, withinDeadline } from '../../../../plumbing/retry.ts';
import { type PaidCall, type PaymentAnswer, type PaymentParts, PaymentRefused } from './paid-call.ts';
import { sha256 } from './payment-terms.ts';

export interface PaymentWork extends PaymentParts, PaidCall {
  /** Aborts at the deadline and when the caller disconnects. This cancels the call, unless settlement has begun. */
  readonly over: AbortSignal;
  readonly settlement: { begun: boolean };
  readonly trackInBackground: (work: Promise<void>) => void;
  /** Aborts when the service shuts down, which ends pauses at once. */
  readonly ending: AbortSignal;
}

/** `Retry-After` seconds while the worker examines the payment or a store is unavailable. */
const RETRY_AFTER_SECONDS = 5;
export const unknownYet = (): PaymentRefused =>
  new PaymentRefused('payment_reconciliation_required', { retryAfterSeconds: RETRY_AFTER_SECONDS });

export const inProgress = (leftMs = PAYMENT_LEASE_MS): PaymentRefused =>
  new PaymentRefused('payment_in_progress', { retryAfterSeconds: leftMs / 1000 });

/**
 * Processes a leased row from its current state to its end. Throws the refusal that answers the call, or the abort
 * reason.
 */
export async function workOnPayment(work: PaymentWork, row: PaymentRow): Promise<PaymentAnswer> {
  if (row.state === 'RESULT_SAVED') return await settle(work, row);
  await verify(work, row);
  work.over.throwIfAborted();
  const verified = row.state === 'VERIFIED' ? row : await moveRow(work, row, { to: 'VERIFIED' });
  work.over.throwIfAborted();
  const saved = await saveResult(work, verified, await readForSale(work, verified));
  work.over.throwIfAborted();
  return await settle(work, saved);
}

async function verify({ ledger, facilitator, logger }: PaymentWork, row: PaymentRow): Promise<void> {
  const verification = await facilitator!.verify(readSignedPayment(row.payload!));
  if (verification.kind === 'valid') return;
  const { kind, reason } = verification;
  logger.info(
    { paymentId: row.paymentId, accountId: row.accountId, verification: kind, reason },
    'payment not verified',
  );
  // No money has moved yet, so the row is deleted. If deleting fails, the row expires with its lease.
  await ledger.forget(row).catch(() => false);
  if (kind === 'unavailable')
    throw new PaymentRefused('payment_verification_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  throw new PaymentRefused(verification.expired ? 'payment_expired' : 'payment_authorization_invalid', {
    details: { reason },
  });
}

/** Reads the data to sell. If there is none, ends or deletes the row and throws the refusal. */
async function readForSale(work: PaymentWork, row: PaymentRow): Promise<string> {
  const { over, logger } = work;
  let refusal: PaymentRefused;
  try {
    const text = await withinDeadline(work.clock, work.times.readMs, over, work.read);
    over.throwIfAborted();
    if (Buffer.byteLength(text) <= MAX_TOOL_BYTES) return text;
    refusal = new PaymentRefused('read_result_too_large');
  } catch (error) {
    over.throwIfAborted();
    refusal = toReadRefusal(error);
    if (refusal.code === 'read_failed') {
      logger.error(
        { paymentId: row.paymentId, tool: work.tool, error: (error as Error).message },
        'a paid read failed',
      );
    }
  }
  const { code } = refusal;
  // The caller may use the payment again, for another request or later.
  if (code === 'invalid_cursor' || code === 'rate_limited') await work.ledger.forget(row).catch(() => false);
  else if (code === 'empty_result_not_chargeable') await endRow(work, row, { to: 'READ_EMPTY', cause: null });
  else await endRow(work, row, { to: 'READ_FAILED', cause: code });
  throw refusal;
}

/**
 * Maps the code of a failed read to the code of the tool. Arguments were parsed before, so only the cursor can be
 * invalid now.
 */
const READ_REFUSALS: Readonly<Partial<Record<string, ToolErrorCode>>> = {
  empty_result_not_chargeable: 'empty_result_not_chargeable',
  response_too_large: 'read_result_too_large',
  timeout: 'read_timeout',
  invalid_parameter: 'invalid_cursor',
  rate_limited: 'rate_limited',
};

function toReadRefusal(error: unknown): PaymentRefused {
  if (error instanceof DeadlineExceeded) return new PaymentRefused('read_timeout');
  if (!(error instanceof Refusal)) return new PaymentRefused('read_failed');
  const { message, retryAfterSeconds = 1 } = error;
  const code = READ_REFUSALS[error.code] ?? 'read_failed';
  if (code === 'rate_limited') return new PaymentRefused(code, { retryAfterSeconds }, message);
  return code === 'invalid_cursor' ? new PaymentRefused(code, {}, message) : new PaymentRefused(code);
}

function saveResult(work: PaymentWork, row: PaymentRow, result: string): Promise<PaymentRow> {
  const code = 'read_result_not_saved';
  return moveRow(work, row, { to: 'RESULT_SAVED', result, resultHash: sha256(result) }, async () => {
    await endRow(work, row, { to: 'READ_FAILED', cause: code });
    return new PaymentRefused(code);
  });
}

/**
 * Records the attempt before making it. From then on nothing cancels it, and the row has its outcome or is marked
 * unknown.
 */
async function settle(work: PaymentWork, saved: PaymentRow): Promise<PaymentAnswer> {
  const { ledger, chainClock, facilitator, logger } = work;
  const { paymentId } = saved;
  const now = chainClock.now();
  if (now >= saved.validBefore) {
    await endRow(work, saved, { to: 'LAPSED', cause: 'valid_before_passed' });
    throw new PaymentRefused('payment_expired');
  }
  work.over.throwIfAborted();
  work.settlement.begun = true;
  // If the ledger throws, the move might be stored: the worker then settles it, and the same payment finds the result.
  const settling = await moveRow(work, saved, { to: 'SETTLING', leaseUntil: now + PAYMENT_LEASE_MS }, async () =>
    unknownYet(),
  );
  const settlement = await facilitator!.settle(readSignedPayment(settling.payload!));
  const { kind, transaction } = settlement;
  const cause = kind === 'settled' ? undefined : settlement.reason;
  logger.info({ paymentId, settlement: kind, reason: cause }, 'payment settlement finished');
  if (kind === 'settled') return await storeSettlement(work, settling, transaction);
  if (kind === 'refused') {
    // The failure could not be stored. The worker tries again and might succeed, so no final failure is reported.
    if (!(await endRow(work, settling, { to: 'SETTLE_FAILED', cause: settlement.reason, transaction })))
      throw unknownYet();
    throw new PaymentRefused('payment_settlement_failed', { details: { cause } });
  }
  const lookAt = chainClock.now() + RETRY_AFTER_SECONDS * 1000;
  // If this write fails too, the worker finds the expired lease and writes it.
  await ledger
    .move(settling, { to: 'RECONCILE', cause: settlement.reason, transaction, lookAt }, chainClock.now())
    .catch(() => null);
  throw unknownYet();
}

const WRITES = 8;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 32_000;

async function storeSettlement(
  work: PaymentWork,
  { paymentId, ...row }: PaymentRow,
  transaction: string,
): Promise<PaymentAnswer> {
  const { ledger, clock, chainClock, logger } = work;
  const move = {
    to: 'SETTLED',
    transaction,
    receipt: JSON.stringify(receiptOf(row, transaction)),
    settledAt: clock.now(),
  } as const;
  const write = async (): Promise<PaymentRow> => {
    const written = (await ledger.settledAfterAll(paymentId, move, chainClock.now())) ?? (await ledger.get(paymentId));
    if (written?.state !== 'SETTLED') throw new Error(`a settled payment is stored as ${written?.state ?? 'nothing'}`);
    return written;
  };
  const writeUntilStored = async (): Promise<void> => {
    const backoff = new Backoff(FIRST_PAUSE_MS, MAX_PAUSE_MS);
    for (let tries = 0; tries < WRITES; tries += 1) {
      await clock.sleep(backoff.take(), work.ending).catch(() => undefined);
      const written = await write().catch(() => null);
      if (written !== null) return await publishPromptly(work, written);
    }
    logger.error({ paymentId, transaction }, 'a settled payment was never written: reconcile it by hand');
  };
  let written: PaymentRow;
  try {
    written = await write();
  } catch (error) {
    logger.error(
      { paymentId, transaction, error: (error as Error).message },
      'a settled payment could not be written yet',
    );
    // The payment is charged: the outcome is written as soon as the store answers again.
    work.trackInBackground(writeUntilStored());
    throw new PaymentRefused('payment_receipt_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  await publishPromptly(work, written);
  return paidAnswer(written);
}

/** Returns the data of a settled row as saved before settlement. Throws if it is missing or damaged. */
export function paidAnswer({ result, resultHash, receipt }: PaymentRow): PaymentAnswer {
  if (result === null || receipt === null || sha256(result) !== resultHash)
    throw new PaymentRefused('payment_receipt_unavailable');
  return { kind: 'paid', data: JSON.parse(result), text: result, receipt: paymentReceipt.parse(JSON.parse(receipt)) };
}

/**
 * Runs a ledger operation and fails closed: if the ledger throws, the call is refused before anything is verified, read
 * or settled.
 */
export async function fromLedger<Result>(
  { logger }: PaymentWork,
  ask: () => Promise<Result>,
  refuse = async () => new PaymentRefused('payment_ledger_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS }),
  about: object = {},
): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    const refusal = await refuse();
    logger.warn(
      { ...about, code: refusal.code, error: (error as Error).message },
      'the payment ledger could not be reached',
    );
    throw refusal;
  }
}

/**
 * Moves the row and returns it. Refuses with `payment_in_progress` if another process has the payment. If the ledger
 * throws, the row stays leased.
 */
async function moveRow(
  work: PaymentWork,
  row: PaymentRow,
  move: PaymentMove,
  refuse = async () => new PaymentRefused('payment_ledger_unavailable', { retryAfterSeconds: PAYMENT_LEASE_MS / 1000 }),
): Promise<PaymentRow> {
  const about = { paymentId: row.paymentId, to: move.to };
  const after = await fromLedger(work, () => work.ledger.move(row, move, work.chainClock.now()), refuse, about);
  if (after === null) throw inProgress();
  return after;
}

/** Ends a row that is not charged. Returns false if that was not stored; the worker then ends it. */
async function endRow(
  work: PaymentWork,
  row: PaymentRow,
  move: Extract<PaymentMove, { to: NotBilled }>,
): Promise<boolean> {
  const ended = await work.ledger.move(row, move, work.chainClock.now()).catch(() => null);
  if (ended !== null) await publishPromptly(work, ended);
  return ended !== null;
}

const PUBLISH_WAIT_MS = 1_000;
/**
 * Publishes the facts on the account's stream. The answer waits for at most a second; the worker publishes the rest
 * later.
 */
async function publishPromptly(work: PaymentWork, row: PaymentRow): Promise<void> {
  const publishing = publishPaymentFacts(work, row).catch((error: unknown) => {
    work.logger.warn(
      { paymentId: row.paymentId, error: (error as Error).message },
      'the facts of a payment are published later',
    );
  });
  work.trackInBackground(publishing);
  await resolveWithin(work.clock, PUBLISH_WAIT_MS, () => publishing).catch(() => undefined);
}
