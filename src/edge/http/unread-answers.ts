import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { HttpMetrics } from '../metrics/http-metrics.ts';

/** Of all accounts together; a process needs about 300 MB beside them. */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024;
/** The kernel takes smaller answers off the process's hands. */
const SMALL_BYTES = 16_384;

interface Held {
  readonly accountId: string;
  bytes: number;
}

/** Bounds the memory of answers that their clients do not read: the account that holds most of it loses its oldest connections. */
export class UnreadAnswers {
  /** In the order in which they were made. */
  readonly #held = new Map<ServerResponse, Held>();
  readonly #metrics: Pick<HttpMetrics, 'connectionRefused'>;
  readonly #maxBytes: number;
  #total = 0;

  constructor(metrics: Pick<HttpMetrics, 'connectionRefused'>, maxBytes = MAX_UNREAD_BYTES) {
    this.#metrics = metrics;
    this.#maxBytes = maxBytes;
  }

  /** How many answers are counted. */
  get held(): number {
    return this.#held.size;
  }

  /** Counts the whole answers of the requests of this scope from now until they are sent or their connections end. */
  bound(scope: FastifyInstance): void {
    scope.addHook('onSend', ({ principal }, { raw }, payload, done) => {
      const isSmall = !(typeof payload === 'string' || Buffer.isBuffer(payload)) || payload.length <= SMALL_BYTES;
      // Of a client that has left, nothing is sent and no event follows.
      if (isSmall || principal === undefined || raw.destroyed) return done(null, payload);
      // A socket counts characters of a text.
      const body = Buffer.isBuffer(payload) ? payload : Buffer.from(payload);
      this.#hold(raw, { accountId: principal.accountId, bytes: body.length });
      done(null, body);
    });
  }

  #hold(answer: ServerResponse, held: Held): void {
    this.#held.set(answer, held);
    this.#total += held.bytes;
    answer.on('close', () => {
      if (this.#held.delete(answer)) this.#total -= held.bytes;
    });
    if (this.#total <= this.#maxBytes) return;
    this.#measure();
    while (this.#total > this.#maxBytes) this.#end(this.#greediest());
  }

  /** What clients have read since is free. */
  #measure(): void {
    for (const [{ writableEnded, socket }, held] of this.#held) {
      const bytes = writableEnded ? (socket?.writableLength ?? 0) : held.bytes;
      this.#total += bytes - held.bytes;
      held.bytes = bytes;
    }
  }

  /** The account that holds the most. */
  #greediest(): string {
    const sums = new Map<string, number>();
    for (const { accountId, bytes } of this.#held.values()) sums.set(accountId, (sums.get(accountId) ?? 0) + bytes);
    return [...sums].reduce((most, next) => (next[1] > most[1] ? next : most))[0];
  }

  #end(accountId: string): void {
    const [answer, { bytes }] = [...this.#held].find(([, held]) => held.accountId === accountId && held.bytes > 0)!;
    this.#held.delete(answer);
    this.#total -= bytes;
    this.#metrics.connectionRefused('unread');
    answer.destroy();
  }
}
