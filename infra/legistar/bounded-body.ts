/** The answer is longer than any honest one; asking again would not shorten it. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** The body as text. Throws `BodyTooLarge` when it is longer than `limit` bytes, and another error when it was cut or is no UTF-8. */
export const boundedText = async (response: Response, limit: number): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (response.body !== null) {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      length += chunk.byteLength;
      if (length > limit) throw new BodyTooLarge(`the answer is over ${limit} bytes`);
      chunks.push(chunk);
    }
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
};
