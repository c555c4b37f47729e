/** Bytes in which a page states its encoding. */
const STATED_WITHIN = 4_096;

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

/**
 * Decodes a page by its byte order mark, else the encoding of its `Content-Type`, else that of its `meta` element, else
 * as UTF-8, and as Windows-1252 if it is not valid UTF-8.
 */
export function decodePage(bytes: Uint8Array, contentType: string | null): string {
  const stated = decoderOf(markedEncoding(bytes)) ?? decoderOf(charsetIn(contentType ?? ''));
  if (stated !== null) return stated.decode(bytes);
  const beginning = new TextDecoder('latin1').decode(bytes.subarray(0, STATED_WITHIN));
  const meta = [...beginning.matchAll(/<meta\s[^>]{0,500}>/gi)].map(([element]) => charsetIn(element));
  const decoder = decoderOf(meta.find((charset) => charset !== undefined));
  // A page that could be read as ASCII until here is not UTF-16, whatever it states.
  if (decoder !== null && !decoder.encoding.startsWith('utf-16')) return decoder.decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
