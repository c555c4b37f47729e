import type { Clock } from '../../domain/ports/clock.ts';

export interface RetryRules {
  /** Tries in all. */
  readonly attempts: number;
  readonly baseMilliseconds: number;
  readonly maxMilliseconds: number;
}

export const RETRY_RULES: RetryRules = { attempts: 6, baseMilliseconds: 500, maxMilliseconds: 30_000 };

/** The source asked for more patience than this; waiting longer is the next run's business. */
const MAX_RETRY_AFTER = 120_000;

/** Milliseconds that a `Retry-After` header asks for: whole seconds or a date; null when it is neither. */
export function retryAfterMilliseconds(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** A failure after which another try may succeed. */
export class Transient extends Error {
  override readonly name = 'Transient';
  readonly retryAfter: number | null;

  constructor(message: string, retryAfter: number | null = null) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** Tries again after a transient failure, waiting twice as long each time with jitter, and never less than the source asked for. */
export async function withRetries<Result>(
  work: () => Promise<Result>,
  rules: RetryRules,
  clock: Clock,
  random: () => number,
  signal?: AbortSignal,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Transient) || attempt >= rules.attempts) throw error;
      if (error.retryAfter !== null && error.retryAfter > MAX_RETRY_AFTER) throw error;
      const ceiling = Math.min(rules.maxMilliseconds, rules.baseMilliseconds * 2 ** (attempt - 1));
      await clock.sleep(Math.max(error.retryAfter ?? 0, ceiling / 2 + (random() * ceiling) / 2), signal);
    }
  }
}
