import { setImmediate } from 'node:timers/promises';

/** Number of leading bytes in which a page states its encoding. */
const STATED_WITHIN = 4_096;
const BYTES_PER_TURN = 1024 * 1024;

type Decoder = InstanceType<typeof TextDecoder>;

function decoderOf(label: string | undefined): Decoder | null {
  if (label === undefined) return null;
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}

/** Returns the encoding of a byte order mark. */
function markedEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

const charsetIn = (text: string): string | undefined => /\bcharset\s?=\s?["']?([\w:.-]{1,40})/i.exec(text)?.[1];

async function decodeInTurns(decoder: Decoder, bytes: Uint8Array): Promise<string> {
  let text = '';
  for (let start = 0; start < bytes.length; start += BYTES_PER_TURN) {
    if (start > 0) await setImmediate();
    text += decoder.decode(bytes.subarray(start, start + BYTES_PER_TURN), { stream: true });
  }
  return text + decoder.decode();
}

/**
 * Decodes a page by its byte order mark, else the encoding of its `Content-Type`, else that of its `meta` element, else
 * as UTF-8, and as Windows-1252 if it is not valid UTF-8. Yields to the event loop.
 */
export async function decodePage(bytes: Uint8Array, contentType: string | null): Promise<string> {
  const statedDecoder = decoderOf(markedEncoding(bytes)) ?? decoderOf(charsetIn(contentType ?? ''));
  if (statedDecoder !== null) return decodeInTurns(statedDecoder, bytes);
  const beginning = new TextDecoder('latin1').decode(bytes.subarray(0, STATED_WITHIN));
  const meta = [...beginning.matchAll(/<meta\s[^>]{0,500}>/gi)].map(([element]) => charsetIn(element));
  const decoder = decoderOf(meta.find((charset) => charset !== undefined));
  // A page that could be read as ASCII until here is not UTF-16, whatever it states.
  if (decoder !== null && !decoder.encoding.startsWith('utf-16')) return decodeInTurns(decoder, bytes);
  try {
    return await decodeInTurns(new TextDecoder('utf-8', { fatal: true }), bytes);
  } catch {
    return decodeInTurns(new TextDecoder('windows-1252'), bytes);
  }
}
