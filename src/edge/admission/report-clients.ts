import { LRUCache } from 'lru-cache';
import { derivedId } from '../../../domain/identifiers.ts';
import type { ClientCounts, ClientLimit } from '../../../domain/ports/report-stores.ts';
import { secondsUntil } from '../../../domain/plans.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { failClosed } from './admit.ts';

export type ReportClients = ReturnType<typeof createReportClients>;

const MAX_REFUSED = 10_000;

/**
 * Counts report requests per address before the key is looked up. An exhausted address is refused from memory until its
 * window ends, so a flood writes nothing.
 */
export function createReportClients(parts: {
  readonly counts: ClientCounts;
  readonly limit: ClientLimit;
  /** Receives the cause of a 503, for the log only. */
  readonly onFailure: (error: unknown) => void;
}) {
  const { counts, limit, onFailure } = parts;
  const refused = new LRUCache<string, number>({ max: MAX_REFUSED });
  const length = limit.seconds * 1000;
  return {
    /**
     * Counts a request. Throws `rate_limited`, or `authentication_unavailable` if it cannot be counted. `now` is clock
     * milliseconds.
     */
    async admit(operationId: string, address: string, now: number): Promise<void> {
      const client = derivedId('report client', operationId, address);
      const window = now - (now % length);
      if (refused.get(client) !== window) {
        const charge = await failClosed(onFailure, 'the limit of this address', () => counts.take(client, limit, now));
        if (charge === null) return;
      }
      refused.set(client, window);
      const retryAfterSeconds = secondsUntil(window + length, now);
      throw new Rejection('rate_limited', 'too many requests from this address; wait', { retryAfterSeconds });
    },
  };
}
