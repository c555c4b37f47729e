import type { Clock } from '../../../domain/ports/clock.ts';
import type { Position } from '../../../domain/ports/event-log.ts';
import type { Progress } from '../../../domain/ports/projection.ts';
import { NotYet } from '../../../domain/ports/reactors.ts';

const CATCH_UP_MS = 30_000;
/** Milliseconds between checks of the signal during a wait. */
const STOP_CHECK_MS = 1_000;

interface ReadModelWait {
  readonly progress: Progress;
  readonly clock: Clock;
  readonly readModels: readonly string[];
}

/**
 * Waits until the read models have caught up. Throws `NotYet`, which names the purpose, after half a minute, and the
 * reason of the signal.
 */
export async function untilCaughtUp(
  { progress, clock, readModels }: ReadModelWait,
  position: Position,
  purpose: string,
  signal: AbortSignal,
): Promise<void> {
  const deadline = clock.now() + CATCH_UP_MS;
  for (const name of readModels) {
    while (!(await progress.waitFor(name, position, clock.now() + STOP_CHECK_MS))) {
      signal.throwIfAborted();
      if (clock.now() >= deadline) throw new NotYet(`the read model ${name} lags too far behind to ${purpose}`);
    }
  }
}
