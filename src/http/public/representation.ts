import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Coding, Codings } from './accept-encoding.ts';

const compressors = { gzip: promisify(gzip), br: promisify(brotliCompress) };

/** A body as it is sent in one content coding. */
export interface Form {
  /** A text where that is what was made: Node sends it in one piece with the headers. */
  readonly body: string | Buffer;
  /** Strong: a hash of these very bytes. */
  readonly etag: string;
  /** Headers of a 200, names and values by turns. */
  readonly told: readonly string[];
  /** Those of a 304. */
  readonly toldAgain: readonly string[];
}

/** One public success: a body in every coding that was asked for, each made once. */
export interface Representation {
  /** At once where the form has been made before. */
  form(codings: Codings): Form | Promise<Form>;
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

export const createRepresentation = ({ body, headers, effort }: RepresentationParts): Representation => {
  const asForm = (bytes: string | Buffer, coding: Coding): Form => {
    const etag = `"${hash('sha256', bytes, 'base64url')}"`;
    const { 'content-type': contentType, ...others } = headers;
    const toldAgain = Object.entries({ ...others, etag, vary: 'Accept-Encoding' }).flat();
    const coded = coding === 'identity' ? [] : ['content-encoding', coding];
    const told = ['content-type', contentType, ...coded, 'content-length', String(Buffer.byteLength(bytes)), ...toldAgain];
    return { body: bytes, etag, told, toldAgain };
  };
  const compress = async (coding: 'br' | 'gzip'): Promise<Form> => {
    const quality = effort === 'lasting' ? 9 : 4;
    const options =
      coding === 'gzip'
        ? { level: effort === 'lasting' ? 9 : 6 }
        : { params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: size } };
    const made = asForm(await compressors[coding](body, options), coding);
    forms[coding] = made;
    return made;
  };
  const size = Buffer.byteLength(body);
  const forms: Partial<Record<Coding, Form | Promise<Form>>> = {};
  return {
    form(codings) {
      const coding = size < SMALLEST_COMPRESSED ? codings.small : codings.large;
      return (forms[coding] ??= coding === 'identity' ? asForm(body, coding) : compress(coding));
    },
    bytes: 2 * size,
  };
};
