import type { ToolErrorCode } from '../../../../contract/tools/tool-errors.ts';
import { MAX_TOOL_BYTES } from '../../../../contract/tools/tool.ts';
import { readSignedPayment } from '../../../../domain/payments/payment.ts';
import { DeadlineExceeded } from '../../../../domain/ports/database.ts';
import type { PaymentRow } from '../../../../domain/ports/payment-ledger.ts';
import { Refusal } from '../../../../domain/rejections.ts';
import { withinDeadline } from '../../../../domain/retry.ts';
import { AGAIN_SECONDS, type PaymentAnswer, PaymentRefused } from './payment-answer.ts';
import { moved, type PaidCall, type PaymentParts, type PointOfNoReturn } from './payment-parts.ts';
import { sha256 } from './payment-payload.ts';
import { end, settlePayment } from './settle-payment.ts';

/** Processes a leased row from its state to its end; throws the refusal that answers the call, or the reason of a cancellation. */
export async function workOnPayment(
  parts: PaymentParts,
  call: PaidCall,
  row: PaymentRow,
  pointOfNoReturn: PointOfNoReturn,
): Promise<PaymentAnswer> {
  const { calledOff } = pointOfNoReturn;
  if (row.state === 'RESULT_SAVED') return await settlePayment(parts, row, pointOfNoReturn);
  await verify(parts, row);
  calledOff.throwIfAborted();
  const verified = row.state === 'VERIFIED' ? row : await moved(parts, row, { to: 'VERIFIED' });
  calledOff.throwIfAborted();
  const saved = await save(parts, verified, await read(parts, call, verified, calledOff));
  calledOff.throwIfAborted();
  return await settlePayment(parts, saved, pointOfNoReturn);
}

async function verify({ ledger, facilitator, logger }: PaymentParts, row: PaymentRow): Promise<void> {
  const verification = await facilitator!.verify(readSignedPayment(row.payload!));
  if (verification.kind === 'valid') return;
  const { kind, reason } = verification;
  logger.info({ paymentId: row.paymentId, accountId: row.accountId, verification: kind, reason }, 'payment not verified');
  // Nothing has happened yet, so the row is deleted; one that stays ends with its lease.
  await ledger.forget(row).catch(() => false);
  if (kind === 'unavailable') throw new PaymentRefused('payment_verification_unavailable', { retryAfterSeconds: AGAIN_SECONDS });
  throw new PaymentRefused(verification.expired ? 'payment_expired' : 'payment_authorization_invalid', { details: { reason } });
}

/** Reads the data to be sold, within its limits of time and size. Ends or deletes the row and throws the refusal where nothing can be sold. */
async function read(parts: PaymentParts, call: PaidCall, row: PaymentRow, calledOff: AbortSignal): Promise<string> {
  const { clock, times, logger, ledger } = parts;
  let refusal: PaymentRefused;
  try {
    const text = await withinDeadline(clock, times.readMs, calledOff, call.read);
    calledOff.throwIfAborted();
    if (Buffer.byteLength(text) <= MAX_TOOL_BYTES) return text;
    refusal = new PaymentRefused('read_result_too_large');
  } catch (error) {
    calledOff.throwIfAborted();
    refusal = refusalOfRead(error);
    if (refusal.code === 'read_failed') {
      logger.error({ paymentId: row.paymentId, tool: call.tool, error: (error as Error).message }, 'a paid read failed');
    }
  }
  const { code } = refusal;
  // The payment may be sent again for another request, or later.
  if (code === 'invalid_cursor' || code === 'rate_limited') await ledger.forget(row).catch(() => false);
  else if (code === 'empty_result_not_chargeable') await end(parts, row, { to: 'READ_EMPTY', cause: null });
  else await end(parts, row, { to: 'READ_FAILED', cause: code });
  throw refusal;
}

/** By the code of what a read throws. The arguments were parsed before: only the cursor can be found wrong now. */
const REFUSED: Readonly<Partial<Record<string, ToolErrorCode>>> = {
  empty_result_not_chargeable: 'empty_result_not_chargeable',
  response_too_large: 'read_result_too_large',
  timeout: 'read_timeout',
  invalid_parameter: 'invalid_cursor',
  rate_limited: 'rate_limited',
};

function refusalOfRead(error: unknown): PaymentRefused {
  if (error instanceof DeadlineExceeded) return new PaymentRefused('read_timeout');
  if (!(error instanceof Refusal)) return new PaymentRefused('read_failed');
  const { message, retryAfterSeconds = 1 } = error;
  const code = REFUSED[error.code] ?? 'read_failed';
  if (code === 'rate_limited') return new PaymentRefused(code, { retryAfterSeconds }, message);
  return code === 'invalid_cursor' ? new PaymentRefused(code, {}, message) : new PaymentRefused(code);
}

async function save(parts: PaymentParts, row: PaymentRow, result: string): Promise<PaymentRow> {
  const code = 'read_result_not_saved';
  try {
    return await moved(parts, row, { to: 'RESULT_SAVED', result, resultHash: sha256(result) }, () => new PaymentRefused(code));
  } catch (error) {
    if (error instanceof PaymentRefused && error.code === code) await end(parts, row, { to: 'READ_FAILED', cause: code });
    throw error;
  }
}
