import type { Clock } from '../../../domain/ports/clock.ts';
import type { Logger } from '../../../domain/ports/logger.ts';

export interface Repetition {
  readonly what: string;
  readonly everyMs: number;
  readonly run: () => Promise<void>;
}

/** Repeats work until the signal aborts; logs failures. Resolves when the last run has ended. */
export async function repeat(clock: Clock, logger: Logger, signal: AbortSignal, { what, everyMs, run }: Repetition): Promise<void> {
  while (!signal.aborted) {
    try {
      await run();
    } catch (error) {
      if (!signal.aborted) logger.warn({ error: (error as Error).message }, `${what} failed; it will be tried again`);
    }
    await clock.sleep(everyMs, signal).catch(() => undefined);
  }
}
