import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CliContext } from '../../src/cli/context.ts';
import { withoutProgress } from '../support/without-progress.ts';
import { countBytes, withProgress } from '../../src/cli/progress-bar.ts';
import { table } from '../../src/cli/table.ts';
import { screenOf } from '../support/terminal.ts';

const CLEAR = '\r\u001b[K';

function watched(terminal: { readonly TERM: string; readonly columns: number } | null) {
  const output: string[] = [];
  const stream = new Writable({ write: (text: Buffer, _, done) => (output.push(text.toString()), done()) });
  const stderr = Object.assign(stream, terminal === null ? {} : { isTTY: true, columns: terminal.columns });
  const context = { stderr, examination: { environment: { TERM: terminal?.TERM } } } as unknown as CliContext;
  return { context, written: output };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

describe('progress', () => {
  test.each([
    ['no terminal', null] as const,
    ['a terminal that cannot clear a line', { TERM: 'dumb', columns: 80 }] as const,
  ])('is a line every five seconds while it changes, on %s', async (_, terminal) => {
    const { context, written } = watched(terminal);
    await withProgress(context, 'events', async (bar) => {
      bar.update(0, 2000);
      await vi.advanceTimersByTimeAsync(4_900);
      expect(written).toEqual([]);
      bar.update(500);
      await vi.advanceTimersByTimeAsync(5_200);
      bar.update(1000);
      await vi.advanceTimersByTimeAsync(60_000);
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(written).toEqual(['25 % of 2,000 events, 5 s, 15 s left\n', '50 % of 2,000 events, 15 s, 15 s left\n']);
    expect(withoutProgress(`a warning\n${written.join('')}12 records, 1 min 5 s\n3.2 MB, 6 s\n`)).toBe('a warning\n');
  });

  test('of a mirror that follows the feed is one line for one change, in the singular', async () => {
    const { context, written } = watched(null);
    await withProgress(context, 'records', async (bar) => {
      for (let poll = 0; poll < 60; poll += 1) {
        bar.update(1);
        await vi.advanceTimersByTimeAsync(1000);
      }
    });
    expect(written).toEqual(['1 record, 5 s\n']);
    expect(withoutProgress(written.join(''))).toBe('');
  });

  test('is a bar on a terminal, narrower than it, and is gone at the end, also after a failure', async () => {
    const { context, written } = watched({ TERM: 'xterm', columns: 40 });
    const failing = withProgress(context, 'events', async (bar) => {
      await vi.advanceTimersByTimeAsync(200);
      bar.update(1500, 2000);
      throw new Error('the work failed');
    });
    await expect(failing).rejects.toThrow('the work failed');
    expect(written).toContain(`${CLEAR}[###############-----] 75 % of 2,000 ev`);
    expect(written.at(-1)).toBe(CLEAR);
    expect(screenOf(written.join(''))).toEqual(['']);
  });

  test('counts the bytes of a file against its size', async () => {
    const { context, written } = watched(null);
    const bytes = async function* () {
      for (const size of [1_000_000, 3_000_000]) {
        yield new Uint8Array(size);
        await vi.advanceTimersByTimeAsync(5_000);
      }
    };
    await withProgress(context, 'bytes', async (bar) => {
      for await (const _ of countBytes(bytes(), bar, 4_000_000));
    });
    expect(written[0]).toBe('25 % of 4.0 MB, 5 s, 15 s left\n');
    expect(written[1]).toMatch(/^100 % of 4\.0 MB, 10 s/);
  });
});

describe('a table', () => {
  const cells = [
    ['id', 'reason', 'owner'],
    ['0b7e2a44-5c0e', 'the log ended before its head', '-'],
    ['0b7e2a44-5c0f', '-', '-'],
  ];
  const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

  test('is one line for each row where it fits', () => {
    expect(table(cells, Infinity).split('\n')).toHaveLength(3);
    expect(table(cells, Infinity)).toContain('id             reason                         owner');
  });

  test('leaves out a column without values where that makes it fit', () => {
    const text = table(cells, 44);
    expect(widest(text)).toBeLessThanOrEqual(44);
    expect(text.split('\n')[0]).toBe('id             reason');
  });

  test('gives each value its own line where nothing else fits, and cuts no id', () => {
    expect(table(cells, 10)).toBe(
      'id      0b7e2a44-5c0e\nreason  the log ended before its head\n\nid      0b7e2a44-5c0f',
    );
  });
});
