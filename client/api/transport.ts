import { CivicError, type ClientErrorCode } from './errors.ts';

export interface ClientSettings {
  /** Address of the service, such as `https://records.example.org`. */
  readonly baseUrl: string;
  /** An API key; public operations need none and are sent none. */
  readonly key?: string | undefined;
  /** Ends every request and pause of this client. */
  readonly signal?: AbortSignal | undefined;
  /** Further attempts of a request after 429, a status from 500 on, or no answer. Default: 5. */
  readonly retries?: number | undefined;
  /** The longest pause before an attempt, in milliseconds. A 429 that asks for a longer one is thrown. Default: 60,000. */
  readonly maxPauseMs?: number | undefined;
  /** How long an answer may take, in milliseconds. Default: 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Called before each pause. */
  readonly onRetry?: ((error: CivicError, pauseMs: number) => void) | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export interface CallOptions {
  /** Ends this call, beside the signal of the client. */
  readonly signal?: AbortSignal | undefined;
}

export interface SentRequest {
  readonly method: string;
  /** From the slash on, with the query. */
  readonly path: string;
  readonly withKey: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Transport {
  /**
   * The JSON of a success. Repeats a request whose answer is lost: no operation does harm when it runs twice (a second snapshot takes one more
   * export of the allowance). Throws `CivicError`, or the reason of a signal.
   */
  readonly send: (request: SentRequest, options?: CallOptions) => Promise<unknown>;
  /** Resolves after the time; rejects with the reason of a signal. */
  readonly pause: (milliseconds: number, options?: CallOptions) => Promise<void>;
}

const FIRST_PAUSE_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** Characters of an address that an error shows. */
const MAX_LOCATION = 500;

/** Throws `TypeError` for an address or a key that cannot be used. */
export function createTransport(settings: ClientSettings): Transport {
  const { retries = 5, maxPauseMs = 60_000, timeoutMs = 60_000, onRetry, fetch = globalThis.fetch } = settings;
  const baseUrl = usableAddress(settings.baseUrl);
  const authorization = settings.key === undefined ? undefined : `Bearer ${usableKey(settings.key)}`;
  const signalsOf = (options?: CallOptions): readonly AbortSignal[] =>
    [settings.signal, options?.signal].filter((signal) => signal !== undefined);

  async function once({ method, path, withKey, headers, body }: SentRequest, signals: readonly AbortSignal[]): Promise<unknown> {
    if (withKey && authorization === undefined) throw new TypeError(`${method} ${path} needs an API key: create the client with a key`);
    let response: Response;
    let text: string;
    try {
      response = await fetch(baseUrl + path, {
        method,
        headers: {
          accept: 'application/json',
          ...(withKey && authorization !== undefined ? { authorization } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // No operation answers with one; what it led to could read the request.
        redirect: 'manual',
        signal: AbortSignal.any([...signals, AbortSignal.timeout(timeoutMs)]),
      });
      text = await response.text();
    } catch (error) {
      for (const signal of signals) signal.throwIfAborted();
      const { message, cause } = error as Error & { readonly cause?: { readonly code?: string } };
      throw new CivicError('no_answer', `no answer from ${baseUrl} (${cause?.code ?? message})`, { cause: error });
    }
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) throw redirection(response, baseUrl, path);
    if (!response.ok) throw refusal(response, text);
    try {
      return JSON.parse(text);
    } catch {
      const type = response.headers.get('content-type') ?? '';
      // What claims to be JSON was cut off on its way and may arrive whole the next time.
      if (type.includes('json')) throw new CivicError('no_answer', `the answer from ${baseUrl} was cut off`);
      const remedy = type.includes('event-stream') ? 'a client of the tool protocol reads event streams' : `check the base URL ${baseUrl}`;
      throw new CivicError('not_json', `the answer is not JSON: ${remedy}`, { status: response.status });
    }
  }

  const pause: Transport['pause'] = (milliseconds, options) => pauseUnless(signalsOf(options), milliseconds);
  return {
    pause,
    async send(request, options) {
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await once(request, signalsOf(options));
        } catch (error) {
          if (!(error instanceof CivicError) || attempt >= retries || !mayPass(error)) throw error;
          const asked = error.retryAfterSeconds === null ? null : error.retryAfterSeconds * 1000;
          if (asked !== null && asked > maxPauseMs) throw error;
          const pauseMs = asked ?? Math.min(backoffMs(attempt), maxPauseMs);
          onRetry?.(error, pauseMs);
          await pause(pauseMs, options);
        }
      }
    },
  };
}

const mayPass = ({ code, status }: CivicError): boolean => code === 'no_answer' || status === 429 || status >= 500;

/** Between half of the doubling pause and all of it, so that clients which failed together do not return together. */
const backoffMs = (attempt: number): number => Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_BACKOFF_MS) * (0.5 + Math.random() / 2);

/** A timer of more milliseconds ends at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function pauseUnless(signals: readonly AbortSignal[], milliseconds: number): Promise<void> {
  const signal = AbortSignal.any([...signals]);
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', abort);
        resolve();
      },
      Math.min(milliseconds, MAX_TIMER_MS),
    );
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
}

function redirection({ status, headers }: Response, baseUrl: string, path: string): CivicError {
  // A browser does not show it.
  const to = headers.get('location')?.slice(0, MAX_LOCATION);
  const where = to === undefined ? 'elsewhere' : `to ${JSON.stringify(to)}`;
  const remedy = to?.endsWith(path)
    ? `if the service is there, use the base URL ${JSON.stringify(to.slice(0, -path.length))}`
    : 'check the base URL';
  return new CivicError('unknown', `the answer from ${baseUrl} leads ${where}, which is not followed: ${remedy}`, { status });
}

function refusal({ status, headers }: Response, text: string): CivicError {
  const { code = 'unknown', message = text.slice(0, 200), details } = envelopeOf(text);
  const wait = headers.get('retry-after');
  const retryAfterSeconds = wait === null ? null : secondsOf(wait);
  return new CivicError(code, message, { status, details, requestId: headers.get('x-request-id'), retryAfterSeconds });
}

interface Envelope {
  readonly code?: ClientErrorCode;
  readonly message?: string;
  readonly details?: unknown;
}

/** The error of a refusal. One of the tool protocol has a number as its code, and the code of the interface in its data. */
function envelopeOf(text: string): Envelope {
  try {
    const { error } = JSON.parse(text) as { readonly error?: Envelope & { readonly data?: { readonly code?: ClientErrorCode } } };
    if (error === undefined || typeof error.code === 'string') return error ?? {};
    return { ...error, code: error.data?.code ?? 'unknown' };
  } catch {
    return {};
  }
}

/** A proxy may send a date. */
function secondsOf(wait: string): number | null {
  const seconds = /^\d+$/.test(wait) ? Number(wait) : Math.ceil((Date.parse(wait) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

function usableAddress(text: string): string {
  if (!/^https?:$/.test(URL.canParse(text) ? new URL(text).protocol : '')) {
    throw new TypeError(`the base URL must be an address such as https://records.example.org, not ${JSON.stringify(text)}`);
  }
  return text.replace(/\/+$/, '');
}

/** The message does not contain the key. */
function usableKey(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new TypeError('the API key is empty or has a character that no key has, such as a line break');
  return text;
}
