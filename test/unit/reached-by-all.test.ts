import { expect, test } from 'vitest';
import type { Position } from '../../domain/ports/event-log.ts';
import type { Progress } from '../../domain/ports/projection.ts';
import { reachedByAll } from '../../src/app/composition.ts';

const at = { position: '7' as Position, deadline: 0 };

/** Read models that lag, and those that were requested. */
function progressBut(...lagging: readonly string[]) {
  const names: string[] = [];
  const progress: Progress = {
    waitFor: (name) => {
      names.push(name);
      return Promise.resolve(!lagging.includes(name));
    },
  };
  return { progress, asked: names };
}

test.each(['history', 'agenda', 'search'])('a position is not reached by all while %s lags', async (name) => {
  expect(await reachedByAll(progressBut(name).progress, ['history', 'agenda', 'search'], at)).toBe(false);
});

test('a position is reached by all when each read model has reached it', async () => {
  const { progress, asked } = progressBut();
  expect(await reachedByAll(progress, ['history', 'agenda', 'search'], at)).toBe(true);
  expect(asked).toEqual(['history', 'agenda', 'search']);
});

test('read models after one that lags are not checked', async () => {
  const { progress, asked } = progressBut('history');
  await reachedByAll(progress, ['history', 'agenda', 'search'], at);
  expect(asked).toEqual(['history']);
});
