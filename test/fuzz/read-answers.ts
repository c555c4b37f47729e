/** One answer as received. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

export interface ReadAnswers {
  readonly answers: readonly RawAnswer[];
  /** Bytes after the last complete answer. */
  readonly rest: Buffer;
}

/** The received bytes are not HTTP. */
export class BadHttp extends Error {
  override readonly name = 'BadHttp';
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\t\x80-\xff]*?)[ \t]*$/;

/**
 * Reads every answer of a connection; `methods` are those of the requests, null if they are unknown. Throws `BadHttp`.
 */
export function readAnswers(received: Buffer, methods: readonly string[] | null): ReadAnswers {
  const answers: RawAnswer[] = [];
  let rest = received;
  while (rest.length > 0) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd === -1) {
      if (!'HTTP/1.1 '.startsWith(rest.toString('latin1', 0, 9)))
        throw new BadHttp(`an answer begins ${excerpt(rest)}`);
      break;
    }
    const { status, headers } = readHead(rest.toString('latin1', 0, headEnd));
    const after = rest.subarray(headEnd + 4);
    if (status < 200) {
      rest = after;
      continue;
    }
    const body = readBody(status, headers, after, methods === null ? null : methods[answers.length]);
    if (body === null) break;
    answers.push({ status, headers, body: body.bytes });
    rest = after.subarray(body.length);
  }
  return { answers, rest };
}

function readHead(head: string): Pick<RawAnswer, 'status' | 'headers'> {
  const [statusLine = '', ...lines] = head.split('\r\n');
  const status = STATUS_LINE.exec(statusLine)?.[1];
  if (status === undefined) throw new BadHttp(`a status line is ${JSON.stringify(statusLine.slice(0, 80))}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined) throw new BadHttp(`a header line is ${JSON.stringify(line.slice(0, 80))}`);
    headers.set(name.toLowerCase(), value!);
  }
  return { status: Number(status), headers };
}

/** Null if it is incomplete. */
function readBody(
  status: number,
  headers: RawAnswer['headers'],
  after: Buffer,
  method: string | null | undefined,
): { readonly bytes: Buffer; readonly length: number } | null {
  const none = { bytes: Buffer.alloc(0), length: 0 };
  // Bytes that are no request have no method: the refusal has a body and ends the connection.
  const isLast = headers.get('connection') === 'close';
  if (status === 204 || status === 304 || (method === 'HEAD' && !(status >= 400 && isLast && after.length > 0)))
    return none;
  // A mutated request may be a HEAD: its answer ends with its head.
  if (method === null && (after.length === 0 || after.subarray(0, 9).equals(NEXT))) return none;
  if (headers.get('transfer-encoding')?.toLowerCase() === 'chunked') return readChunks(after);
  const contentLength = headers.get('content-length');
  if (contentLength === undefined || !/^\d+$/.test(contentLength))
    throw new BadHttp(`a ${status} does not say how long it is`);
  const length = Number(contentLength);
  return after.length < length ? null : { bytes: after.subarray(0, length), length };
}

const NEXT = Buffer.from('HTTP/1.1 ');

function readChunks(after: Buffer): { readonly bytes: Buffer; readonly length: number } | null {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = after.indexOf('\r\n', at);
    if (lineEnd === -1) return null;
    const size = after.toString('latin1', at, lineEnd);
    if (!/^[0-9a-f]+$/i.test(size)) throw new BadHttp(`a chunk size is ${JSON.stringify(size.slice(0, 40))}`);
    const length = Number.parseInt(size, 16);
    at = lineEnd + 2 + length + 2;
    if (after.length < at) return null;
    if (!after.subarray(at - 2, at).equals(Buffer.from('\r\n')))
      throw new BadHttp('a chunk does not end where it says');
    if (length === 0) return { bytes: Buffer.concat(parts), length: at };
    parts.push(after.subarray(lineEnd + 2, at - 2));
  }
}

const excerpt = (bytes: Buffer): string => JSON.stringify(bytes.toString('latin1', 0, 80));
