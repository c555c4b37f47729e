import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KeeperMessage, UserRole } from '../../infra/embedded-postgresql/keeper-messages.ts';
import { onKeeperMessage, send } from '../../infra/embedded-postgresql/keeper-messages.ts';
import type { ClientRegistry } from '../../infra/embedded-postgresql/client-registry.ts';
import { openClientRegistry } from '../../infra/embedded-postgresql/client-registry.ts';
import { temporaryFolder } from '../support/embedded-users.ts';

const ready = { type: 'ready', url: 'postgres://somewhere', keeper: 1 } as const;
let folder: string;
let registry: ClientRegistry;
let sockets: Socket[];

beforeEach(async () => {
  folder = temporaryFolder();
  sockets = [];
  registry = await openClientRegistry(join(folder, 'keeper.sock'));
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  registry.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Connects to the registry; `next` waits for the next message. */
function come(role: UserRole): { readonly socket: Socket; next(): Promise<KeeperMessage | 'closed'> } {
  const socket = connect(join(folder, 'keeper.sock'));
  sockets.push(socket);
  const told: (KeeperMessage | 'closed')[] = [];
  const waiting: ((message: KeeperMessage | 'closed') => void)[] = [];
  const hear = (message: KeeperMessage | 'closed'): void => {
    const resolve = waiting.shift();
    if (resolve === undefined) told.push(message);
    else resolve(message);
  };
  onKeeperMessage(socket, hear);
  socket.once('close', () => hear('closed'));
  send(socket, { type: 'hello', role, pid: process.pid });
  return { socket, next: async () => told.shift() ?? new Promise((resolve) => waiting.push(resolve)) };
}

test('a client that connects while the server is down gets its address when it is up again', async () => {
  registry.broadcast(ready);
  await come('service').next();
  registry.withdrawReady();
  const late = come('command');
  // Refused after the late one was accepted, which is not informed of it.
  await come('service').next();
  registry.broadcast({ type: 'restarted', reason: 'killed' });
  registry.broadcast(ready);
  expect(await late.next()).toMatchObject({ type: 'restarted' });
  expect(await late.next()).toEqual(ready);
});

test('a service is refused while another one is connected, and accepted when it has left', async () => {
  registry.broadcast(ready);
  const first = come('service');
  expect(await first.next()).toEqual(ready);
  expect(await come('service').next()).toMatchObject({ type: 'refused' });
  const third = come('service');
  // The registry has accepted the third when a later one has its answer; then the first one leaves.
  await come('command').next();
  first.socket.destroy();
  expect(await third.next()).toEqual(ready);
});

test('a client that connects after the registry has closed gets no answer and retries', async () => {
  registry.broadcast(ready);
  const last = come('command');
  await last.next();
  const early = connect(join(folder, 'keeper.sock'));
  sockets.push(early);
  await new Promise((resolve) => early.once('connect', resolve));
  // The registry accepts connections in order: the early one is accepted when a later one has its answer.
  await come('command').next();
  const idle = registry.untilIdle();
  for (const socket of sockets) if (socket !== early) send(socket, { type: 'bye' });
  await idle;
  expect(registry.closeIfIdle()).toBe(true);
  const told: KeeperMessage[] = [];
  onKeeperMessage(early, (message) => told.push(message));
  send(early, { type: 'hello', role: 'command', pid: process.pid });
  await new Promise((resolve) => early.once('close', resolve));
  expect(told).toEqual([]);
});

test('only the last client to leave is informed of it, and it waits for the end of the server', async () => {
  registry.broadcast(ready);
  const [one, two] = [come('command'), come('command')];
  await Promise.all([one.next(), two.next()]);
  send(one.socket, { type: 'bye' });
  expect([await one.next(), await one.next()]).toEqual([{ type: 'goodbye', last: false }, 'closed']);
  send(two.socket, { type: 'bye' });
  expect(await two.next()).toEqual({ type: 'goodbye', last: true });
  const closed = two.next();
  expect(await Promise.race([closed, registry.untilIdle().then(() => 'open')])).toBe('open');
  registry.end();
  expect(await closed).toBe('closed');
});

test('an invalid message ends its connection and no other', async () => {
  registry.broadcast(ready);
  const good = come('command');
  await good.next();
  const bad = come('command');
  await bad.next();
  bad.socket.write('nonsense\n');
  expect(await bad.next()).toBe('closed');
  send(good.socket, { type: 'bye' });
  expect(await good.next()).toMatchObject({ type: 'goodbye' });
});
