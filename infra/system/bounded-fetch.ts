export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';
}

const NULL_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

async function boundedBody(response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    if (length > maxBytes) throw new AnswerTooLong(`the answer is over ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Resolves with the complete answer: at most `maxBytes` of its decoded body, `timeoutMs` from the request to the last byte. Returns a
 * redirect without following it. Throws `AnswerTooLong`, which is not transient, an error named `TimeoutError`, and what `fetch` throws.
 */
export function boundedFetch({ maxBytes, timeoutMs }: { readonly maxBytes: number; readonly timeoutMs: number }) {
  return async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([deadline, init.signal]) : deadline;
    const response = await fetch(input, { ...init, signal, redirect: 'manual' });
    const body = await boundedBody(response, maxBytes);
    const { status, statusText, headers } = response;
    return new Response(NULL_BODY.has(status) ? null : body, { status, statusText, headers });
  };
}
