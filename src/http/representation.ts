import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedCodings, type Coding } from './accept-encoding.ts';

const compressors = { gzip: promisify(gzip), br: promisify(brotliCompress) };

/** A body as it is sent in one content coding. */
interface Form {
  /** A text where that is what was made: Node sends it in one piece with the headers. */
  readonly body: string | Buffer;
  /** Strong: a hash of these very bytes. */
  readonly etag: string;
  /** Headers of a 200, names and values by turns. */
  readonly headers: readonly string[];
  readonly headersOfNotModified: readonly string[];
}

/**
 * One public success: a body in every coding that was asked for, each made once with a strong ETag of its own. Fastify's plugins hash and
 * compress each answer again.
 */
export interface Representation {
  /** Sends it, or 304; without waiting where the form has been made before. */
  send(request: FastifyRequest, reply: FastifyReply): Promise<void> | void;
  /** What it takes in memory, roughly and at most. */
  readonly bytes: number;
}

export interface RepresentationParts {
  readonly body: string | Buffer;
  /** Of every form of it. */
  readonly headers: Readonly<Record<string, string>> & { readonly 'content-type': string; readonly 'cache-control': string };
  /** A body that is sent for hours is worth more work than one that is sent for a second. */
  readonly effort: 'passing' | 'lasting';
}

/** Below this, headers and the work of unpacking outweigh what is saved. */
const SMALLEST_COMPRESSED = 1024;
/** Node copies the part of a text that a client has not read, for each connection; of a Buffer it keeps a reference. */
const LARGEST_TEXT = 16_384;

export function createRepresentation({ body: made, headers, effort }: RepresentationParts): Representation {
  const body = typeof made === 'string' && made.length > LARGEST_TEXT ? Buffer.from(made) : made;
  const asForm = (bytes: string | Buffer, coding: Coding): Form => {
    const etag = `"${hash('sha256', bytes, 'base64url')}"`;
    const { 'content-type': contentType, ...others } = headers;
    const headersOfNotModified = Object.entries({ ...others, etag, vary: 'Accept-Encoding' }).flat();
    const coded = coding === 'identity' ? [] : ['content-encoding', coding];
    const length = ['content-length', String(Buffer.byteLength(bytes))];
    return {
      body: bytes,
      etag,
      headers: ['content-type', contentType, ...coded, ...length, ...headersOfNotModified],
      headersOfNotModified,
    };
  };
  const compress = async (coding: 'br' | 'gzip'): Promise<Form> => {
    const quality = effort === 'lasting' ? 9 : 4;
    const options =
      coding === 'gzip'
        ? { level: effort === 'lasting' ? 9 : 6 }
        : { params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: size } };
    try {
      return (forms[coding] = asForm(await compressors[coding](body, options), coding));
    } catch (error) {
      delete forms[coding];
      throw error;
    }
  };
  const size = Buffer.byteLength(body);
  const forms: Partial<Record<Coding, Form | Promise<Form>>> = {};
  return {
    send(request, reply) {
      const { large, small } = acceptedCodings(request.raw.headers['accept-encoding'] ?? 'identity');
      const coding = size < SMALLEST_COMPRESSED ? small : large;
      const form = (forms[coding] ??= coding === 'identity' ? asForm(body, coding) : compress(coding));
      return form instanceof Promise ? form.then((ready) => sendForm(ready, request, reply)) : sendForm(form, request, reply);
    },
    bytes: 2 * size,
  };
}

/** A hot answer is sent past Fastify's reply, whose own preparations would cost it a tenth. */
function sendForm(form: Form, request: FastifyRequest, reply: FastifyReply): void {
  const condition = request.raw.headers['if-none-match'];
  const isNotModified = condition !== undefined && namesTag(condition, form.etag);
  reply.hijack();
  reply.raw.writeHead(isNotModified ? 304 : 200, [
    ...(isNotModified ? form.headersOfNotModified : form.headers),
    'x-request-id',
    request.id,
  ]);
  reply.raw.end(isNotModified ? undefined : form.body);
}

/** Whether the header of a conditional request names the entity tag, by weak comparison (RFC 9110, 13.1.2). `etag` is a strong one. */
export function namesTag(header: string, etag: string): boolean {
  return header.trim() === '*' || (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some((tag) => tag === etag || tag === `W/${etag}`);
}
