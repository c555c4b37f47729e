import type { Clock } from '../../domain/ports/clock.ts';
import { SourceUnavailable } from '../../domain/ports/source-ports.ts';
import { Backoff } from '../../domain/retry.ts';
import { AnswerTooLong, boundedFetch } from './bounded-fetch.ts';

/** A longer wait is left to the next run. */
const MAX_RETRY_AFTER_MS = 120_000;

export interface JsonReaderOptions {
  readonly clock: Clock;
  /** In [0, 1); spreads the retries of several readers. */
  readonly random: () => number;
  /** Deadline of a complete answer; several seconds are normal. */
  readonly timeoutMilliseconds?: number;
  readonly maxBodyBytes?: number;
  /** `attempts` counts the first try. */
  readonly retries?: { readonly attempts: number; readonly baseMilliseconds: number; readonly maxMilliseconds: number };
  readonly signal?: AbortSignal | undefined;
}

export const NOT_FOUND = Symbol('not found');

/** `retryAfter`: milliseconds that the source asks for. */
class Transient extends Error {
  override readonly name = 'Transient';
  readonly retryAfter: number;

  constructor(message: string, retryAfter = 0) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** Milliseconds that a `Retry-After` header asks for: whole seconds or a date; 0 when it is neither. */
function retryAfterMilliseconds(header: string, now: number): number {
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  return Math.max(0, (Date.parse(header) || now) - now);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

/** Reads JSON at an address, with retries. `refusalIn` recognises a final refusal in the text of an answer with another status than 200 and 404. */
export function jsonReader(
  {
    clock,
    random,
    timeoutMilliseconds = 60_000,
    maxBodyBytes = 64 * 1024 * 1024,
    retries = { attempts: 6, baseMilliseconds: 500, maxMilliseconds: 30_000 },
    signal,
  }: JsonReaderOptions,
  refusalIn: (text: string) => Error | null,
) {
  const ask = boundedFetch({ maxBytes: maxBodyBytes, timeoutMs: timeoutMilliseconds });

  const once = async (address: URL, posted: unknown): Promise<unknown> => {
    const body =
      posted === undefined
        ? { headers: { accept: 'application/json' } }
        : { method: 'POST', body: JSON.stringify(posted), headers: { accept: 'application/json', 'content-type': 'application/json' } };
    let response: Response;
    let text: string;
    try {
      response = await ask(address, { signal: signal ?? null, ...body });
      text = new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer());
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof AnswerTooLong) throw new SourceUnavailable(`${address.pathname}: ${error.message}`);
      const isTimeout = error instanceof Error && error.name === 'TimeoutError';
      throw new Transient(isTimeout ? `no whole answer within ${timeoutMilliseconds} ms` : reasonOf(error));
    }
    const { status, headers } = response;
    if (status === 404) return NOT_FOUND;
    if (status === 200) {
      try {
        return JSON.parse(text);
      } catch {
        throw new Transient('the answer was cut or is no JSON');
      }
    }
    const refusal = refusalIn(text);
    if (refusal !== null) throw refusal;
    if (status >= 500 || status === 429 || status === 408) {
      throw new Transient(`status ${status}`, retryAfterMilliseconds(headers.get('retry-after') ?? '', clock.now()));
    }
    throw new SourceUnavailable(`the source refused ${address.pathname} with status ${status}`);
  };

  /**
   * Repeats after a transient failure with growing, jittered pauses, none shorter than the source asks for. `posted` is the JSON of a query
   * that a source takes by POST.
   */
  return async (url: string, parameters: Readonly<Record<string, string>>, posted?: unknown): Promise<unknown> => {
    const address = new URL(url);
    const search = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    if (search.length > 0) address.search = search.join('&');
    const backoff = new Backoff(retries.baseMilliseconds, retries.maxMilliseconds);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once(address, posted);
      } catch (error) {
        if (!(error instanceof Transient)) throw error;
        if (attempt >= retries.attempts || error.retryAfter > MAX_RETRY_AFTER_MS) {
          throw new SourceUnavailable(`the source could not be read at ${address.pathname}: ${error.message}`);
        }
        const pause = backoff.take() / 2;
        await clock.sleep(Math.max(error.retryAfter, pause + random() * pause), signal);
      }
    }
  };
}
