import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { MOST_BATCH_ELEMENTS } from '../contract/json-rpc.ts';
import { LEGACY_VERSIONS } from '../contract/post-mcp-json-rpc.ts';
import { idOf, PROTOCOL_ERRORS, protocolError } from './protocol-errors.ts';

/** What is checked of a message beyond what the protocol library checks. */
export interface CheckedMessage {
  readonly body: unknown;
  readonly headers: Headers;
}

const NAMED_METHODS: ReadonlySet<unknown> = new Set(['tools/call', 'prompts/get', 'resources/read']);

const methodOf = (message: unknown): unknown =>
  typeof message === 'object' && message !== null && 'method' in message ? message.method : undefined;

const classified = ({ body, headers }: CheckedMessage) =>
  classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...headerOf(headers, 'mcp-protocol-version', 'protocolVersionHeader'),
    ...headerOf(headers, 'mcp-method', 'mcpMethodHeader'),
    ...headerOf(headers, 'mcp-name', 'mcpNameHeader'),
  });

const headerOf = <Name extends string>(headers: Headers, header: string, name: Name): { [K in Name]?: string } => {
  const value = headers.get(header);
  return (value === null ? {} : { [name]: value }) as { [K in Name]?: string };
};

/** What this interface refuses and the library lets pass; null where the library is to go on (decisions, section 7). */
export const messageFault = (message: CheckedMessage): Response | null => {
  const { body, headers } = message;
  if (Array.isArray(body)) return batchFault(body);
  const method = methodOf(body);
  const version = headers.get('mcp-protocol-version');
  const { kind } = classified(message);
  if (kind === 'legacy' && method === 'initialize' && version !== null && !(LEGACY_VERSIONS as readonly string[]).includes(version)) {
    const supported = `supported versions: ${LEGACY_VERSIONS.join(', ')}`;
    return protocolError(
      400,
      PROTOCOL_ERRORS.transport,
      `MCP-Protocol-Version names no revision that is served (${supported})`,
      idOf(body),
    );
  }
  if (kind === 'modern' && headers.has('mcp-name') && !NAMED_METHODS.has(method)) {
    return protocolError(400, PROTOCOL_ERRORS.headerMismatch, 'Mcp-Name is sent with a method that has no name', idOf(body));
  }
  return null;
};

const batchFault = (elements: readonly unknown[]): Response | null => {
  if (elements.length > MOST_BATCH_ELEMENTS) {
    return protocolError(400, PROTOCOL_ERRORS.invalidRequest, `a batch has at most ${MOST_BATCH_ELEMENTS} elements`);
  }
  const ids = elements.map(idOf).filter((id) => id !== null);
  if (new Set(ids).size < ids.length) return protocolError(400, PROTOCOL_ERRORS.invalidRequest, 'an id is used twice in the batch');
  return null;
};

/** The arguments of the call with this id, in a message or a batch without an id twice. */
export const argumentsOf = (body: unknown, id: string | number): unknown => {
  const message: unknown = Array.isArray(body) ? body.find((element) => idOf(element) === id) : body;
  return (message as { readonly params?: { readonly arguments?: unknown } } | undefined)?.params?.arguments;
};

/** The tool calls of a batch that will be run; 0 for what is no batch, or will be refused as a whole. */
export const callsOfBatch = (message: CheckedMessage): number => {
  const { body, headers } = message;
  if (!Array.isArray(body) || classified(message).kind !== 'legacy') return 0;
  const accept = headers.get('accept') ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return 0;
  return body.filter((element) => methodOf(element) === 'tools/call' && idOf(element) !== null).length;
};
