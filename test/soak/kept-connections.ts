import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** What fetch tells when it sends a request. */
interface Sent {
  readonly request: { readonly path: string };
  readonly socket: object;
}

/** On how many connections the customers of this process asked, so that a run in which each question has its own is seen. */
export class KeptConnections {
  requests = 0;
  opened = 0;
  readonly #seen = new WeakSet<object>();
  readonly #look = (message: unknown): void => {
    const { request, socket } = message as Sent;
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
