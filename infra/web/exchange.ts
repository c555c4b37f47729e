import type { RequestInit, Response } from 'undici';
import { SourceUnavailable } from '../../domain/ports/source-ports.ts';
import { AnswerTooLong, beginningOf, boundedChunks } from '../system/bounded-fetch.ts';
import { certificateReason } from '../system/certificate-reason.ts';
import { reasonOf, Transient } from '../system/transient.ts';
import { HostNotPublic, type WebFetch } from './web-fetch.ts';

/** Maximum bytes read from the body of an error response. */
const MAX_REFUSAL_BYTES = 64 * 1024;

export interface WebRequest {
  readonly address: URL;
  /** True for the host that the operator named. */
  readonly isNamed: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>> | undefined;
  readonly maxBytes: number;
  /** Deadline for the whole answer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface WebAnswer {
  readonly status: number;
  readonly headers: Response['headers'];
  /** The whole decoded body of status 200, else empty. */
  readonly bytes: Uint8Array;
  /** The beginning of the body of a status from 400 on, else empty. */
  readonly refusal: string;
}

/** Host and path of an address, for reasons that are published: a query might contain a secret. */
export const placeOf = ({ host, pathname }: URL): string => `${host}${pathname.slice(0, 200)}`;

async function readBody(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of boundedChunks(response, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function send(
  fetch: WebFetch,
  { address, isNamed, headers, form, maxBytes, timeoutMs, signal }: WebRequest,
): Promise<WebAnswer> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const init: RequestInit = {
    headers,
    signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]),
    ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
  };
  const response = await fetch(address, isNamed, init);
  const { status } = response;
  const answer = { status, headers: response.headers, bytes: new Uint8Array(), refusal: '' };
  if (status === 200) return { ...answer, bytes: await readBody(response, maxBytes) };
  if (status >= 400) return { ...answer, refusal: await beginningOf(response, MAX_REFUSAL_BYTES) };
  await response.body?.cancel();
  return answer;
}

/** Sends one request. Throws `SourceUnavailable`, or `Transient` for a failure that is worth a retry. */
export async function exchange(fetch: WebFetch, request: WebRequest): Promise<WebAnswer> {
  const { address, signal, timeoutMs } = request;
  try {
    return await send(fetch, request);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof AnswerTooLong) throw new SourceUnavailable(`${placeOf(address)}: ${error.message}`);
    if (error instanceof Error && error.cause instanceof HostNotPublic)
      throw new SourceUnavailable(`${address.host} is not a public host`);
    const certificate = certificateReason(error);
    if (certificate !== null)
      throw new SourceUnavailable(`the certificate of ${address.host} is not accepted: ${certificate}`);
    const isTimeout = error instanceof Error && error.name === 'TimeoutError';
    throw new Transient(isTimeout ? `no whole answer within ${timeoutMs} ms` : reasonOf(error));
  }
}
