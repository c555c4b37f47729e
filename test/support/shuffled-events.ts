import type { StoredEvent } from '../../domain/ports/event-log.ts';
import { below } from './civic-records.ts';

export type Random = () => number;

export const one = <Value>(random: Random, values: readonly Value[]): Value => values[below(random, values.length)]!;

/** Folds events in batches of random size. */
export async function foldInBatches(
  random: Random,
  events: readonly StoredEvent[],
  fold: (batch: readonly StoredEvent[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < events.length; ) {
    const size = random() < 0.4 ? 1 : 1 + below(random, 25);
    await fold(events.slice(from, from + size));
    from += size;
  }
}

/** Returns the events in another order; the events of each stream keep theirs. */
export function shuffled(random: Random, events: readonly StoredEvent[]): readonly StoredEvent[] {
  const remaining = Map.groupBy(events, ({ stream }) => stream);
  const result: StoredEvent[] = [];
  while (remaining.size > 0) {
    const stream = one(random, [...remaining.keys()]);
    result.push(remaining.get(stream)!.shift()!);
    if (remaining.get(stream)!.length === 0) remaining.delete(stream);
  }
  return result;
}
