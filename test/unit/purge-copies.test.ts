import { expect, test } from 'vitest';
import type { Position, StoredEvent } from '../../domain/ports/event-log.ts';
import { NotYet } from '../../domain/ports/reactors.ts';
import { createErasureReactor } from '../../src/processors/reactors/erasures/purge-copies.ts';

const ID = '0190a1b2-0000-7000-8000-000000000001';
const erasure: StoredEvent = {
  position: '0000000000000007' as Position,
  stream: 'erasures-civic',
  revision: 0,
  id: ID,
  type: 'ContentErased',
  schemaVersion: 1,
  data: JSON.stringify({
    reason: 'other',
    by: 'a',
    replacements: ['x'],
    streams: ['topics-1', 'report-2'].map((stream) => ({
      stream,
      events: [{ id: ID, revision: 0, texts: [{ path: ['title'], keep: [0, 0], with: 0 }] }],
    })),
  }),
  metadata: '{"commandId":"c"}',
  time: 0,
};

function world() {
  const messages: unknown[] = [];
  const now = { clock: 0, chain: 100, passed: new Set(['one', 'two']), left: 0, lost: false };
  const reactor = createErasureReactor({
    copies: {
      clear: async (streams, until) => {
        messages.push([streams, until]);
        return now.left;
      },
      reclaim: async () => undefined,
    },
    progress: { waitFor: async (name, position) => position <= erasure.position && now.passed.has(name) },
    clock: { now: () => now.clock },
    chainClock: { now: () => now.chain },
    readModels: ['one', 'two'],
  });
  const handle = reactor.begin();
  const signal = new AbortController().signal;
  const confirm = async () => {
    if (now.lost) throw new Error('lost');
  };
  return { said: messages, now, look: () => handle([erasure], { signal, confirm }) };
}

test('nothing is deleted before every read model has passed the erasure', async () => {
  const { said, now, look } = world();
  now.passed.delete('two');
  await expect(look()).rejects.toThrow(NotYet);
  expect(said).toEqual([]);
  now.passed.add('two');
  await look();
  expect(said).toEqual([[['topics-1', 'report-2'], 100]]);
});

test('while paid calls run it retries, and deletes only results saved before the read models passed', async () => {
  const { said, now, look } = world();
  now.left = 1;
  await expect(look()).rejects.toThrow(NotYet);
  now.chain = 200;
  now.left = 0;
  await look();
  expect(said).toEqual([
    [['topics-1', 'report-2'], 100],
    [['topics-1', 'report-2'], 100],
  ]);
});

test('a process without the lease deletes nothing', async () => {
  const { said, now, look } = world();
  now.lost = true;
  await expect(look()).rejects.toThrow('lost');
  expect(said).toEqual([]);
});
