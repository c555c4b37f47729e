import { expect, test } from 'vitest';
import { type JobPart, MAX_RUNNING_PARTS, partsOf } from '../../src/processors/runtime/jobs.ts';

const names = Array.from({ length: 3 * MAX_RUNNING_PARTS }, (_, n) => `part ${n}`);
const parts: readonly JobPart[] = names.map((lease) => ({ lease, run: async () => undefined }));

/** Parts that run until they are ended. */
function opened() {
  const stopping = new AbortController();
  const [started, endings, failures]: [string[], Map<string, (error?: Error) => void>, unknown[]] = [[], new Map(), []];
  const runPart = ({ lease }: JobPart) => {
    started.push(lease);
    return new Promise<void>((resolve, reject) =>
      endings.set(lease, (error) => (error === undefined ? resolve() : reject(error))),
    );
  };
  const job = partsOf(async () => parts, runPart, {
    failed: (error) => void failures.push(error),
    stopping: stopping.signal,
  });
  const end = async (lease: string, error?: Error) => {
    endings.get(lease)!(error);
    await new Promise(setImmediate);
  };
  return { job, started, failures, stopping, end };
}

test('of many parts a few run at a time, the others in their order as soon as one ends or fails, each once', async () => {
  const { job, started, failures, end } = opened();
  await job.run();
  await job.run();
  expect(started).toEqual(names.slice(0, MAX_RUNNING_PARTS));
  await end(names[1]!);
  await end(names[0]!, new Error('one failed'));
  expect(started).toEqual(names.slice(0, MAX_RUNNING_PARTS + 2));
  expect(failures).toHaveLength(1);
  for (const name of names.slice(2)) await end(name);
  await job.ended!();
  expect(started).toEqual(names);
  await job.run();
  expect(started.slice(names.length)).toEqual(names.slice(0, MAX_RUNNING_PARTS));
});

test('a part that waits when the process stops is not started', async () => {
  const { job, started, stopping, end } = opened();
  await job.run();
  expect(started).toHaveLength(MAX_RUNNING_PARTS);
  stopping.abort();
  for (const name of names.slice(0, MAX_RUNNING_PARTS)) await end(name);
  expect(started).toHaveLength(MAX_RUNNING_PARTS);
  await job.ended!();
});
