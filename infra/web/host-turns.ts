import type { Clock } from '../../domain/ports/clock.ts';
import { MINUTE_MS } from '../../domain/durations.ts';
import { SourceUnavailable } from '../../domain/ports/source-ports.ts';
import { Backoff } from '../../plumbing/retry.ts';
import { Transient } from '../system/transient.ts';

/** Pauses of a host after failures. */
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 15 * MINUTE_MS;
/** Longest `Retry-After` that is respected. */
const MAX_RETRY_AFTER_MS = 60 * MINUTE_MS;
/** Longest pause that a request waits for. */
const MAX_WAIT_MS = 2 * MINUTE_MS;
/** Maximum number of remembered hosts; above it, idle hosts are dropped. */
const MAX_HOSTS = 1_000;

interface Host {
  /** Resolves when the last request in the queue has ended. */
  last: Promise<void>;
  waiting: number;
  notBefore: number;
  readonly backoff: Backoff;
  /** The last failure; null after a success. */
  failure: string | null;
}

/**
 * Gives each host one request at a time, in the order of the calls, with a pause after each. A request that throws
 * `Transient` lengthens the pause of its host for all that wait. While the pause of a host is longer than two minutes,
 * requests to it throw `SourceUnavailable` at once.
 */
export class HostTurns {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #pauseMs: number;
  readonly #hosts = new Map<string, Host>();

  constructor(clock: Clock, random: () => number, pauseMs: number) {
    this.#clock = clock;
    this.#random = random;
    this.#pauseMs = pauseMs;
  }

  async take<Result>(name: string, signal: AbortSignal | undefined, request: () => Promise<Result>): Promise<Result> {
    const host = this.#hostOf(name);
    const previous = host.last;
    const { promise, resolve } = Promise.withResolvers<void>();
    host.last = promise;
    host.waiting += 1;
    try {
      await unlessAborted(previous, signal);
      await this.#waitForPause(name, host, signal);
      return await this.#run(host, request);
    } finally {
      host.waiting -= 1;
      // An aborted request leaves the queue early, but the next one still waits for the one before.
      void previous.then(resolve);
    }
  }

  async #waitForPause(name: string, host: Host, signal: AbortSignal | undefined): Promise<void> {
    const wait = host.notBefore - this.#clock.now();
    if (wait > MAX_WAIT_MS && host.failure !== null)
      throw new SourceUnavailable(`requests to ${name} are paused after its last failure: ${host.failure}`);
    if (wait > 0) await this.#clock.sleep(Math.min(wait, MAX_WAIT_MS), signal);
    signal?.throwIfAborted();
  }

  async #run<Result>(host: Host, request: () => Promise<Result>): Promise<Result> {
    let pause = this.#pauseMs;
    try {
      const result = await request();
      host.backoff.reset();
      host.failure = null;
      return result;
    } catch (error) {
      if (error instanceof Transient) {
        host.failure = error.message;
        const half = host.backoff.take() / 2;
        pause = Math.max(pause, half + this.#random() * half, Math.min(error.retryAfter, MAX_RETRY_AFTER_MS));
      }
      throw error;
    } finally {
      host.notBefore = this.#clock.now() + pause;
    }
  }

  #hostOf(name: string): Host {
    const earlier = this.#hosts.get(name);
    if (earlier !== undefined) return earlier;
    if (this.#hosts.size >= MAX_HOSTS) this.#forgetHostsAtRest();
    const backoff = new Backoff(FIRST_PAUSE_MS, MAX_PAUSE_MS);
    const host = { last: Promise.resolve(), waiting: 0, notBefore: 0, backoff, failure: null };
    this.#hosts.set(name, host);
    return host;
  }

  #forgetHostsAtRest(): void {
    const now = this.#clock.now();
    for (const [name, { waiting, notBefore }] of this.#hosts)
      if (waiting === 0 && notBefore <= now) this.#hosts.delete(name);
  }
}

/** Resolves with the promise, or rejects once the signal aborts. */
export async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
