import { expect, test } from 'vitest';
import type { Transaction } from '../../domain/ports/database.ts';
import type { Position, StoredEvent, Subscribe } from '../../domain/ports/event-log.ts';
import type { FoldTarget, ProjectorDependencies } from '../../src/processors/projector/fold-batch.ts';
import { createSharedPasses } from '../../src/processors/projector/shared-passes.ts';
import { pickEvents } from '../../infra/system/log-subscription.ts';

const at = (place: number) => String(place).padStart(4, '0') as Position;
const eventOf = (type: string, place: number) =>
  ({ type, position: at(place), id: `id ${place}`, stream: 's', revision: place, data: '{}', metadata: '{}' }) as StoredEvent;

/** Yields a batch also where the signal aborts right before: a subscription does where both happen in one turn of the event loop. */
function passesOver(events: readonly StoredEvent[], beforeYield: () => void) {
  const subscribe = async function* ({ after, types, batchSize: limit, signal }: Subscribe) {
    let from = after;
    while (!signal.aborted) {
      const batch = pickEvents(
        events.filter(({ position }) => position > from),
        { after: from, limit, types: types! },
      );
      if (batch.scannedTo === from) return void (await new Promise((resolve) => signal.addEventListener('abort', resolve)));
      from = batch.scannedTo;
      beforeYield();
      yield batch;
    }
  };
  return createSharedPasses({
    log: { subscribe, distance: (one: Position, other: Position) => Number(other) - Number(one) },
    transactor: { transaction: (work: (transaction: Transaction) => unknown) => work({ execute: async () => undefined } as never) },
    generations: { advance: async () => true },
    leaseClock: { now: () => 0 },
    batchSize: 10,
  } as unknown as ProjectorDependencies);
}

test.each([
  ['handles other types', 'b', 1],
  ['is behind', 'a', 0],
])('no event is lost where a member that %s joins while a batch is on its way', async (_, type, from) => {
  const stopping = new AbortController();
  const folded: string[] = [];
  const targetOf = (name: string, handled: string): FoldTarget => ({
    projection: {
      name,
      handles: [handled],
      fold: async (batch: readonly StoredEvent[]) => void folded.push(...batch.map(({ position }) => `${name} ${Number(position)}`)),
    } as unknown as FoldTarget['projection'],
    lease: { generation: 1, owner: 'test', token: 1 },
    logId: null,
    skipped: new Set(),
  });
  const runs: Promise<unknown>[] = [];
  const join = (target: FoldTarget, place: number) =>
    runs.push(fold(target, at(place), stopping.signal, { alone: false }).catch((error: unknown) => error));
  let joins = (): void => {
    joins = () => undefined;
    join(targetOf('second', type), from);
  };
  const fold = passesOver([eventOf('a', 1), eventOf('b', 2), eventOf('a', 3)], () => joins());
  join(targetOf('first', 'a'), 1);
  await expect
    .poll(() => folded.toSorted(), { timeout: 2_000 })
    .toEqual(['first 3', ...(type === 'b' ? ['second 2'] : ['second 1', 'second 3'])]);
  stopping.abort(new Error('stopped'));
  await Promise.all(runs);
});
