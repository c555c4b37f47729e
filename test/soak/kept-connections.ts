import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** The message that fetch publishes when it sends a request. */
interface SentMessage {
  readonly request: { readonly path: string };
  readonly socket: object;
}

/** Counts the connections of the customers of this process, to detect a run with one connection per request. */
export class KeptConnections {
  requests = 0;
  opened = 0;
  readonly #seen = new WeakSet<object>();
  readonly #look = (message: unknown): void => {
    const { request, socket } = message as SentMessage;
    if (!request.path.startsWith('/api/')) return;
    this.requests += 1;
    if (this.#seen.has(socket)) return;
    this.#seen.add(socket);
    this.opened += 1;
  };

  watch(): void {
    subscribe('undici:client:sendHeaders', this.#look);
  }

  stop(): void {
    unsubscribe('undici:client:sendHeaders', this.#look);
  }
}
