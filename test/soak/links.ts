import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { TcpProxy } from '../support/tcp-proxy.ts';

export interface LinkMessage {
  readonly call: 'server' | 'open' | 'cut' | 'stall' | 'flow' | 'slow' | 'halfOpen';
  /** Number of the link, from 0. */
  readonly link: number;
  readonly argument?: string | number;
}

/** A connection to the database that faults can disturb. */
export type Link = Omit<TcpProxy, 'goDown' | 'comeBack'>;

/** All proxies to the database, in a separate thread, so that a busy reader does not slow down others. */
export interface Links {
  /** The connection string of the server behind all of them; set before the first connection. */
  leadTo(url: string): void;
  open(): Promise<Link>;
  close(): Promise<void>;
}

export function openLinks(): Links {
  const thread = new Worker(new URL('links-thread.ts', import.meta.url));
  const send = (message: LinkMessage): void => thread.postMessage(message);
  let opened = 0;
  return {
    leadTo: (url) => send({ call: 'server', link: 0, argument: url }),
    async open() {
      const link = opened;
      opened += 1;
      // Links are opened one after the other, before any other request to the thread.
      const answered = once(thread, 'message');
      send({ call: 'open', link });
      const [port] = (await answered) as [number];
      return {
        port,
        cut: () => send({ call: 'cut', link }),
        stall: () => send({ call: 'stall', link }),
        flow: () => send({ call: 'flow', link }),
        slow: (milliseconds) => send({ call: 'slow', link, argument: milliseconds }),
        halfOpen: (side) => send({ call: 'halfOpen', link, argument: side }),
      };
    },
    close: async () => void (await thread.terminate()),
  };
}
