import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import type { KeeperMessage, UserRole } from './keeper-messages.ts';
import { onUserMessage, send } from './keeper-messages.ts';

/** Processes that use the database: each holds one connection, which the kernel closes when the process dies. */
export interface ClientRegistry {
  /** Sends to every user; a `ready` also goes to later ones, until it is withdrawn. */
  broadcast(message: KeeperMessage): void;
  /** The server is down: new users wait for the next `ready`. */
  withdrawReady(): void;
  /** Resolves when the database has no users. */
  untilIdle(): Promise<void>;
  /** Refuses newcomers from now on, unless one has come in the meantime: then returns false and changes nothing. */
  closeIfIdle(): boolean;
  /** Ends all connections; the last user to leave waits for that. */
  end(): void;
}

interface User {
  readonly role: UserRole;
  readonly pid: number;
}

/** How long a first user may take to come, and how long a killed service's connection may take to be seen closed. */
const patience = { firstUser: 5_000, closing: 150 };

/** Opens the registry on a unix socket that only its owner can use. */
export async function openClientRegistry(socketPath: string): Promise<ClientRegistry> {
  const users = new Map<Socket, User>();
  const leavers = new Set<Socket>();
  const connections = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let opened = false;
  let closed = false;
  let greeting: KeeperMessage | undefined;

  const serviceOtherThan = (socket: Socket): User | undefined =>
    [...users].find(([other, user]) => other !== socket && user.role === 'service')?.[1];
  const noticeIdle = (): void => {
    if (opened && users.size === 0) waiting.splice(0).forEach((resolve) => resolve());
  };
  const depart = (socket: Socket): void => {
    leavers.delete(socket);
    connections.delete(socket);
    if (users.delete(socket)) noticeIdle();
  };
  const admit = async (socket: Socket, user: User): Promise<void> => {
    if (user.role === 'service' && serviceOtherThan(socket) !== undefined) await after(patience.closing);
    const rival = user.role === 'service' ? serviceOtherThan(socket) : undefined;
    if (rival !== undefined) {
      send(socket, { type: 'refused', reason: `a service already runs on this data directory (process ${rival.pid})` });
      socket.end();
      return;
    }
    if (socket.destroyed) return;
    // The server is being stopped: the user reconnects after the end of the connection, to the next keeper.
    if (closed) return void socket.destroy();
    users.set(socket, user);
    opened = true;
    for (const leaver of leavers) leaver.end();
    if (greeting !== undefined) send(socket, greeting);
  };
  const leave = (socket: Socket): void => {
    if (!users.delete(socket)) return;
    const last = users.size === 0;
    send(socket, { type: 'goodbye', last });
    if (last) leavers.add(socket);
    else socket.end();
    noticeIdle();
  };

  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => depart(socket));
    onUserMessage(socket, (message) => {
      if (message.type === 'hello') void admit(socket, message);
      else leave(socket);
    });
  });
  const mask = process.umask(0o177);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socketPath, resolve));
  process.umask(mask);
  const grace = setTimeout(() => {
    opened = true;
    noticeIdle();
  }, patience.firstUser);

  return {
    broadcast(message) {
      if (message.type === 'ready') greeting = message;
      for (const socket of users.keys()) send(socket, message);
    },
    withdrawReady() {
      greeting = undefined;
    },
    async untilIdle() {
      if (opened && users.size === 0) return;
      await new Promise<void>((resolve) => waiting.push(resolve));
    },
    closeIfIdle() {
      if (users.size > 0) return false;
      closed = true;
      server.close();
      return true;
    },
    end() {
      clearTimeout(grace);
      server.close();
      for (const socket of connections) socket.destroySoon();
    },
  };
}
