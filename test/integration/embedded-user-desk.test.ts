import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KeeperMessage, UserRole } from '../../infra/embedded-postgresql/keeper-messages.ts';
import { onKeeperMessage, send } from '../../infra/embedded-postgresql/keeper-messages.ts';
import type { UserDesk } from '../../infra/embedded-postgresql/user-desk.ts';
import { openUserDesk } from '../../infra/embedded-postgresql/user-desk.ts';
import { temporaryFolder } from '../support/embedded-users.ts';

const ready = { type: 'ready', url: 'postgres://somewhere', keeper: 1 } as const;
let folder: string;
let desk: UserDesk;
let sockets: Socket[];

beforeEach(async () => {
  folder = temporaryFolder();
  sockets = [];
  desk = await openUserDesk(join(folder, 'keeper.sock'));
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  desk.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Comes to the desk; `next` waits for the next thing that it is told. */
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

test('who comes while the server is down is told its address only when it is up again', async () => {
  desk.tell(ready);
  await come('service').next();
  desk.withdrawReady();
  const late = come('command');
  // Refused after the late one was let in, which hears nothing of that.
  await come('service').next();
  desk.tell({ type: 'restarted', reason: 'killed' });
  desk.tell(ready);
  expect(await late.next()).toMatchObject({ type: 'restarted' });
  expect(await late.next()).toEqual(ready);
});

test('a service is refused while another one is there, and let in when that one has just gone', async () => {
  desk.tell(ready);
  const first = come('service');
  expect(await first.next()).toEqual(ready);
  expect(await come('service').next()).toMatchObject({ type: 'refused' });
  const third = come('service');
  // The desk has heard the third when a later one has its answer, and sees the first one go after that.
  await come('command').next();
  first.socket.destroy();
  expect(await third.next()).toEqual(ready);
});

test('who comes after the desk has closed is sent away without an answer, to come again', async () => {
  desk.tell(ready);
  const last = come('command');
  await last.next();
  const early = connect(join(folder, 'keeper.sock'));
  sockets.push(early);
  await new Promise((resolve) => early.once('connect', resolve));
  // The desk takes connections in their order, so the early one is in when a later one has its answer.
  await come('command').next();
  const deserted = desk.deserted();
  for (const socket of sockets) if (socket !== early) send(socket, { type: 'bye' });
  await deserted;
  expect(desk.closeIfDeserted()).toBe(true);
  const told: KeeperMessage[] = [];
  onKeeperMessage(early, (message) => told.push(message));
  send(early, { type: 'hello', role: 'command', pid: process.pid });
  await new Promise((resolve) => early.once('close', resolve));
  expect(told).toEqual([]);
});

test('the last to leave is told so and held until the end, and nobody else is', async () => {
  desk.tell(ready);
  const [one, two] = [come('command'), come('command')];
  await Promise.all([one.next(), two.next()]);
  send(one.socket, { type: 'bye' });
  expect([await one.next(), await one.next()]).toEqual([{ type: 'goodbye', last: false }, 'closed']);
  send(two.socket, { type: 'bye' });
  expect(await two.next()).toEqual({ type: 'goodbye', last: true });
  const closed = two.next();
  expect(await Promise.race([closed, desk.deserted().then(() => 'open')])).toBe('open');
  desk.end();
  expect(await closed).toBe('closed');
});

test('what is no message ends that connection and no other', async () => {
  desk.tell(ready);
  const good = come('command');
  await good.next();
  const bad = come('command');
  await bad.next();
  bad.socket.write('nonsense\n');
  expect(await bad.next()).toBe('closed');
  send(good.socket, { type: 'bye' });
  expect(await good.next()).toMatchObject({ type: 'goodbye' });
});
