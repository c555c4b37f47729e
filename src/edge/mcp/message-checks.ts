import { MIMEType } from 'node:util';
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { LEGACY_VERSIONS, MAX_BATCH_ELEMENTS } from '../../../contract/post-mcp-json-rpc.ts';
import { MAX_NEGOTIATED_LENGTH } from '../answers/representation.ts';
import { idOf, PROTOCOL_ERRORS, protocolError, type ToolAnswer } from './protocol-errors.ts';

const NAMED_METHODS: ReadonlySet<unknown> = new Set(['tools/call', 'prompts/get', 'resources/read']);

const readMethod = (message: unknown): unknown =>
  typeof message === 'object' && message !== null && 'method' in message ? message.method : undefined;

const classifyMessage = (body: unknown, headers: Headers) =>
  classifyInboundRequest({
    httpMethod: 'POST',
    body,
    protocolVersionHeader: headers.get('mcp-protocol-version') ?? undefined,
    mcpMethodHeader: headers.get('mcp-method') ?? undefined,
    mcpNameHeader: headers.get('mcp-name') ?? undefined,
  }).kind;

const BOTH_TYPES = ['application/json', 'text/event-stream'];
/**
 * A quoted text, in which a comma separates nothing. The closing quote is optional, because searching for a missing one
 * would take quadratic time.
 */
const QUOTED_TEXT = /"(?:[^"\\]|\\.)*"?/g;

/**
 * Returns the media type of an element of `Accept` in lower case; null if it is malformed or not acceptable. A wildcard
 * lists no type.
 */
function readMediaType(element: string): string | null {
  try {
    const { essence, params } = new MIMEType(element);
    return Number(params.get('q') ?? 1) > 0 ? essence : null;
  } catch {
    return null;
  }
}

function listsBothTypes(accept: string | null): boolean {
  if (accept === null || accept.length > MAX_NEGOTIATED_LENGTH) return false;
  const listed = new Set(accept.replaceAll(QUOTED_TEXT, 'x').split(',').map(readMediaType));
  return BOTH_TYPES.every((type) => listed.has(type));
}

/** Returns the refusal of a message; null if the library processes it. */
export function findFault(body: unknown, headers: Headers): ToolAnswer | null {
  const fault = Array.isArray(body) ? batchFault(body) : null;
  if (fault !== null) return fault;
  const kind = classifyMessage(body, headers);
  if (kind === 'legacy' && !listsBothTypes(headers.get('accept'))) {
    return protocolError(406, PROTOCOL_ERRORS.transport, `Accept must list both ${BOTH_TYPES.join(' and ')}`);
  }
  const method = readMethod(body);
  const version = headers.get('mcp-protocol-version');
  if (
    kind === 'legacy' &&
    method === 'initialize' &&
    version !== null &&
    !(LEGACY_VERSIONS as readonly string[]).includes(version)
  ) {
    const message = `MCP-Protocol-Version names no revision that is served (supported versions: ${LEGACY_VERSIONS.join(', ')})`;
    return protocolError(400, PROTOCOL_ERRORS.transport, message, idOf(body));
  }
  if (kind === 'modern' && headers.has('mcp-name') && !NAMED_METHODS.has(method)) {
    return protocolError(
      400,
      PROTOCOL_ERRORS.headerMismatch,
      'Mcp-Name is sent with a method that has no name',
      idOf(body),
    );
  }
  return null;
}

function batchFault(elements: readonly unknown[]): ToolAnswer | null {
  if (elements.length > MAX_BATCH_ELEMENTS) {
    return protocolError(400, PROTOCOL_ERRORS.invalidRequest, `a batch has at most ${MAX_BATCH_ELEMENTS} elements`);
  }
  const ids = elements.map(idOf).filter((id) => id !== null);
  if (new Set(ids).size < ids.length)
    return protocolError(400, PROTOCOL_ERRORS.invalidRequest, 'an id is used twice in the batch');
  return null;
}

export function findArguments(body: unknown, id: string | number): unknown {
  const message: unknown = Array.isArray(body) ? body.find((element) => idOf(element) === id) : body;
  return (message as { readonly params?: { readonly arguments?: unknown } } | undefined)?.params?.arguments;
}

/** Returns the number of calls in a batch; 0 for a single message and for one that the library refuses. */
export function callsOfBatch(body: unknown, headers: Headers): number {
  if (!Array.isArray(body) || classifyMessage(body, headers) !== 'legacy') return 0;
  return body.filter((element) => readMethod(element) === 'tools/call' && idOf(element) !== null).length;
}

export const PAYMENT_META = 'x402/payment';

/** Any JSON value. An absent member reads as undefined. */
type Json = { readonly [member: string]: Json } | null | undefined;

/**
 * Identifies a payment by payer and nonce, whatever its encoding. Null if one is missing: such a payment pays for
 * nothing.
 */
function identifyPayment(payment: unknown): string | null {
  const { from, nonce }: { readonly from?: unknown; readonly nonce?: unknown } =
    (payment as Json)?.['payload']?.['authorization'] ?? {};
  return typeof from === 'string' && typeof nonce === 'string' ? `${from} ${nonce}`.toLowerCase() : null;
}

/** Returns true if several calls of a batch carry this payment, which can pay for only one. */
export function isShared(body: unknown, payment: unknown): boolean {
  const name = identifyPayment(payment);
  if (name === null || !Array.isArray(body)) return false;
  return (
    (body as readonly Json[]).filter(
      (element) => identifyPayment(element?.['params']?.['_meta']?.[PAYMENT_META]) === name,
    ).length > 1
  );
}
