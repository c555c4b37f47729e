import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { TcpProxy } from '../support/tcp-proxy.ts';

export interface LinkMessage {
  readonly call: 'server' | 'open' | 'cut' | 'stall' | 'flow' | 'slow' | 'halfOpen';
  /** Number of the link, from 0. */
  readonly link: number;
  readonly argument?: string | number;
}

/** A way to the database that faults can be done to. */
export type Link = Omit<TcpProxy, 'goDown' | 'comeBack'>;

/** All ways to the database, in a thread of their own: a reader that is busy must not slow down what passes between others. */
export interface Links {
  /** Where the server listens that all of them lead to, as a connection string; description before anything connects. */
  leadTo(url: string): void;
  open(): Promise<Link>;
  close(): Promise<void>;
}

export const openLinks = (): Links => {
  const thread = new Worker(new URL('links-thread.ts', import.meta.url));
  const send = (message: LinkMessage): void => thread.postMessage(message);
  let opened = 0;
  return {
    leadTo: (url) => send({ call: 'server', link: 0, argument: url }),
    async open() {
      const link = opened;
      opened += 1;
      // Links are opened one after the other, before anything else is asked of the thread.
      const answered = once(thread, 'message');
      send({ call: 'open', link });
      const [port] = (await answered) as [number];
      return {
        port,
        cut: () => send({ call: 'cut', link }),
        stall: () => send({ call: 'stall', link }),
        flow: () => send({ call: 'flow', link }),
        slow: (milliseconds) => send({ call: 'slow', link, argument: milliseconds }),
        halfOpen: (lost) => send({ call: 'halfOpen', link, argument: lost }),
      };
    },
    close: async () => void (await thread.terminate()),
  };
};
