import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { onKeeperMessage, send } from './keeper-messages.ts';

const patience = { shutdown: 70_000, exit: 5_000, look: 5 };

/** Ends the use; as the last user, waits until the server has stopped and the keeper's process is gone. */
export async function leaveKeeper(socket: Socket, keeper: number): Promise<void> {
  const farewell = { last: false };
  onKeeperMessage(socket, (message) => {
    if (message.type === 'goodbye') farewell.last = message.last;
  });
  socket.ref();
  const timer = setTimeout(() => socket.destroy(), patience.shutdown);
  const closed = new Promise<void>((resolve) => (socket.closed ? resolve() : void socket.once('close', () => resolve())));
  send(socket, { type: 'bye' });
  await closed;
  clearTimeout(timer);
  const ended = performance.now();
  while (farewell.last && isAlive(keeper) && performance.now() - ended < patience.exit) await after(patience.look);
}

function isAlive(pid: number): boolean {
  try {
    // An ended process may stay as a zombie: as process 1, which inherits orphans, many programs in containers never reap.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
