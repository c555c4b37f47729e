import type { ClientCounts } from '../../domain/ports/report-stores.ts';
import { secondsUntil } from '../../domain/plans.ts';
import type { WindowCounts } from '../../domain/ports/counts.ts';

/** Counts in windows of time as the database does, in this process alone. */
function windows() {
  const used = new Map<string, number>();
  return (name: string, limit: number, seconds: number, units: number, now: number) => {
    const length = seconds * 1000;
    const start = now - (now % length);
    const key = `${name} ${start}`;
    const before = used.get(key) ?? 0;
    return { room: before + units <= limit, before, end: start + length, take: () => used.set(key, before + units) };
  };
}

export function memoryWindowCounts(): WindowCounts {
  const at = windows();
  return {
    async take(accountId, buckets, units, now) {
      const counters = buckets.map((bucket) => ({
        bucket,
        ...at(`${accountId} ${bucket.name}`, bucket.limit, bucket.seconds, units, now),
      }));
      const [full] = counters.filter(({ room }) => !room).toSorted((one, other) => other.end - one.end);
      if (full !== undefined)
        return { kind: 'exhausted', bucket: full.bucket, retryAfterSeconds: secondsUntil(full.end, now) };
      for (const { take } of counters) take();
      const states = counters.map(({ bucket, before, end }) => ({
        bucket,
        remaining: bucket.limit - before - units,
        resetSeconds: secondsUntil(end, now),
      }));
      return { kind: 'taken', states };
    },
  };
}

export function memoryClientCounts(): ClientCounts {
  const at = windows();
  return {
    async take(client, { requests, seconds }, now) {
      const { room, end, take } = at(client, requests, seconds, 1, now);
      if (!room) return secondsUntil(end, now);
      take();
      return null;
    },
  };
}
