import { connect, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import type { Conversation } from './conversation.ts';
import { readAnswers } from './read-answers.ts';

/** The result of a conversation. */
export interface Outcome {
  readonly received: Buffer;
  /**
   * `refused`: no connection; `ended`, `cut`: by the server, in order or by a reset; `left`: by this client, which had what it waited for or
   * wanted nothing; `unanswered`: by this client, which had waited long enough for an answer or for the end of the connection.
   */
  readonly how: 'refused' | 'ended' | 'cut' | 'left' | 'unanswered';
}

/** The limit for an answer; shorter than the server's own limit for a slow request. */
const PATIENCE_MS = 25_000;
/** The wait for an answer to a possibly incomplete request before it is half-closed; no check depends on it. */
const UNKNOWN_MS = 100;

/** The connections that a batch leaves open, unread. */
export class OpenConnections {
  readonly #sockets = new Set<Socket>();

  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }
}

/** Sends a conversation and receives the answers; a held connection is left open with `held`. */
export async function converse(
  port: number,
  { steps, end, methods }: Conversation,
  connections: OpenConnections,
): Promise<Outcome> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const chunks: Buffer[] = [];
  const received = (): Buffer => Buffer.concat(chunks);
  let error: NodeJS.ErrnoException | undefined;
  let isEnded = false;
  socket.on('error', (message: NodeJS.ErrnoException) => (error ??= message));
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  const connected = await Promise.race([
    new Promise<true>((resolve) => void socket.once('connect', () => resolve(true))),
    closed,
  ]);
  if (connected !== true) return { received: received(), how: 'refused' };

  if (end !== 'hold') socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const over = Promise.race([
    closed,
    new Promise<void>((resolve) => void socket.once('end', () => resolve(void (isEnded = true)))),
  ]);
  const isOver = (): boolean => isEnded || socket.destroyed;
  const byServer = (): Outcome => ({ received: received(), how: error === undefined ? 'ended' : 'cut' });
  for (const step of steps) {
    if (isOver()) break;
    if (typeof step === 'number') await Promise.race([after(step), over]);
    else await Promise.race([flushed(socket, step, end), over]);
  }
  if (end === 'hold') {
    connections.add(socket);
    return { received: received(), how: 'left' };
  }
  if (end === 'reset' || end === 'leave') {
    if (end === 'reset') socket.resetAndDestroy();
    else socket.destroy();
    await closed;
    return { received: received(), how: 'left' };
  }
  const due = end === 'answers' ? 1 : methods === null ? null : methods.length;
  await answered(
    socket,
    over,
    due === null ? () => chunks.length > 0 : () => countAnswers(received(), methods) >= due,
    due === null,
  );
  if (!isOver() && due !== null && countAnswers(received(), methods) < due) {
    socket.resetAndDestroy();
    return { received: received(), how: 'unanswered' };
  }
  if (end === 'read' && !isOver()) {
    socket.end();
    await within(over, PATIENCE_MS);
    if (!isOver()) {
      socket.resetAndDestroy();
      return { received: received(), how: 'unanswered' };
    }
  }
  const outcome: Outcome = isOver() ? byServer() : { received: received(), how: 'left' };
  socket.destroy();
  await closed;
  return outcome;
}

/** Waits until the kernel accepted the bytes, but not for a server that never reads. */
function flushed(socket: Socket, bytes: Buffer, end: Conversation['end']): Promise<void> {
  return new Promise((resolve) => {
    socket.write(bytes, () => resolve());
    if (end === 'hold') resolve();
  });
}

async function answered(
  socket: Socket,
  over: Promise<void>,
  satisfied: () => boolean,
  isUnknown: boolean,
): Promise<void> {
  const enough = new Promise<void>((resolve) => {
    const look = (): void => void (satisfied() && resolve());
    socket.on('data', look);
    look();
  });
  await within(Promise.race([enough, over]), isUnknown ? UNKNOWN_MS : PATIENCE_MS);
}

async function within(done: Promise<void>, milliseconds: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([done, after(milliseconds, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
}

/** Bytes that are not HTTP count as all answers: the checks report them. */
function countAnswers(received: Buffer, methods: readonly string[] | null): number {
  try {
    return readAnswers(received, methods).answers.length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
