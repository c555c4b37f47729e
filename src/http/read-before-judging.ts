import type { Socket } from 'node:net';

/** For how long what keeps arriving is read on. */
const READING_MS = 1_000;

/**
 * Timers run before sockets are read: a process that was starved or suspended finds the time of its clients over who did speak in time, and
 * whose bytes the kernel has. Calls `judge` once a turn brings nothing more, or a second has passed; never when `arrived` says that what was
 * waited for is here, or the connection is gone.
 */
export const readBeforeJudging = (socket: Socket, arrived: () => boolean, judge: () => void): void => {
  let timeIsOver = false;
  const limit = setTimeout(() => (timeIsOver = true), READING_MS).unref();
  let read = socket.bytesRead;
  const look = (): void => {
    const isMore = socket.bytesRead > read;
    read = socket.bytesRead;
    const isHere = arrived();
    if (isMore && !isHere && !timeIsOver && !socket.destroyed) {
      setImmediate(look);
      return;
    }
    clearTimeout(limit);
    if (!isHere && !socket.destroyed) judge();
  };
  setImmediate(look);
};
