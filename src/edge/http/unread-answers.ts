import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { HttpMetrics } from '../metrics/http-metrics.ts';

/** Maximum bytes of unread answers of all accounts; a process needs about 300 MB in addition. */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024;
/** Smaller answers fit into the kernel's buffers. */
const SMALL_BYTES = 16_384;

interface Unread {
  readonly accountId: string;
  bytes: number;
}

/**
 * Bounds the memory of answers that clients do not read. The account with the most unread bytes loses its oldest
 * connections.
 */
export class UnreadAnswers {
  /** Unread answers, oldest first. */
  readonly #unread = new Map<ServerResponse, Unread>();
  readonly #metrics: Pick<HttpMetrics, 'connectionRefused'>;
  readonly #maxBytes: number;
  #total = 0;

  constructor(metrics: Pick<HttpMetrics, 'connectionRefused'>, maxBytes = MAX_UNREAD_BYTES) {
    this.#metrics = metrics;
    this.#maxBytes = maxBytes;
  }

  /** Number of counted answers. */
  get size(): number {
    return this.#unread.size;
  }

  /** Counts the complete answers of this scope until they are sent or their connections end. */
  bound(scope: FastifyInstance): void {
    scope.addHook('onSend', ({ principal }, { raw }, payload, done) => {
      const isSmall = !(typeof payload === 'string' || Buffer.isBuffer(payload)) || payload.length <= SMALL_BYTES;
      // After a disconnect nothing is sent, and no event follows.
      if (isSmall || principal === undefined || raw.destroyed) return done(null, payload);
      // A Buffer, because a socket counts a text in characters instead of bytes.
      const body = Buffer.isBuffer(payload) ? payload : Buffer.from(payload);
      this.#hold(raw, { accountId: principal.accountId, bytes: body.length });
      done(null, body);
    });
  }

  #hold(answer: ServerResponse, entry: Unread): void {
    this.#unread.set(answer, entry);
    this.#total += entry.bytes;
    answer.on('close', () => {
      if (this.#unread.delete(answer)) this.#total -= entry.bytes;
    });
    if (this.#total <= this.#maxBytes) return;
    this.#measure();
    while (this.#total > this.#maxBytes) this.#end(this.#findLargest());
  }

  /** Subtracts the bytes that clients have read since. */
  #measure(): void {
    for (const [{ writableEnded, socket }, entry] of this.#unread) {
      const bytes = writableEnded ? (socket?.writableLength ?? 0) : entry.bytes;
      this.#total += bytes - entry.bytes;
      entry.bytes = bytes;
    }
  }

  /** Returns the account with the most unread bytes. */
  #findLargest(): string {
    const sums = new Map<string, number>();
    for (const { accountId, bytes } of this.#unread.values()) sums.set(accountId, (sums.get(accountId) ?? 0) + bytes);
    return [...sums].reduce((most, next) => (next[1] > most[1] ? next : most))[0];
  }

  #end(accountId: string): void {
    const [answer, { bytes }] = [...this.#unread].find(
      ([, entry]) => entry.accountId === accountId && entry.bytes > 0,
    )!;
    this.#unread.delete(answer);
    this.#total -= bytes;
    this.#metrics.connectionRefused('unread');
    answer.destroy();
  }
}
