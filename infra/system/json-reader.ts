import type { Clock } from '../../domain/ports/clock.ts';
import { SourceUnavailable } from '../../domain/ports/source-ports.ts';
import { Backoff } from '../../plumbing/retry.ts';
import { AnswerTooLong, beginningOf, boundedChunks, timedFetch } from './bounded-fetch.ts';
import { limitByHost } from './host-limit.ts';
import { parseJsonInTurns } from './parse-json.ts';
import { ReadBudget } from './read-budget.ts';
import { reasonOf, retryAfterMilliseconds, Transient } from './transient.ts';

/**
 * Longest `Retry-After` that the reader waits for. The read fails after a longer one, and the next sync tries again.
 */
const MAX_RETRY_AFTER_MS = 120_000;
/** Maximum bytes read from the body of an error response. */
const MAX_REFUSAL_BYTES = 256 * 1024;
const DEFAULT_RETRIES = { attempts: 6, baseMilliseconds: 500, maxMilliseconds: 30_000 };

export interface JsonReaderOptions {
  readonly clock: Clock;
  /** Returns a number in [0, 1), which spreads the retries of several readers. */
  readonly random: () => number;
  /** Deadline for a complete response. Several seconds are normal. */
  readonly timeoutMilliseconds?: number;
  readonly maxBodyBytes?: number;
  /** `attempts` counts the first try. */
  readonly retries?: Readonly<typeof DEFAULT_RETRIES>;
  readonly signal?: AbortSignal | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A parameter that is added to every request and removed from every message. */
  readonly secret?: { readonly name: string; readonly value: string } | undefined;
}

/** Returned for status 404. */
export const NOT_FOUND = Symbol('not found');
/** Returned for status 410: the source has removed the resource. */
export const GONE = Symbol('gone');

/** Wraps the error that `refusalIn` returned, to tell it from a transient one. */
class Refused extends Error {
  override readonly name = 'Refused';
  readonly refusal: Error;

  constructor(refusal: Error) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

interface ReadMore {
  /** Query sent as the JSON body of a POST request. */
  readonly posted?: unknown;
  /** Budget of the list that the response belongs to. */
  readonly budget?: ReadBudget;
}

function requestInit(posted: unknown, headers: JsonReaderOptions['headers']): RequestInit {
  const accepted = { ...headers, accept: 'application/json' };
  if (posted === undefined) return { headers: accepted };
  return {
    method: 'POST',
    body: JSON.stringify(posted),
    headers: { ...accepted, 'content-type': 'application/json' },
  };
}

function addressWith(url: string, parameters: Readonly<Record<string, string>>): URL {
  const address = new URL(url);
  const search = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  if (search.length > 0) address.search = search.join('&');
  return address;
}

async function* countedChunks(
  response: Response,
  maxBodyBytes: number,
  budget: ReadBudget,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of boundedChunks(response, maxBodyBytes)) {
    budget.takeChunk(chunk);
    yield chunk;
  }
}

/**
 * Creates a function that reads JSON at an address, with retries. For a status other than 200, 404 and 410, `refusalIn`
 * returns an error if the body is a final refusal, else null.
 */
export function jsonReader(options: JsonReaderOptions, refusalIn: (text: string, status: number) => Error | null) {
  const { clock, random, signal, headers, secret } = options;
  const { timeoutMilliseconds = 60_000, maxBodyBytes = 32 * 1024 * 1024, retries = DEFAULT_RETRIES } = options;
  const fetchResponse = timedFetch(timeoutMilliseconds);

  async function fetchJson(address: URL, posted: unknown, budget: ReadBudget): Promise<unknown> {
    budget.beginAnswer();
    const response = await fetchResponse(address, { signal: signal ?? null, ...requestInit(posted, headers) });
    const { status } = response;
    if (status === 200) return parseJsonInTurns(countedChunks(response, maxBodyBytes, budget));
    if (status === 404 || status === 410) {
      await response.body?.cancel();
      return status === 404 ? NOT_FOUND : GONE;
    }
    const refusal = refusalIn(await beginningOf(response, MAX_REFUSAL_BYTES), status);
    if (refusal !== null) throw new Refused(refusal);
    if (status >= 500 || status === 429 || status === 408) {
      throw new Transient(`status ${status}`, retryAfterMilliseconds(response.headers.get('retry-after'), clock.now()));
    }
    throw new SourceUnavailable(`the source refused ${address.pathname} with status ${status}`);
  }

  function withoutSecret(message: string): string {
    if (secret === undefined) return message;
    return message.replaceAll(secret.value, '…').replaceAll(encodeURIComponent(secret.value), '…');
  }

  /** Maps an error of a request to a final one or to `Transient`. */
  function classifyError(error: unknown, address: URL): Error {
    if (error instanceof Refused) return error.refusal;
    if (error instanceof Transient || error instanceof SourceUnavailable) return error;
    if (error instanceof AnswerTooLong) return new SourceUnavailable(`${address.pathname}: ${error.message}`);
    if (error instanceof SyntaxError) return new Transient('the answer was cut or is no JSON');
    const isTimeout = error instanceof Error && error.name === 'TimeoutError';
    return new Transient(
      isTimeout ? `no whole answer within ${timeoutMilliseconds} ms` : withoutSecret(reasonOf(error)),
    );
  }

  async function tryOnce(address: URL, posted: unknown, budget: ReadBudget): Promise<unknown> {
    try {
      return await limitByHost(address.host, () => fetchJson(address, posted, budget));
    } catch (error) {
      signal?.throwIfAborted();
      throw classifyError(error, address);
    }
  }

  /** Retries transient failures after growing, jittered pauses, never sooner than the source allows. */
  return async (
    url: string,
    parameters: Readonly<Record<string, string>>,
    { posted, budget }: ReadMore = {},
  ): Promise<unknown> => {
    const address = addressWith(
      url,
      secret === undefined ? parameters : { ...parameters, [secret.name]: secret.value },
    );
    const readBudget = budget ?? new ReadBudget(`the answer at ${address.pathname}`, clock);
    const backoff = new Backoff(retries.baseMilliseconds, retries.maxMilliseconds);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await tryOnce(address, posted, readBudget);
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
