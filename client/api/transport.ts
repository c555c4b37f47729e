import { CivicError, type ClientErrorCode } from './errors.ts';

export interface ClientSettings {
  /** Address of the service, such as `https://records.example.org`. */
  readonly baseUrl: string;
  /** API key. Public operations do not need it and do not send it. */
  readonly key?: string | undefined;
  /** Aborts every request and pause of this client. */
  readonly signal?: AbortSignal | undefined;
  /** Retries after 429, a status of 500 or above, or no response. Default: 5. */
  readonly retries?: number | undefined;
  /** Longest pause before a retry, in milliseconds. A 429 that requests a longer one is thrown; no pause is longer than a day. Default: 60,000. */
  readonly maxPauseMs?: number | undefined;
  /** Timeout of a response, in milliseconds. Default: 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Called before each pause. */
  readonly onRetry?: ((error: CivicError, pauseMs: number) => void) | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export interface CallOptions {
  /** Aborts this call, in addition to the signal of the client. */
  readonly signal?: AbortSignal | undefined;
}

interface SentRequest {
  readonly method: string;
  /** Path with its leading slash and the query. */
  readonly path: string;
  readonly withKey: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Transport {
  /**
   * Resolves to the JSON of a successful response. Repeats a request whose response was lost: no operation does harm if it runs twice (a second
   * snapshot uses one more export of the allowance). Throws `CivicError`, or the reason of an aborted signal.
   */
  readonly send: (request: SentRequest, options?: CallOptions) => Promise<unknown>;
  /** Resolves after the time; rejects with the reason of an aborted signal. */
  readonly pause: (milliseconds: number, options?: CallOptions) => Promise<void>;
}

const FIRST_PAUSE_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** Longest pause that a response can cause: after the longest period of an allowance, a retry succeeds. */
const LONGEST_PAUSE_MS = 86_400_000;
/** Maximum size of a decoded response, above the largest that a service can be configured to send. */
const MAX_RESPONSE_BYTES = 2 ** 27;
/** Maximum characters of an address in an error message. */
const MAX_LOCATION = 500;

/** Throws `TypeError` for an invalid address or key. */
export function createTransport(settings: ClientSettings): Transport {
  const { retries = 5, maxPauseMs = 60_000, timeoutMs = 60_000, onRetry, fetch = globalThis.fetch } = settings;
  const baseUrl = requireAddress(settings.baseUrl);
  const authorization = settings.key === undefined ? undefined : `Bearer ${requireKey(settings.key)}`;
  const signalsOf = (options?: CallOptions): readonly AbortSignal[] =>
    [settings.signal, options?.signal].filter((signal) => signal !== undefined);

  async function sendOnce(
    { method, path, withKey, headers, body }: SentRequest,
    signals: readonly AbortSignal[],
  ): Promise<unknown> {
    if (withKey && authorization === undefined)
      throw new TypeError(`${method} ${path} needs an API key: create the client with a key`);
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
        // No operation redirects, and the target could read the request.
        redirect: 'manual',
        signal: AbortSignal.any([...signals, AbortSignal.timeout(timeoutMs)]),
      });
      text = await readText(response, baseUrl);
    } catch (error) {
      if (error instanceof CivicError) throw error;
      for (const signal of signals) signal.throwIfAborted();
      const { message, cause } = error as Error & { readonly cause?: { readonly code?: string } };
      throw new CivicError('no_answer', `no answer from ${baseUrl} (${cause?.code ?? message})`, { cause: error });
    }
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400))
      throw createRedirectError(response, baseUrl, path);
    if (!response.ok) throw createResponseError(response, text);
    try {
      return JSON.parse(text);
    } catch {
      throw createParseError(response, baseUrl);
    }
  }

  const pause: Transport['pause'] = (milliseconds, options) => pauseUnless(signalsOf(options), milliseconds);
  return {
    pause,
    async send(request, options) {
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await sendOnce(request, signalsOf(options));
        } catch (error) {
          if (!(error instanceof CivicError) || attempt >= retries || !isTransient(error)) throw error;
          const requestedMs = error.retryAfterSeconds === null ? null : error.retryAfterSeconds * 1000;
          if (requestedMs !== null && requestedMs > maxPauseMs) throw error;
          const pauseMs = Math.min(requestedMs ?? Math.min(backoffMs(attempt), maxPauseMs), LONGEST_PAUSE_MS);
          onRetry?.(error, pauseMs);
          await pause(pauseMs, options);
        }
      }
    },
  };
}

/** Returns the error for a successful answer that does not parse as JSON. */
function createParseError({ headers, status }: Response, baseUrl: string): CivicError {
  const type = headers.get('content-type') ?? '';
  // A JSON response that does not parse was cut off; a retry might receive all of it.
  if (type.includes('json')) return new CivicError('no_answer', `the answer from ${baseUrl} was cut off`);
  const remedy = type.includes('event-stream')
    ? 'a client of the tool protocol reads event streams'
    : `check the base URL ${baseUrl}`;
  return new CivicError('not_json', `the answer is not JSON: ${remedy}`, { status });
}

const isTransient = ({ code, status }: CivicError): boolean => code === 'no_answer' || status === 429 || status >= 500;

/** Exponential backoff with jitter: clients that failed together do not retry together. */
const backoffMs = (attempt: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_BACKOFF_MS) * (0.5 + Math.random() / 2);

/** Longest timer that runtimes support; a longer one would fire immediately. */
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

/** Throws `CivicError` for a body that is larger than any answer of a service. */
async function readText(response: Response, baseUrl: string): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    bytes += part.value.byteLength;
    if (bytes > MAX_RESPONSE_BYTES) {
      const { status } = response;
      await reader?.cancel();
      throw new CivicError('unknown', `the answer from ${baseUrl} is over ${MAX_RESPONSE_BYTES} bytes`, { status });
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

function createRedirectError({ status, headers }: Response, baseUrl: string, path: string): CivicError {
  // Browsers hide the location.
  const to = headers.get('location')?.slice(0, MAX_LOCATION);
  const where = to === undefined ? 'elsewhere' : `to ${JSON.stringify(to)}`;
  const remedy = to?.endsWith(path)
    ? `if the service is there, use the base URL ${JSON.stringify(to.slice(0, -path.length))}`
    : 'check the base URL';
  return new CivicError('unknown', `the answer from ${baseUrl} leads ${where}, which is not followed: ${remedy}`, {
    status,
  });
}

function createResponseError({ status, headers }: Response, text: string): CivicError {
  const { code = 'unknown', message = text.slice(0, 200), details } = parseEnvelope(text);
  const wait = headers.get('retry-after');
  const retryAfterSeconds = wait === null ? null : parseRetryAfter(wait);
  return new CivicError(code, message, { status, details, requestId: headers.get('x-request-id'), retryAfterSeconds });
}

interface Envelope {
  readonly code?: ClientErrorCode;
  readonly message?: string;
  readonly details?: unknown;
}

/** Parses the error of a response. JSON-RPC errors have a numeric code, and the code of the interface in `data`. */
function parseEnvelope(text: string): Envelope {
  try {
    const { error } = JSON.parse(text) as {
      readonly error?: Envelope & { readonly data?: { readonly code?: ClientErrorCode } };
    };
    if (error === undefined || typeof error.code === 'string') return error ?? {};
    return { ...error, code: error.data?.code ?? 'unknown' };
  } catch {
    return {};
  }
}

/** Proxies may send a date instead of seconds. */
function parseRetryAfter(wait: string): number | null {
  const seconds = /^\d+$/.test(wait) ? Number(wait) : Math.ceil((Date.parse(wait) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

/** Throws for an address that no service has. The message contains no password. */
function requireAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const rejected = text.includes('@') ? '' : `, not ${JSON.stringify(text)}`;
    throw new TypeError(`the base URL must be an address such as https://records.example.org${rejected}`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new TypeError('the base URL must have no user, password, query or fragment; pass the key separately');
  return text.replace(/\/+$/, '');
}

/** Throws for an invalid key. The message does not contain the key. */
function requireKey(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new TypeError('the API key is empty or has a character that no key has, such as a line break');
  return text;
}
