import { closeSync, openSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { descriptorsOf } from '../soak/descriptors.ts';
import { findingOf, type Life, memoryFailures } from '../soak/memory.ts';

/** Samples of a process: its kept and resident memory at each age. */
function life(seconds: number, at: (age: number) => Partial<Life['samples'][number] & { keptMb: number }>): Life {
  const ages = Array.from({ length: seconds / 2 }, (_, sample) => sample * 2);
  return {
    member: 'api-1',
    samples: ages.map((age) => ({ age, residentMb: 200, own: 50, taken: 20, lagMs: 20, ...at(age) })),
    kept: ages.filter((age) => age % 30 === 0).map((age) => ({ age, keptMb: at(age).keptMb ?? 50 })),
  };
}
const wrong = (one: Life) => memoryFailures([findingOf(one)]);

test.each([
  ['garbage that is collected', life(600, (age) => ({ residentMb: 200 + (age % 40) }))],
  ['a heap that grows in the first minutes', life(600, (age) => ({ residentMb: 150 + Math.min(150, age) }))],
  ['a heap that grows throughout a short life', life(200, (age) => ({ residentMb: 150 + age }))],
  ['memory that is loaded in the first minute', life(600, (age) => ({ keptMb: 30 + Math.min(30, age) }))],
  ['customers that keep more connections', life(600, (age) => ({ taken: 20 + age / 4 }))],
])('nothing is reported for %s', (_what, one) => {
  expect(wrong(one)).toEqual([]);
});

test.each([
  [
    'kept memory that grows, also in a short life',
    life(240, (age) => ({ keptMb: 50 + age / 8 })),
    'api-1 keeps 7.5 MB a minute more',
  ],
  [
    'resident memory that never stops growing',
    life(600, (age) => ({ residentMb: 150 + age / 8 })),
    'api-1 grew by 7.5 MB a minute',
  ],
  [
    'a process that is once too large',
    life(600, (age) => ({ residentMb: age === 30 ? 601 : 200 })),
    'api-1 took 601 MB',
  ],
  ['descriptors that are not closed', life(600, (age) => ({ own: Math.round(50 + age / 5) })), 'descriptors'],
  ['connections that grow without end', life(600, (age) => ({ taken: age })), 'api-1 held 598 connections'],
  ['an event loop that is blocked', life(600, (age) => ({ lagMs: age < 300 ? 20 : 400 })), 'the event loop of api-1'],
])('the finding is %s', (_what, one, message) => {
  expect(wrong(one)).toEqual([expect.stringContaining(message)]);
});

test('connections of others are distinguished from descriptors of the process itself', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const before = descriptorsOf(process.pid, new Set([port]));
  const accepted = new Promise((resolve) => server.once('connection', resolve));
  const [customer, file] = [connect({ port, host: '127.0.0.1' }), openSync('/dev/null', 'r')];
  await accepted;
  // Both the end of the customer and the end of the server are in this process.
  expect(descriptorsOf(process.pid, new Set([port]))).toEqual({ own: before.own + 2, taken: before.taken + 1 });
  customer.destroy();
  closeSync(file);
  await new Promise((resolve) => server.close(resolve));
});
