/** Longest line that is read whole, in bytes; fits a record of 1 MiB with every character escaped. */
export const MAX_LINE_BYTES = 8 * 1_048_576;

export interface InputLine {
  /** Line number, from 1. */
  readonly number: number;
  /** The line's bytes without its line feed; cut at `MAX_LINE_BYTES`. */
  readonly bytes: Buffer;
  /** Full length in bytes, which exceeds that of `bytes` if the line was cut. */
  readonly length: number;
}

const LINE_FEED = 0x0a;
const SPACE = 0x20;
/** Space, tab and carriage return. */
const BLANK = new Set([SPACE, 0x09, 0x0d]);

/** Splits a stream of bytes at line feeds in bounded memory. Blank lines are counted, and left out unless the caller wants them. */
export async function* readLines(
  input: AsyncIterable<Uint8Array>,
  { blankLines }: { readonly blankLines: boolean } = { blankLines: false },
): AsyncGenerator<InputLine> {
  let number = 0;
  let parts: Buffer[] = [];
  let lineBytes = 0;
  let length = 0;
  const append = (part: Buffer) => {
    length += part.length;
    const room = MAX_LINE_BYTES - lineBytes;
    if (room <= 0) return;
    const piece = part.length <= room ? part : part.subarray(0, room);
    parts.push(piece);
    lineBytes += piece.length;
  };
  const finish = (): InputLine => {
    const line = { number: ++number, bytes: parts.length === 1 ? parts[0]! : Buffer.concat(parts), length };
    parts = [];
    lineBytes = 0;
    length = 0;
    return line;
  };
  // A line that does not begin with white space is not blank.
  const isBlank = ({ bytes, length: full }: InputLine) =>
    full === 0 || (bytes[0]! <= SPACE && full === bytes.length && bytes.every((byte) => BLANK.has(byte)));

  for await (const chunk of input) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    let from = 0;
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, from)) {
      append(bytes.subarray(from, at));
      from = at + 1;
      const line = finish();
      if (blankLines || !isBlank(line)) yield line;
    }
    if (from < bytes.length) append(bytes.subarray(from));
  }
  if (length > 0) {
    const line = finish();
    if (blankLines || !isBlank(line)) yield line;
  }
}
