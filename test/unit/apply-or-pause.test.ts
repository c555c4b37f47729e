import { expect, test } from 'vitest';
import { applyOrPause, ProcessorPaused } from '../../src/processors/runtime/apply-or-pause.ts';
import { foldOrPause, type FoldTarget } from '../../src/processors/projector/fold-batch.ts';
import type { ProjectorDependencies } from '../../src/processors/projector/fold-batch.ts';
import { DatabaseUnavailable, DeadlineExceeded } from '../../domain/ports/database.ts';
import type { Position, StoredEvent } from '../../domain/ports/event-log.ts';
import { positionDistance, toPosition } from '../../infra/postgresql/log/log-position.ts';

const eventAt = (place: number): StoredEvent => ({
  position: toPosition(place),
  stream: 'topics-1',
  revision: place,
  id: String(place),
  type: 'RecordPublished',
  schemaVersion: 1,
  data: '{}',
  metadata: '{}',
  time: 0,
});
const BATCH = { events: Array.from({ length: 20 }, (_, index) => eventAt(index + 1)), scannedTo: toPosition(25) };

/** A store whose checkpoint moves only with the fold, and a fold that can fail; records the folded batches and the pauses. */
function world(refuse: (events: readonly StoredEvent[]) => Error | null) {
  const calls = {
    folded: [] as number[][],
    pauses: [] as number[],
    paused: [] as (string | null)[],
    warnings: [] as string[],
    checkpoint: toPosition(0),
  };
  const sleep = async (milliseconds: number) => {
    if (calls.pauses.push(milliseconds) > 1000) throw new Error('it tries the same for ever');
  };
  const transaction = { query: async () => ({ rows: [], count: 0 }) };
  const deps = {
    log: { distance: positionDistance },
    transactor: {
      transaction: async <Result>(work: (open: typeof transaction) => Promise<Result>) => {
        const before = calls.checkpoint;
        try {
          return await work(transaction);
        } catch (error) {
          calls.checkpoint = before;
          throw error;
        }
      },
    },
    generations: {
      advance: async (_: unknown, __: unknown, { from, to }: { from: Position; to: Position }) => {
        if (from !== calls.checkpoint) return false;
        calls.checkpoint = to;
        return true;
      },
      pause: async (_: unknown, __: string, eventId: string | null) => void calls.paused.push(eventId),
    },
    leaseClock: { now: () => 0, sleep },
    logger: {
      debug: () => undefined,
      info: () => undefined,
      warn: ({ error }: { error: string }) => void calls.warnings.push(error),
      error: () => undefined,
    },
  } as unknown as ProjectorDependencies;
  const projection = {
    name: 'folds',
    fold: async (events: readonly StoredEvent[]) => {
      const refused = refuse(events);
      if (refused !== null) throw refused;
      calls.folded.push(events.map(({ id }) => Number(id)));
    },
  };
  const target = {
    projection,
    lease: { generation: 1, owner: 'test', token: 1 },
    logId: null,
    skipped: new Set(),
  } as unknown as FoldTarget;
  return { seen: calls, run: () => foldOrPause(deps, target, toPosition(0), BATCH, new AbortController().signal) };
}
const ALL = BATCH.events.map(({ id }) => Number(id));

test('a batch that misses its deadline is folded in smaller pieces, each event once and in order', async () => {
  const { seen, run } = world(({ length }) => (length > 3 ? new DeadlineExceeded('too slow') : null));
  expect(await run()).toBe(BATCH.scannedTo);
  expect(seen.checkpoint).toBe(BATCH.scannedTo);
  expect(seen.folded.flat()).toEqual(ALL);
  expect(Math.max(...seen.folded.map(({ length }) => length))).toBeLessThanOrEqual(3);
});

test('a database that is down is retried with pauses of at most two seconds, in few pieces and log lines', async () => {
  let failures = 0;
  const { seen, run } = world(() => (++failures <= 30 ? new DatabaseUnavailable('gone') : null));
  expect(await run()).toBe(BATCH.scannedTo);
  expect(seen.folded.flat()).toEqual(ALL);
  expect(seen.folded.length).toBeLessThan(8);
  expect(seen.warnings).toEqual(['gone']);
  expect([seen.pauses[0], Math.max(...seen.pauses), seen.pauses.length]).toEqual([50, 2000, 30]);
});

test('a failed batch is halved until it pauses at the event that cannot be folded, after all before it', async () => {
  let failures = 0;
  const { seen, run } = world((events) => {
    if (++failures <= 2) return new DatabaseUnavailable('gone');
    return events.some(({ id }) => id === '9') ? new Error('this event cannot be folded') : null;
  });
  await expect(run()).rejects.toThrow('this event cannot be folded');
  expect(seen.paused).toEqual(['9']);
  expect(seen.folded.flat()).toEqual(ALL.slice(0, 8));
  expect(seen.checkpoint).toBe(toPosition(8));
});

test('a failing event is tried as often as its processor allows, and those before it are folded once', async () => {
  const applied: string[] = [];
  const paused: (string | null)[] = [];
  const quiet = () => undefined;
  const deps = {
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    leaseClock: { now: () => 0, sleep: async () => undefined },
  } as unknown as Parameters<typeof applyOrPause>[0];
  const processor = {
    name: 'tries',
    attempts: 3,
    maxDelayMs: 1,
    apply: async (_from: Position, { events }: { readonly events: readonly StoredEvent[] }) => {
      applied.push(events.length > 1 ? 'batch' : events[0]!.id);
      if (events.some(({ id }) => id === '3')) throw new Error('cannot');
    },
    pause: async (_reason: string, eventId: string | null) => void paused.push(eventId),
  };
  const applying = applyOrPause(deps, processor, toPosition(0), BATCH, new AbortController().signal);
  await expect(applying).rejects.toBeInstanceOf(ProcessorPaused);
  expect({ applied, paused }).toEqual({ applied: ['batch', '1', '2', '3', '3', '3'], paused: ['3'] });
});
