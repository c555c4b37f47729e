import type { Clock } from '../../domain/ports/clock.ts';
import { type LegistarReader, SourceUnavailable, UnknownSourceClient } from '../../domain/ports/source-ports.ts';
import { AnswerTooLong, boundedFetch } from '../system/bounded-fetch.ts';
import { RETRY_RULES, retryAfterMilliseconds, type RetryRules, Transient, withRetries } from './retries.ts';

/** The largest page of the service. */
const PAGE = 1000;

/** Reads pages until one is not full. `read` gets the number of rows to skip. */
async function everyPage(read: (skip: number) => Promise<readonly unknown[]>): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  for (;;) {
    const page = await read(rows.length);
    rows.push(...page);
    if (page.length < PAGE) return rows;
  }
}

export interface LegistarHttpOptions {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly client: string;
  readonly clock: Clock;
  /** In [0, 1); spreads the retries of several readers. */
  readonly random: () => number;
  /** A request that has not been answered whole by then is cut; several seconds are a normal answer. */
  readonly timeoutMilliseconds?: number;
  readonly maxBodyBytes?: number;
  readonly retries?: RetryRules;
  readonly signal?: AbortSignal | undefined;
}

export const LEGISTAR_BASE_URL = 'https://webapi.legistar.com/v1';

const UNKNOWN_CLIENT = /LegistarConnectionString setting is not set up/i;
const NOT_FOUND = Symbol('not found');

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Transient('the answer was cut or is no JSON');
  }
}

const query = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

/** Reads a client over the Legistar Web API: paged, with retries, and never taking a part for the whole. */
export function legistarHttpReader(options: LegistarHttpOptions): LegistarReader {
  const root = `${options.baseUrl.replace(/\/+$/, '')}/${encodeURIComponent(options.client)}`;
  const timeout = options.timeoutMilliseconds ?? 60_000;
  const ask = boundedFetch({ maxBytes: options.maxBodyBytes ?? 64 * 1024 * 1024, timeoutMs: timeout });

  const once = async (address: string): Promise<unknown> => {
    let status: number;
    let text: string;
    let retryAfter: number | null;
    try {
      const response = await ask(address, { signal: options.signal ?? null, headers: { accept: 'application/json' } });
      status = response.status;
      retryAfter = retryAfterMilliseconds(response.headers.get('retry-after'), options.clock.now());
      text = new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer());
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof AnswerTooLong) throw new SourceUnavailable(`${new URL(address).pathname}: ${error.message}`);
      throw new Transient(isTimeout(error) ? `no whole answer within ${timeout} ms` : reasonOf(error));
    }
    if (status === 200) return parseJson(text);
    if (status === 404) return NOT_FOUND;
    if (UNKNOWN_CLIENT.test(text)) {
      throw new UnknownSourceClient(`the source does not know the client "${options.client}"; check the name with the source`);
    }
    if (status >= 500 || status === 429 || status === 408) throw new Transient(`status ${status}`, retryAfter);
    throw new SourceUnavailable(`the source refused ${new URL(address).pathname} with status ${status}`);
  };

  const get = async (path: string, parameters: Readonly<Record<string, string>>): Promise<unknown> => {
    const text = query(parameters);
    const address = `${root}/${path}${text === '' ? '' : `?${text}`}`;
    try {
      return await withRetries(() => once(address), options.retries ?? RETRY_RULES, options.clock, options.random, options.signal);
    } catch (error) {
      if (!(error instanceof Transient)) throw error;
      throw new SourceUnavailable(`the source could not be read at ${new URL(address).pathname}: ${error.message}`);
    }
  };

  const list = (path: string, order: string, parameters: Readonly<Record<string, string>> = {}): Promise<readonly unknown[]> =>
    everyPage(async (skip) => {
      const rows = await get(path, { ...parameters, $orderby: order, $top: String(PAGE), $skip: String(skip) });
      if (Array.isArray(rows)) return rows;
      throw new SourceUnavailable(`the source has no list at ${path}`);
    });

  return {
    bodies: () => list('bodies', 'BodyId'),
    events: (from) => list('events', 'EventId', from === null ? {} : { $filter: `EventDate ge datetime'${from}'` }),
    event: async (eventId) => {
      const row = await get(`events/${eventId}`, {});
      return row === NOT_FOUND ? null : row;
    },
    eventItems: (eventId) => list(`events/${eventId}/eventitems`, 'EventItemId', { AgendaNote: '1', MinutesNote: '1', Attachments: '1' }),
  };
}
