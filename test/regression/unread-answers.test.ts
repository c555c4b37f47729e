import { connect, type Socket } from 'node:net';
import Fastify from 'fastify';
import { afterEach, expect, test } from 'vitest';
import type { Principal } from '../../src/edge/admission/admit.ts';
import { UnreadAnswers } from '../../src/edge/http/unread-answers.ts';

const MEGABYTE = 1024 * 1024;
/** More than the kernel holds for one connection. */
const ANSWER_BYTES = 8 * MEGABYTE;
const MAX_BYTES = 20 * MEGABYTE;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function start() {
  const ended: string[] = [];
  const unread = new UnreadAnswers({ connectionRefused: (limit) => void ended.push(limit) }, MAX_BYTES);
  const app = Fastify();
  unread.bound(app);
  const arrived: (() => void)[] = [];
  app.get<{ Params: { account: string } }>('/:account', async (request) => {
    const { account } = request.params;
    request.principal = { accountId: account } as Principal;
    if (account === 'gone') await new Promise<void>((resolve) => arrived.push(resolve));
    return account === 'text' ? '\u20ac'.repeat(ANSWER_BYTES / 3) : Buffer.alloc(ANSWER_BYTES, 'a');
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  closing.push(() => app.close());
  const { port } = app.server.address() as { port: number };
  /** Asks, and reads no more once the answer has begun. */
  const ask = async (account: string): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1' });
    closing.push(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.write(`GET /${account} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await new Promise((resolve) => socket.once('readable', resolve));
    return socket;
  };
  return { ended, ask, arrived, port, unread, server: app.server };
}

/** Reads until the answer is whole, or its connection ends. */
const isReadWhole = (socket: Socket): Promise<boolean> =>
  new Promise((resolve) => {
    socket.on('close', () => resolve(false));
    socket.on('data', () => socket.bytesRead > ANSWER_BYTES && resolve(true));
  });

test('the account that holds most of what is unread loses its oldest answers, and others keep theirs', async () => {
  const { ended, ask } = await start();
  const slow = await ask('slow');
  const greedy: Socket[] = [];
  for (let requests = 0; requests < 8; requests += 1) greedy.push(await ask('greedy'));
  expect(ended.length).toBeGreaterThanOrEqual(5);
  expect(new Set(ended)).toEqual(new Set(['unread']));
  expect(await Promise.all([slow, greedy.at(-1)!, greedy[0]!].map(isReadWhole))).toEqual([true, true, false]);
});

test('a text counts as many bytes as it has', async () => {
  const { ended, ask } = await start();
  for (let requests = 0; requests < 4; requests += 1) await ask('text');
  expect(ended.length).toBeGreaterThanOrEqual(1);
});

test('an answer whose client left before its creation is not retained', async () => {
  const { ended, arrived, port, unread, server } = await start();
  const sockets = Array.from({ length: 4 }, () => connect({ port, host: '127.0.0.1' }));
  for (const socket of sockets) socket.write('GET /gone HTTP/1.1\r\nhost: x\r\n\r\n');
  await expect.poll(() => arrived.length, { timeout: 60_000 }).toBe(sockets.length);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(0);
  for (const make of arrived) make();
  await new Promise((resolve) => setImmediate(resolve));
  expect([unread.size, ended]).toEqual([0, []]);
});

test('answers that are read are not counted', async () => {
  const { ended, ask } = await start();
  for (let requests = 0; requests < 8; requests += 1) expect(await isReadWhole(await ask('reader'))).toBe(true);
  expect(ended).toEqual([]);
});
