import type { Clock } from '../../domain/ports/clock.ts';
import { RecordGone, SourceUnavailable } from '../../domain/ports/source-ports.ts';
import type { Validator, WebFile, WebPage, WebReader } from '../../domain/ports/web-reader.ts';
import { retryAfterMilliseconds, Transient } from '../system/transient.ts';
import { type BaseAddress, readBaseAddress } from './base-address.ts';
import { exchange, placeOf, type WebAnswer, type WebRequest } from './exchange.ts';
import { HostTurns } from './host-turns.ts';
import { decodePage } from './page-text.ts';
import { isRedirect, requireAddress, requireTarget } from './redirects.ts';
import { type IsAllowed, MAX_ROBOTS_BYTES, readRobots, RobotsCache } from './robots.ts';
import { asksForPassword, protectionOf } from './unwanted-pages.ts';
import type { WebFetch } from './web-fetch.ts';

const MEBIBYTE = 1024 * 1024;
const MAX_REDIRECTS = 5;
/** Maximum requests for one address, including the first. */
const ATTEMPTS = 3;
const PAGE = { accept: 'text/html, application/xhtml+xml, */*;q=0.5', maxBytes: 16 * MEBIBYTE, timeoutMs: 60_000 };
const DOCUMENT = {
  accept: 'application/pdf, */*;q=0.5',
  maxBytes: 60 * MEBIBYTE,
  timeoutMs: 300_000,
};
const ROBOTS = { accept: 'text/plain, */*;q=0.5', maxBytes: MAX_ROBOTS_BYTES, timeoutMs: 30_000 };

/** Statuses that end when the source recovers or permits more requests. */
const isTransientStatus = (status: number): boolean => status === 408 || status === 429 || status >= 500;

const describeStatus = (status: number): string =>
  status === 403 || status === 429 ? `refused with status ${status}` : `status ${status}`;

/** Parts that all sources of a process share, so that a host has one queue and one robots.txt. */
export interface WebAccess {
  readonly fetch: WebFetch;
  readonly clock: Clock;
  readonly turns: HostTurns;
  readonly robots: RobotsCache;
  readonly userAgent: string;
}

export interface WebAccessOptions {
  readonly fetch: WebFetch;
  readonly clock: Clock;
  /** Returns a number in [0, 1), which spreads pauses. */
  readonly random: () => number;
  /** Pause between two requests to a host, in milliseconds. */
  readonly pauseMs: number;
  /** Page, or address with `mailto:`, where the operator can be reached. */
  readonly contact: string | undefined;
}

export function openWebAccess({ fetch, clock, random, pauseMs, contact }: WebAccessOptions): WebAccess {
  return {
    fetch,
    clock,
    turns: new HostTurns(clock, random, pauseMs),
    robots: new RobotsCache(clock),
    userAgent:
      contact === undefined ? 'civic-records/1.0' : `civic-records/1.0 (+${encodeURI(contact.replace('mailto:', ''))})`,
  };
}

export interface WebReaderOptions {
  /** Address that the operator named. Its host need not be public; all others must be. */
  readonly baseUrl?: string | undefined;
  /** Address of the platform that `baseUrl` replaces in every request. Addresses in answers are those of the platform. */
  readonly site?: string | undefined;
  /** True if the operator decided that robots.txt does not apply to this source. */
  readonly ignoresRobots?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Deadline for a whole answer, where it is not that of its kind. */
  readonly timeoutMs?: number | undefined;
}

type Kind = typeof PAGE;
type Form = Readonly<Record<string, string>>;
interface Read {
  readonly kind: Kind;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Form | undefined;
}
type Answered = WebAnswer & { readonly address: URL };

const mediaTypeOf = ({ headers }: WebAnswer): string | null =>
  /^\s*([\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100})/.exec(headers.get('content-type') ?? '')?.[1]?.toLowerCase() ?? null;

const isText = (mediaType: string | null): boolean =>
  mediaType === null || /^text\/|[/+](?:xml|json|javascript)$/.test(mediaType);

/** Creates the reader of one source. */
export function createWebReader(access: WebAccess, options: WebReaderOptions): WebReader {
  const site = new Site(access, options);
  return {
    page: async (address: string, form?: Form): Promise<WebPage> => {
      const answer = await site.read(address, { kind: PAGE, form });
      const mediaType = mediaTypeOf(answer);
      requireOk(answer);
      if (!isText(mediaType)) throw new SourceUnavailable(`${placeOf(answer.address)} is ${mediaType}, not a page`);
      const text = await decodePage(answer.bytes, answer.headers.get('content-type'));
      return { address: site.publishedAddress(answer), mediaType, text };
    },
    file: async (address: string, known: Validator = {}): Promise<WebFile | null> => {
      const headers = conditionsOf(known);
      const answer = await site.read(address, { kind: DOCUMENT, headers });
      if (answer.status === 304 && Object.keys(headers).length > 0) return null;
      requireOk(answer);
      const mediaType = mediaTypeOf(answer);
      if (mediaType === 'text/html' && asksForPassword(await decodePage(answer.bytes.subarray(0, MEBIBYTE), null)))
        throw new SourceUnavailable(`${placeOf(answer.address)} is a login page, not a document`);
      const { bytes } = answer;
      return { address: site.publishedAddress(answer), mediaType, validator: validatorOf(answer), bytes };
    },
  };
}

function conditionsOf({ etag, lastModified }: Validator): Readonly<Record<string, string>> {
  return {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
  };
}

/** A tag with content: some servers send `" "` for every file. */
const ETAG = /^(?:W\/)?".{0,500}[^\s"]/;

function validatorOf({ headers }: WebAnswer): Validator {
  const [etag, lastModified] = [headers.get('etag'), headers.get('last-modified')];
  return {
    ...(etag === null || !ETAG.test(etag) ? {} : { etag }),
    ...(lastModified === null ? {} : { lastModified }),
  };
}

function requireOk({ status, address }: Answered): void {
  if (status !== 200) throw new SourceUnavailable(`${placeOf(address)} was answered with status ${status}`);
}

/** Reads addresses under the rules of one source. */
class Site {
  readonly #access: WebAccess;
  readonly #options: WebReaderOptions;
  readonly #base: BaseAddress;

  constructor(access: WebAccess, options: WebReaderOptions) {
    this.#access = access;
    this.#options = options;
    this.#base = readBaseAddress(options.baseUrl, options.site);
  }

  /** Reads an address as far as robots.txt permits, and follows redirects. */
  async read(text: string, read: Read): Promise<Answered> {
    const first = this.#base.toRequest(requireAddress(text, this.#base.ownHosts));
    return this.#follow(first, read, async (address) => {
      if (this.#options.ignoresRobots !== true && !(await this.#rulesOf(address.origin))(address))
        throw new SourceUnavailable(
          `refused by robots.txt: ${address.host === first.host ? address.pathname.slice(0, 200) : placeOf(address)}`,
        );
    });
  }

  publishedAddress({ address }: Answered): string {
    return this.#base.toPublished(address).href;
  }

  async #follow(first: URL, read: Read, permit: (address: URL) => Promise<void>): Promise<Answered> {
    let [address, { form }] = [first, read];
    for (let redirects = 0; ; redirects += 1) {
      await permit(address);
      const answer = await this.#retry(address, { ...read, form });
      if (!isRedirect(answer.status)) return { ...answer, address };
      if (redirects === MAX_REDIRECTS)
        throw new SourceUnavailable(`${placeOf(first)} redirects more than ${MAX_REDIRECTS} times`);
      const target = requireTarget(answer.headers.get('location'), address, this.#base.ownHosts);
      address = this.#base.toRequest(target);
      // A redirect to another page drops the form, as in browsers.
      if (answer.status < 307) form = undefined;
    }
  }

  async #retry(address: URL, read: Read): Promise<WebAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#access.turns.take(address.host, this.#options.signal, () => this.#ask(address, read));
      } catch (error) {
        if (!(error instanceof Transient)) throw error;
        if (attempt >= ATTEMPTS) throw new SourceUnavailable(`${placeOf(address)} could not be read: ${error.message}`);
      }
    }
  }

  async #ask(address: URL, { kind, headers, form }: Read): Promise<WebAnswer> {
    const { fetch, clock, userAgent } = this.#access;
    const request: WebRequest = {
      address,
      isNamed: address.host === this.#base.namedHost,
      headers: { 'user-agent': userAgent, accept: kind.accept, ...headers },
      form,
      maxBytes: kind.maxBytes,
      timeoutMs: this.#options.timeoutMs ?? kind.timeoutMs,
      signal: this.#options.signal,
    };
    const answer = await exchange(fetch, request);
    const { status } = answer;
    const retryAfter = retryAfterMilliseconds(answer.headers.get('retry-after'), clock.now());
    if (isTransientStatus(status) || (status === 403 && kind !== ROBOTS))
      throw new Transient(`${describeStatus(status)}${protectedBy(answer, answer.refusal)}`, retryAfter);
    if (kind === ROBOTS) return answer;
    requireContent(address, answer);
    return answer;
  }

  /** Reads the robots.txt of an origin by the rules of RFC 9309: an unreadable one refuses everything. */
  #rulesOf(origin: string): Promise<IsAllowed> {
    const { robots } = this.#access;
    return robots.rulesOf(origin, this.#options.signal, async () => {
      const address = new URL('/robots.txt', origin);
      const { status, bytes } = await this.#follow(address, { kind: ROBOTS }, async () => undefined);
      // A status of 4xx means that there are no rules.
      return readRobots(origin, status === 200 ? await decodePage(bytes, null) : '');
    });
  }
}

function protectedBy({ headers }: WebAnswer, page: string): string {
  const protection = protectionOf(headers, page);
  return protection === null ? '' : ` (${protection} refuses automated requests)`;
}

/** Throws for an answer that has no content, or that is a page of a protection against robots. */
function requireContent(address: URL, answer: WebAnswer): void {
  const { status, headers, bytes, refusal } = answer;
  if (status === 404 || status === 410) throw new RecordGone(`${placeOf(address)} is gone (status ${status})`);
  if (status === 401) throw new SourceUnavailable(`${placeOf(address)} requires a login (status 401)`);
  if (status >= 400)
    throw new SourceUnavailable(`${placeOf(address)} was refused with status ${status}${protectedBy(answer, refusal)}`);
  const isPage = mediaTypeOf(answer) === 'text/html' || mediaTypeOf(answer) === null;
  const protection = protectionOf(headers, isPage ? new TextDecoder().decode(bytes.subarray(0, 65_537)) : '');
  if (protection !== null)
    throw new Transient(`status ${status} with a page of ${protection} that refuses automated requests`);
}
