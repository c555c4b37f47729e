import { expect, test } from 'vitest';
import { watchHistory } from '../../src/app/composition/open-history.ts';
import {
  type EventLog,
  HistorySetBack,
  type LogBatch,
  type Position,
  type SetBack,
  type StoredEvent,
} from '../../domain/ports/event-log.ts';

const at = (number: number): Position => String(number).padStart(20, '0') as Position;
const event = (number: number, id: string): StoredEvent => ({
  position: at(number),
  stream: 'topics-1',
  revision: number - 1,
  id,
  type: 'RecordPublished',
  schemaVersion: 1,
  data: '{}',
  metadata: '{}',
  time: number,
});

/** A log whose events the test replaces; its subscription returns the present events and then waits. */
function world() {
  const state = { events: [] as StoredEvent[], forgotten: 0, proves: false, setBacks: [] as SetBack[] };
  const batchAfter = (after: Position): LogBatch => {
    const events = state.events.filter(({ position }) => position > after);
    return { events, scannedTo: events.at(-1)?.position ?? after };
  };
  const log = {
    readStream: async (_stream: string, afterRevision: number, limit: number) =>
      state.events.filter(({ revision }) => revision > afterRevision).slice(0, limit),
    head: async () => state.events.at(-1)?.position ?? ('' as Position),
    async *subscribe({ after, signal }: { after: Position; signal: AbortSignal }) {
      yield batchAfter(after);
      if (state.proves) throw new HistorySetBack(at(1), 'a');
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    },
    forget: () => void (state.forgotten += 1),
  } as unknown as EventLog & { forget(): void };
  const watched = watchHistory(log, { now: () => 7 }, (each) => state.setBacks.push(each));
  const readIds = async (after: Position, signal: AbortSignal): Promise<readonly string[]> => {
    const ids: string[] = [];
    for await (const { events } of watched.log.subscribe({ after, batchSize: 10, signal })) {
      ids.push(...events.map(({ id }) => id));
      reached.resolve();
    }
    return ids;
  };
  const reached = Promise.withResolvers<void>();
  return {
    state,
    look: () => watched.check(),
    remember: (mark: StoredEvent) => watched.remember(mark),
    follow: readIds,
    reached: reached.promise,
  };
}

test.each([
  ['is shorter than it was', [event(1, 'a')]],
  ['has replaced the newest read event and grown past it', [event(1, 'a'), event(2, 'other'), event(3, 'more')]],
  ['is empty', []],
])('a log that %s ends its followers, clears its cache and is reported once', async (_, after) => {
  const { state, look, follow, reached } = world();
  state.events = [event(1, 'a'), event(2, 'b')];
  const following = follow(at(0), new AbortController().signal);
  await reached;
  await look();
  expect(state).toMatchObject({ forgotten: 0, setBacks: [] });
  state.events = after;
  await look();
  await expect(following).rejects.toBeInstanceOf(HistorySetBack);
  await look();
  expect(state).toMatchObject({
    forgotten: 1,
    setBacks: [{ held: at(2), head: after.at(-1)?.position ?? '', noticedAt: 7 }],
  });
});

test('a follower that is stopped ends without an error', async () => {
  const { state, follow, reached } = world();
  state.events = [event(1, 'a')];
  const stopping = new AbortController();
  const following = follow(at(0), stopping.signal);
  await reached;
  stopping.abort();
  expect(await following).toEqual(['a']);
});

test('a process without followers notices that the log has lost the event that it remembers', async () => {
  const { state, look, remember } = world();
  state.events = [event(1, 'a'), event(2, 'b')];
  for (const each of [event(2, 'b'), event(1, 'a')]) remember(each);
  await look();
  state.events = [event(1, 'a'), event(2, 'other'), event(3, 'more')];
  await look();
  await look();
  expect(state).toMatchObject({ forgotten: 1, setBacks: [{ held: at(2), head: at(3) }] });
});

test('a loss that a subscription finds is reported once, also if the log has later events', async () => {
  const { state, look, follow } = world();
  state.events = [event(1, 'other'), event(2, 'b')];
  state.proves = true;
  const stopping = new AbortController();
  await Promise.all([1, 2].map(() => expect(follow(at(0), stopping.signal)).rejects.toBeInstanceOf(HistorySetBack)));
  await expect.poll(() => state.forgotten).toBe(1);
  await look();
  expect(state).toMatchObject({ forgotten: 1, setBacks: [{ held: at(1), head: at(2), noticedAt: 7 }] });
});
