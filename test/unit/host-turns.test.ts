import { describe, expect, test } from 'vitest';
import { SourceUnavailable } from '../../domain/ports/source-ports.ts';
import { HostTurns } from '../../infra/web/host-turns.ts';
import { Transient } from '../../infra/system/transient.ts';
import { sleepingClock } from '../support/web-site.ts';

const open = () => {
  const clock = sleepingClock();
  return { clock, turns: new HostTurns(clock, () => 1, 1_000) };
};
const refuse = (retryAfter = 0) => Promise.reject(new Transient('status 429', retryAfter));

describe('the turns of a host', () => {
  test('are independent of those of other hosts', async () => {
    const { clock, turns } = open();
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = turns.take('a.example.gov', undefined, () => promise);
    expect(await turns.take('b.example.gov', undefined, async () => 'b')).toBe('b');
    resolve();
    await first;
    expect(clock.sleeps).toEqual([]);
  });

  test('go on after a request that was aborted while it waited, and not before the running one has ended', async () => {
    const { turns } = open();
    const stopping = new AbortController();
    const running = Promise.withResolvers<void>();
    const order: string[] = [];
    const first = turns.take('a.example.gov', undefined, async () => {
      await running.promise;
      order.push('first');
    });
    const aborted = turns.take('a.example.gov', stopping.signal, async () => order.push('aborted'));
    const last = turns.take('a.example.gov', undefined, async () => order.push('last'));
    stopping.abort(new Error('stopping'));
    await expect(aborted).rejects.toThrow('stopping');
    expect(order).toEqual([]);
    running.resolve();
    await Promise.all([first, last]);
    expect(order).toEqual(['first', 'last']);
  });

  test('are further apart after each failure, up to a quarter of an hour, and as before after a success', async () => {
    const { clock, turns } = open();
    const pauses: number[] = [];
    for (let failure = 1; failure <= 12; failure += 1) {
      const before = clock.now();
      let ended = false;
      while (!ended) {
        const outcome = await turns.take('a.example.gov', undefined, () => refuse()).catch((error: unknown) => error);
        ended = outcome instanceof Transient;
        if (outcome instanceof SourceUnavailable) clock.move(1_000);
      }
      pauses.push(clock.now() - before);
    }
    expect(pauses.slice(0, 4)).toEqual([0, 2_000, 4_000, 8_000]);
    expect(pauses.slice(-2)).toEqual([900_000, 900_000]);
    clock.move(900_000);
    await turns.take('a.example.gov', undefined, async () => null);
    clock.sleeps.length = 0;
    await turns.take('a.example.gov', undefined, async () => null);
    expect(clock.sleeps).toEqual([1_000]);
  });

  test('respect a Retry-After of an hour at most', async () => {
    const { clock, turns } = open();
    await expect(turns.take('a.example.gov', undefined, () => refuse(86_400_000))).rejects.toThrow('status 429');
    clock.move(59 * 60_000 - 120_001 + 60_000);
    await expect(turns.take('a.example.gov', undefined, async () => null)).rejects.toThrow(
      'requests to a.example.gov are paused after its last failure: status 429',
    );
    clock.move(1);
    await turns.take('a.example.gov', undefined, async () => null);
    expect(clock.sleeps).toEqual([120_000]);
  });
});
