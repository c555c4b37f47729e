import { Backoff, isTransient } from '../../../plumbing/retry.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { LogBatch, Position } from '../../../domain/ports/event-log.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import { LeaseLost } from '../../../plumbing/while-leased.ts';

/** The processor is paused at an event that it cannot apply, until an operator retries or skips it. */
export class ProcessorPaused extends Error {
  override readonly name = 'ProcessorPaused';
}

interface LeasedProcessor {
  readonly name: string;
  /**
   * Applies a batch and moves the checkpoint from `from` to its end. Throws `LeaseLost` if another process owns the
   * processor.
   */
  apply(from: Position, batch: LogBatch): Promise<void>;
  pause(reason: string, eventId: string | null): Promise<void>;
  /** Number of attempts at a failing event before the processor is paused. */
  readonly attempts: number;
  readonly maxDelayMs: number;
}

const FIRST_DELAY_MS = 50;

/**
 * Applies a batch and returns the new checkpoint. Retries in halves after a transient failure, without limit, because a
 * busy machine might not complete a batch before its deadline. Applies the batch event by event after another failure,
 * and pauses the processor at the event that fails, with everything before it committed. Throws `ProcessorPaused`,
 * `LeaseLost`, or the reason of the signal.
 */
export async function applyOrPause(
  { logger, leaseClock }: { readonly logger: Logger; readonly leaseClock: Clock },
  processor: LeasedProcessor,
  from: Position,
  batch: LogBatch,
  signal: AbortSignal,
): Promise<Position> {
  const pieces = [batch];
  let checkpoint = from;
  let failures = 0;
  const backoff = new Backoff(FIRST_DELAY_MS, processor.maxDelayMs);
  let logged = '';
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
    signal.throwIfAborted();
    try {
      await processor.apply(checkpoint, piece);
      checkpoint = piece.scannedTo;
      [failures, logged] = [0, ''];
      backoff.reset();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof LeaseLost) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      if (isTransient(error)) pieces.unshift(...inHalves(piece));
      else if (piece.events.length > 1) {
        pieces.unshift(...oneByOne(piece));
        continue;
      } else if ((failures += 1) === processor.attempts) {
        await pauseAt(processor, piece.events[0]?.id ?? null, reason, logger);
        throw new ProcessorPaused(reason);
      } else pieces.unshift(piece);
      // A repeated failure is logged once.
      if (reason !== logged)
        logger.warn({ processor: processor.name, error: reason }, 'a batch could not be applied and will be retried');
      logged = reason;
      await leaseClock.sleep(backoff.take(), signal);
    }
  }
  return checkpoint;
}

async function pauseAt(
  processor: LeasedProcessor,
  eventId: string | null,
  reason: string,
  logger: Logger,
): Promise<void> {
  await processor.pause(reason, eventId);
  logger.error({ processor: processor.name, eventId, reason }, 'processor paused at an event that it cannot apply');
}

function inHalves({ events, ...scanned }: LogBatch): readonly LogBatch[] {
  const half = Math.ceil(events.length / 2);
  const [first, others] = [events.slice(0, half), events.slice(half)];
  if (others.length === 0) return [{ events, ...scanned }];
  return [
    { events: first, scannedTo: first.at(-1)!.position },
    { events: others, ...scanned },
  ] as const;
}

const oneByOne = ({ events, ...scanned }: LogBatch): readonly LogBatch[] => [
  ...events.slice(0, -1).map((event) => ({ events: [event], scannedTo: event.position })),
  { events: events.slice(-1), ...scanned },
];
