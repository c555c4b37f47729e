import type { PaymentRow } from '../../../../domain/ports/payment-ledger.ts';
import { type NotBilled, readSignedPayment } from '../../../../domain/payments/payment.ts';
import { type PaymentAnswer, PaymentRefused } from './payment-answer.ts';
import { sha256 } from './payment-hashes.ts';
import type { PaidCall, PaymentParts } from './payment-parts.ts';
import { readForPayment } from './read-for-payment.ts';
import { inProgress } from './replay.ts';
import { publishSoon, settlePayment } from './settle-payment.ts';
import type { PointOfNoReturn } from './point-of-no-return.ts';

const VERIFY_AGAIN_SECONDS = 5;

/** Carries a leased row on from where it stands to its end; throws the refusal that answers the call, or why it was called off. */
export async function workOnPayment(
  parts: PaymentParts,
  call: PaidCall,
  row: PaymentRow,
  pointOfNoReturn: PointOfNoReturn,
): Promise<PaymentAnswer> {
  if (row.state === 'RESULT_SAVED') return await settlePayment(parts, row, pointOfNoReturn);
  await verify(parts, row);
  pointOfNoReturn.calledOff.throwIfAborted();
  const verified =
    row.state === 'VERIFIED' ? row : await recorded(parts, row, () => parts.ledger.move(row, { to: 'VERIFIED' }, now(parts)));
  pointOfNoReturn.calledOff.throwIfAborted();
  const saved = await save(parts, verified, await read(parts, call, verified, pointOfNoReturn));
  pointOfNoReturn.calledOff.throwIfAborted();
  return await settlePayment(parts, saved, pointOfNoReturn);
}

const now = ({ chainClock }: PaymentParts): number => chainClock.now();

/** What the ledger has stored, or why the call ends: it could not be reached, or another process holds the payment. */
async function recorded(
  { logger, times }: PaymentParts,
  { paymentId }: PaymentRow,
  store: () => Promise<PaymentRow | null>,
): Promise<PaymentRow> {
  let row: PaymentRow | null;
  try {
    row = await store();
  } catch (error) {
    logger.warn({ paymentId, error: (error as Error).message }, 'the payment ledger could not be written');
    throw new PaymentRefused('payment_ledger_unavailable', { retryAfterSeconds: times.leaseMs / 1000 });
  }
  if (row === null) throw inProgress(times.leaseMs);
  return row;
}

async function verify(parts: PaymentParts, row: PaymentRow): Promise<void> {
  const verification = await parts.facilitator!.verify(readSignedPayment(row.payload!));
  if (verification.kind === 'valid') return;
  const { kind, reason } = verification;
  parts.logger.info({ paymentId: row.paymentId, accountId: row.accountId, verification: kind, reason }, 'payment not verified');
  // Nothing has happened yet, so the row is deleted; one that stays ends with its lease.
  await parts.ledger.forget(row).catch(() => false);
  if (kind === 'unavailable') throw new PaymentRefused('payment_verification_unavailable', { retryAfterSeconds: VERIFY_AGAIN_SECONDS });
  throw new PaymentRefused(verification.expired ? 'payment_expired' : 'payment_authorization_invalid', { details: { reason } });
}

async function read(parts: PaymentParts, call: PaidCall, row: PaymentRow, pointOfNoReturn: PointOfNoReturn): Promise<string> {
  const { paymentId } = row;
  const limits = { clock: parts.clock, readMs: parts.times.readMs, calledOff: pointOfNoReturn.calledOff };
  const outcome = await readForPayment(call, limits, (error) =>
    parts.logger.error({ paymentId, tool: call.tool, error: (error as Error).message }, 'a paid read failed'),
  );
  if (outcome.kind === 'text') return outcome.text;
  if (outcome.kind === 'refused') {
    await parts.ledger.forget(row).catch(() => false);
    const { code, message, retryAfterSeconds } = outcome;
    throw new PaymentRefused(code, retryAfterSeconds === undefined ? {} : { retryAfterSeconds }, message);
  }
  if (outcome.kind === 'empty') {
    await end(parts, row, 'READ_EMPTY', null);
    throw new PaymentRefused('empty_result_not_chargeable');
  }
  await end(parts, row, 'READ_FAILED', outcome.code);
  throw new PaymentRefused(outcome.code);
}

/** Ends a row that is not billed. Nothing depends on its being stored: the worker forgets a verified row that is left. */
async function end(parts: PaymentParts, row: PaymentRow, to: NotBilled, cause: string | null): Promise<void> {
  const ended = await parts.ledger.move(row, { to, cause }, now(parts)).catch(() => null);
  if (ended !== null) await publishSoon(parts, ended);
}

async function save(parts: PaymentParts, row: PaymentRow, result: string): Promise<PaymentRow> {
  let saved: PaymentRow | null;
  try {
    saved = await parts.ledger.move(row, { to: 'RESULT_SAVED', result, resultHash: sha256(result) }, now(parts));
  } catch (error) {
    parts.logger.error({ paymentId: row.paymentId, error: (error as Error).message }, 'a paid result could not be saved');
    await end(parts, row, 'READ_FAILED', 'read_result_not_saved');
    throw new PaymentRefused('read_result_not_saved');
  }
  if (saved === null) throw inProgress(parts.times.leaseMs);
  return saved;
}
