import { z } from 'zod';

/** Errors of the tool protocol: JSON-RPC, with the code of this interface in `error.data.code`. */
export const PROTOCOL_ERRORS = {
  parse: -32_700,
  invalidRequest: -32_600,
  invalidParams: -32_602,
  internal: -32_603,
  headerMismatch: -32_020,
  /** The library's code for errors without a code in the revision of 2025. */
  transport: -32_000,
} as const;

export interface ProtocolErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const MAX_MESSAGE_LENGTH = 300;

/**
 * Returns the first finding of a schema in an error message of the protocol library, as `path: finding`; null for any
 * other message.
 */
export function extractFinding(message: string): string | null {
  try {
    const [first] = z
      .array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }))
      .parse(JSON.parse(message.slice(message.indexOf('['))));
    return first === undefined ? null : `${first.path.join('.')}: ${first.message}`;
  } catch {
    return null;
  }
}

/** Adds the code of this interface. The message becomes one line; the message of a defect is left out. */
export function withDataCode({ code, message, data }: ProtocolErrorBody): ProtocolErrorBody {
  if (code === PROTOCOL_ERRORS.internal)
    return { code, message: 'the request could not be answered', data: { code: 'internal_error' } };
  const line = extractFinding(message) ?? (message.split('\n', 1)[0] ?? '').replace(/: \[$/, '');
  return {
    code,
    message: line.slice(0, MAX_MESSAGE_LENGTH),
    data: { code: 'invalid_parameter', ...(typeof data === 'object' && data !== null ? data : {}) },
  };
}

/** Returns the id of a message: a text or an integer. Null for any other, which the protocol library refuses. */
export function idOf(message: unknown): string | number | null {
  const id: unknown = typeof message === 'object' && message !== null && 'id' in message ? message.id : null;
  return typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id : null;
}

/**
 * An answer of the tool endpoint. A batch is answered by a stream of server-sent events, other requests by one body.
 */
export interface ToolAnswer {
  readonly status: number;
  readonly type: string | null;
  readonly body: string | ReadableStream | null;
}

export const protocolError = (
  status: number,
  code: number,
  message: string,
  id: ReturnType<typeof idOf> = null,
): ToolAnswer => ({
  status,
  type: 'application/json',
  body: JSON.stringify({ jsonrpc: '2.0', id, error: withDataCode({ code, message }) }),
});
