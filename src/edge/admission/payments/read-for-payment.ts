import type { ToolErrorCode } from '../../../../contract/tools/tool-errors.ts';
import { MAX_TOOL_BYTES } from '../../../../contract/tools/tool.ts';
import type { Clock } from '../../../../domain/ports/clock.ts';
import { DeadlineExceeded } from '../../../../domain/ports/database.ts';
import { Rejection } from '../../../../domain/rejections.ts';
import { withinDeadline } from '../../../../domain/within-deadline.ts';
import type { PaidCall, ReadOutcome } from './payment-parts.ts';

export type ReadForPayment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'empty' }
  | Extract<ReadOutcome, { kind: 'refused' }>
  | { readonly kind: 'failed'; readonly code: Extract<ToolErrorCode, 'read_timeout' | 'read_failed' | 'read_result_too_large'> };

/** Reads what is to be sold, within its time and its bytes; never throws but when the call is called off. */
export async function readForPayment(
  { read }: Pick<PaidCall, 'read'>,
  { clock, readMs, calledOff }: { readonly clock: Clock; readonly readMs: number; readonly calledOff: AbortSignal },
  onFailure: (error: unknown) => void,
): Promise<ReadForPayment> {
  try {
    const outcome = await withinDeadline(clock, readMs, calledOff, (signal) => readOnce(read, signal, onFailure));
    calledOff.throwIfAborted();
    return outcome;
  } catch (error) {
    calledOff.throwIfAborted();
    if (error instanceof DeadlineExceeded) return { kind: 'failed', code: 'read_timeout' };
    throw error;
  }
}

async function readOnce(read: PaidCall['read'], signal: AbortSignal, onFailure: (error: unknown) => void): Promise<ReadForPayment> {
  try {
    const outcome = await read(signal);
    if (outcome.kind === 'empty' || outcome.kind === 'refused') return outcome;
    const fits = outcome.kind === 'data' && Buffer.byteLength(outcome.text) <= MAX_TOOL_BYTES;
    return fits ? { kind: 'text', text: outcome.text } : { kind: 'failed', code: 'read_result_too_large' };
  } catch (error) {
    if (error instanceof Rejection && error.code === 'response_too_large') return { kind: 'failed', code: 'read_result_too_large' };
    if (error instanceof DeadlineExceeded || (error instanceof Rejection && error.code === 'timeout')) {
      return { kind: 'failed', code: 'read_timeout' };
    }
    // The arguments were parsed before: only the cursor can be found wrong now.
    if (error instanceof Rejection && error.code === 'invalid_parameter') {
      return { kind: 'refused', code: 'invalid_cursor', message: error.message };
    }
    if (error instanceof Rejection && error.code === 'rate_limited') {
      const { code, message, retryAfterSeconds = 1 } = error;
      return { kind: 'refused', code, message, retryAfterSeconds };
    }
    // A failure after a cancellation is not reported.
    if (!signal.aborted) onFailure(error);
    return { kind: 'failed', code: 'read_failed' };
  }
}
