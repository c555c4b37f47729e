import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { createLogger } from '../../infra/system/logging.ts';
import { processMemory, releasingMemory } from '../../src/serving/release-memory.ts';

const MB = 1_000_000;
const MODULE = new URL('../../src/serving/release-memory.ts', import.meta.url).href;

/** The memory of a process that a release shrinks to 110 MB; `looks` are megabytes and the share of time at work. */
async function releasesAt(looks: readonly (readonly [resident: number, utilization: number])[]): Promise<readonly number[]> {
  let look = 0;
  let resident = 0;
  const released: number[] = [];
  const memory = {
    resident: () => resident * MB,
    utilization: () => looks[look]![1],
    release: () => {
      released.push(look);
      resident = Math.min(resident, 110);
    },
  };
  const { run } = releasingMemory(memory, createLogger('silent', 'json'));
  for (; look < looks.length; look++) {
    [resident] = looks[look]!;
    await run();
  }
  return released;
}

test('memory is given back once after the start and after each growth, where the process is at rest', async () => {
  const [start, grown, little] = [
    [130, 0.01],
    [161, 0.01],
    [159, 0.01],
  ] as const;
  expect(await releasesAt([start, little, grown, little, grown])).toEqual([0, 2, 4]);
});

test('memory is not given back while the process is at work', async () => {
  expect(
    await releasesAt([
      [300, 0.1],
      [300, 0.9],
      [300, 0.09],
    ]),
  ).toEqual([2]);
});

test('memory that a release cannot give back is not released again', async () => {
  expect(
    await releasesAt([
      [300, 0],
      [110, 0],
      [159, 0],
      [105, 0],
      [156, 0],
    ]),
  ).toEqual([0, 4]);
});

test('a release gives back what a burst of work has left, and the share of time at work is that since the last look', () => {
  const program = `
    import { setTimeout } from 'node:timers/promises';
    const { processMemory } = await import(${JSON.stringify(MODULE)});
    const memory = processMemory();
    const work = () => { const kept = []; for (let i = 0; i < 3_000_000; i++) kept.push({ i, text: 'x' + i }); return kept.length; };
    // The loop counts its time from its first turn on.
    await setTimeout(1);
    memory.utilization();
    work();
    const busy = memory.utilization();
    globalThis.gc();
    memory.utilization();
    await setTimeout(500);
    const idle = memory.utilization();
    const before = memory.resident();
    memory.release();
    process.stdout.write(JSON.stringify({ busy, idle, before, after: memory.resident() }));`;
  const options = ['--max-semi-space-size=4', '--expose-gc', '--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8', timeout: 60_000 });
  const { busy, idle, before, after } = JSON.parse(stdout || stderr) as Record<string, number>;
  expect(busy).toBeGreaterThan(0.9);
  expect(idle).toBeLessThan(0.5);
  expect(before! - after!).toBeGreaterThan(50 * MB);
});

test('a process that was started without the option gives nothing back by itself', () => {
  expect([globalThis.gc, processMemory()]).toEqual([undefined, null]);
});
