export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';
}

const NULL_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** Yields the chunks of the decoded body. Throws `AnswerTooLong`, which is not transient, beyond `maxBytes`. */
export async function* boundedChunks(
  response: { readonly body: unknown },
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    if (length > maxBytes) throw new AnswerTooLong(`the answer is over ${maxBytes} bytes`);
    yield chunk;
  }
}

/** Returns the beginning of the decoded body as text. */
export async function beginningOf(response: { readonly body: unknown }, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of boundedChunks(response, maxBytes)) text += decoder.decode(chunk, { stream: true });
  } catch (error) {
    if (!(error instanceof AnswerTooLong)) throw error;
  }
  return text;
}

/**
 * Creates a `fetch` that resolves once the headers have arrived; the body can be read until `timeoutMs` after the
 * request. Does not follow redirects. Throws an error named `TimeoutError`, and the errors of `fetch`.
 */
export function timedFetch(timeoutMs: number) {
  return (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([deadline, init.signal]) : deadline;
    return fetch(input, { ...init, signal, redirect: 'manual' });
  };
}

/**
 * Creates a `fetch` that resolves once the whole response has arrived. Throws `AnswerTooLong` for a decoded body of
 * more than `maxBytes`, and the errors of `timedFetch`.
 */
export function boundedFetch({ maxBytes, timeoutMs }: { readonly maxBytes: number; readonly timeoutMs: number }) {
  const fetchResponse = timedFetch(timeoutMs);
  return async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const response = await fetchResponse(input, init);
    const chunks: Uint8Array[] = [];
    for await (const chunk of boundedChunks(response, maxBytes)) chunks.push(chunk);
    const { status, statusText, headers } = response;
    return new Response(NULL_BODY.has(status) ? null : Buffer.concat(chunks), { status, statusText, headers });
  };
}
