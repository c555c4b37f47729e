import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { MEDIA_TYPES, type PageForm } from '../../../contract/operation.ts';

const asGzip = promisify(gzip);
const asBrotli = promisify(brotliCompress);

/** Compression effort: a body that is served for hours is worth more work than one served for a second or once. */
type Effort = keyof typeof LEVELS;
const LEVELS = { once: { gzip: 1, br: 1 }, passing: { gzip: 6, br: 4 }, lasting: { gzip: 9, br: 9 } } as const;

/** Bytes that are compressed synchronously: this takes a tenth of a millisecond, less than handing them to a thread. */
const LARGEST_AT_ONCE = 32_768;

function compressed(body: Buffer, coding: Compression, effort: Effort): Promise<Buffer> | Buffer {
  const level = LEVELS[effort][coding];
  const isAtOnce = effort === 'once' && body.length <= LARGEST_AT_ONCE;
  if (coding === 'gzip') return isAtOnce ? gzipSync(body, { level }) : asGzip(body, { level });
  const options = {
    params: { [constants.BROTLI_PARAM_QUALITY]: level, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
  };
  return isAtOnce ? brotliCompressSync(body, options) : asBrotli(body, options);
}

export interface Form {
  /** A small body is a Latin-1 text of one character per byte, which Node sends together with the headers. */
  readonly body: string | Buffer;
  readonly etag: string;
  /** Headers of a 200: a flat array of alternating names and values. */
  readonly headers: readonly string[];
  readonly headersOfNotModified: readonly string[];
}

/** Smaller bodies are not compressed: headers and decompression would cost more than is saved. */
const SMALLEST_COMPRESSED = 1024;
/** Node copies the unsent part of a text for each connection, but only references a Buffer. */
const LARGEST_TEXT = 4_096;

export type Representation = ReturnType<typeof createRepresentation>;
/** Serves a body in each requested coding, made once, with a strong ETag. */
export function createRepresentation(
  made: string | Buffer,
  headers: Readonly<Record<string, string>> & { readonly 'content-type': string; readonly 'cache-control': string },
  effort: Effort,
) {
  const body = Buffer.from(made);
  const size = body.length;
  const forms: Partial<Record<Coding, Form | Promise<Form>>> = {};
  const asForm = (bytes: Buffer, coding: Coding): Form => {
    const etag = `"${hash('sha256', bytes, 'base64url')}"`;
    const { 'content-type': contentType, vary, ...others } = headers;
    const varies = vary === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${vary}`;
    const headersOfNotModified = Object.entries({ ...others, etag, vary: varies }).flat();
    const coded = coding === 'identity' ? [] : ['content-encoding', coding];
    const ownHeaders = ['content-type', contentType, ...coded, 'content-length', String(bytes.length)];
    const content = bytes.length > LARGEST_TEXT ? bytes : bytes.toString('latin1');
    return { body: content, etag, headers: [...ownHeaders, ...headersOfNotModified], headersOfNotModified };
  };
  const compress = async (coding: Compression): Promise<Form> => {
    try {
      return (forms[coding] = asForm(await compressed(body, coding, effort), coding));
    } catch (error) {
      delete forms[coding];
      throw error;
    }
  };
  return {
    /** Returns the form for a value of `Accept-Encoding`; a promise if it has not been made yet. */
    form(acceptEncoding = 'identity'): Promise<Form> | Form {
      const { large, small } = acceptedCodings(acceptEncoding);
      const coding = size < SMALLEST_COMPRESSED ? small : large;
      return (forms[coding] ??= coding === 'identity' ? asForm(body, coding) : compress(coding));
    },
    /** Upper estimate of its size in memory, in bytes. */
    bytes: 2 * size,
  };
}

/** Compresses an answer that is sent once, in a coding that the client accepts. Null if it is sent uncompressed. */
export async function compressedOnce(
  answer: string | Buffer,
  acceptEncoding: string,
): Promise<{ readonly bytes: Buffer; readonly coding: Coding } | null> {
  const { large, small } = acceptedCodings(acceptEncoding);
  const coding = Buffer.byteLength(answer) < SMALLEST_COMPRESSED ? small : large;
  if (coding === 'identity') return null;
  // A page is already a Buffer of up to five megabytes and is not copied.
  return { bytes: await compressed(typeof answer === 'string' ? Buffer.from(answer) : answer, coding, 'once'), coding };
}

/**
 * Returns true if an `If-None-Match` value names the tag, by weak comparison (RFC 9110, section 13.1.2). `etag` is
 * strong.
 */
export function namesTag(header: string, etag: string): boolean {
  return (
    header.trim() === '*' || (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some((tag) => tag === etag || tag === `W/${etag}`)
  );
}

/**
 * Maximum length of a negotiated header, in characters. No client needs more, and parsing 16 KiB takes milliseconds
 * even without a key.
 */
export const MAX_NEGOTIATED_LENGTH = 1_000;

/**
 * Returns true if an `Accept` value prefers a media type to JSON; false if it is too long. Media types are offered with
 * the charset that is sent, so that a client can name it.
 */
function prefersToJson(accept: string, type: string): boolean {
  if (accept.length > MAX_NEGOTIATED_LENGTH) return false;
  const [json, other] = [MEDIA_TYPES.json, type].map((sent) => `${sent}; charset=utf-8`) as [string, string];
  return new Negotiator({ headers: { accept } }).mediaType([json, other]) === other;
}

/** Returns true if an `Accept` value prefers HTML to JSON. Browsers name HTML; programs accept anything. */
export const prefersHtml = (accept = '*/*'): boolean => prefersToJson(accept, 'text/html');

/** Returns `ndjson` if an `Accept` value prefers newline-delimited JSON. */
export const preferredForm = (accept = '*/*'): PageForm =>
  /ndjson/i.test(accept) && prefersToJson(accept, MEDIA_TYPES.ndjson) ? 'ndjson' : 'json';

type Compression = 'br' | 'gzip';
type Coding = Compression | 'identity';

/** The published types describe a version without `preferred`. */
interface PreferringNegotiator {
  encodings(available: string[], options: { readonly preferred: readonly string[] }): string[];
}

const AVAILABLE: Coding[] = ['br', 'gzip', 'identity'];
const MAX_REMEMBERED_LENGTH = 200;
const remembered = new LRUCache({ max: 200, memoMethod: negotiated });

/**
 * Returns the codings for bodies above and below the compression size (RFC 9110, section 12.5.3). Falls back to the
 * plain body if none is acceptable or the header is too long.
 */
export const acceptedCodings = (header: string) =>
  header.length <= MAX_REMEMBERED_LENGTH ? remembered.memo(header) : negotiated(header);

function negotiated(header: string): { readonly large: Coding; readonly small: Coding } {
  if (header.length > MAX_NEGOTIATED_LENGTH) return { large: 'identity', small: 'identity' };
  // `x-gzip` is an alias of gzip (RFC 9110, section 8.4.1.3).
  const negotiator: PreferringNegotiator = new Negotiator({
    headers: { 'accept-encoding': header.replaceAll(/\bx-gzip\b/gi, 'gzip') },
  });
  const accepted = negotiator.encodings(AVAILABLE, { preferred: AVAILABLE }) as Coding[];
  const [large = 'identity'] = accepted;
  return { large, small: accepted.includes('identity') ? 'identity' : large };
}
