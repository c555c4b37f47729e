import type { LogBatch, ReadAll } from '../../domain/ports/event-log.ts';
import type { FollowedReads } from './log-subscription.ts';

interface NewsSource {
  /** Called before a follower waits, to begin or resume reporting appends. */
  readonly onWait: () => void;
  /** Called when a follower has found events after a wait without a report. */
  readonly onMissed?: () => void;
}

/** Counts the reports of a store about appends, and wakes the followers that wait for one. */
export class AppendNews {
  readonly #waiters = new Set<() => void>();
  readonly #pollMs: number;
  readonly #source: NewsSource;
  #count = 0;

  constructor(pollMs: number, source: NewsSource) {
    this.#pollMs = pollMs;
    this.#source = source;
  }

  wake(): void {
    this.#count += 1;
    for (const wake of [...this.#waiters]) wake();
  }

  /** Returns the reads of one follower. */
  follow(read: (read: ReadAll) => Promise<LogBatch>): FollowedReads {
    let lastCount = 0;
    let wasSilent = false;
    return {
      read: async (question) => {
        lastCount = this.#count;
        const batch = await read(question);
        if (wasSilent && batch.scannedTo !== question.after) this.#source.onMissed?.();
        wasSilent = false;
        return batch;
      },
      untilGrown: async (signal) => {
        wasSilent = await this.#wait(lastCount, signal);
      },
    };
  }

  /** Waits until the count differs from `before` or the signal aborts. Returns true if the poll interval passes first. */
  async #wait(before: number, signal: AbortSignal): Promise<boolean> {
    if (this.#count !== before || signal.aborted) return false;
    this.#source.onWait();
    return await new Promise((resolve) => {
      const end = (isSilent: boolean): void => {
        clearTimeout(timer);
        this.#waiters.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve(isSilent);
      };
      const wake = (): void => end(false);
      const timer = setTimeout(end, this.#pollMs, true);
      this.#waiters.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}
