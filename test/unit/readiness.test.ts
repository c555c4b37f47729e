import { expect, test } from 'vitest';
import type { Position } from '../../domain/ports/event-log.ts';
import type { Generation } from '../../domain/ports/generations.ts';
import { createReadiness } from '../../src/app/serving/readiness.ts';

const at = (number: number): Position => String(number).padStart(20, '0') as Position;

test('a process that reads lost history again is not ready, and then ready below its first head', async () => {
  const state = { checkpoint: at(200), doubt: null as string | null, head: at(200) };
  const live = () => ({
    projection: 'feed',
    state: 'live',
    checkpoint: state.checkpoint,
    pausedReason: null,
    pausedEvent: null,
  });
  const readiness = createReadiness({
    generations: { list: async () => [live() as unknown as Generation] },
    log: { head: async () => state.head },
    projections: [{ name: 'feed' }],
    headAtStart: at(200),
    history: { doubt: () => state.doubt },
    writesRefused: () => null,
    clock: { sleep: () => new Promise(() => undefined) },
    stopping: new AbortController().signal,
  });
  expect((await readiness()).status).toBe('ready');
  Object.assign(state, { checkpoint: at(100), doubt: 'catching up', head: at(110) });
  const { status, checks } = await readiness();
  expect(status).toBe('not ready');
  expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['history', 'projection feed']);
  Object.assign(state, { checkpoint: at(110), doubt: null });
  expect((await readiness()).status).toBe('ready');
});

test('a process that has not noticed the loss is ready once the read models have passed the shorter log', async () => {
  const live = { projection: 'feed', state: 'live', checkpoint: at(110), pausedReason: null, pausedEvent: null };
  const readiness = createReadiness({
    generations: { list: async () => [live as unknown as Generation] },
    log: { head: async () => at(110) },
    projections: [{ name: 'feed' }],
    headAtStart: at(200),
    history: { doubt: () => null },
    writesRefused: () => null,
    clock: { sleep: () => new Promise(() => undefined) },
    stopping: new AbortController().signal,
  });
  expect((await readiness()).status).toBe('ready');
});
