import type { Socket } from 'node:net';

/** Who asks for the database: at most one service at a time, any number of commands. */
export type UserRole = 'service' | 'command';

/** Messages of a user to the keeper. */
export type UserMessage = { readonly type: 'hello'; readonly role: UserRole; readonly pid: number } | { readonly type: 'bye' };

/** Messages of the keeper to its users. */
export type KeeperMessage =
  | { readonly type: 'ready'; readonly url: string; readonly keeper: number; readonly warning?: string | undefined }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'restarted'; readonly reason: string }
  | { readonly type: 'lost'; readonly reason: string }
  | { readonly type: 'goodbye'; readonly last: boolean };

const longestMessage = 65_536;

/** Sends one message as one line of JSON; a connection that is gone takes it silently. */
export function send(socket: Socket, message: UserMessage | KeeperMessage): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`);
}

/** Calls `receive` for every message of a user; what is no message ends the connection. */
export function onUserMessage(socket: Socket, receive: (message: UserMessage) => void): void {
  onLine(socket, (line) => receive(JSON.parse(line) as UserMessage));
}

/** Calls `receive` for every message of the keeper; what is no message ends the connection. */
export function onKeeperMessage(socket: Socket, receive: (message: KeeperMessage) => void): void {
  onLine(socket, (line) => receive(JSON.parse(line) as KeeperMessage));
}

function onLine(socket: Socket, receive: (line: string) => void): void {
  let partial = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (partial + chunk).split('\n');
    partial = lines.pop() ?? '';
    try {
      if (partial.length > longestMessage) throw new RangeError('too long');
      for (const line of lines) receive(line);
    } catch {
      socket.destroy();
    }
  });
}
