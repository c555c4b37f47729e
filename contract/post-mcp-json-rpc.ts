import { z } from 'zod';
import { component, MEANINGS } from './fields.ts';
import { NO_INPUT, operation } from './operation.ts';
import { paymentRequired, TOOL_RESULTS, toolError, toolsList } from './tools/tool-results.ts';
import { TOOLS } from './tools/tools.ts';

/** Revisions of the tool protocol that are served, the current era's first. */
export const PROTOCOL_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const;

/** Revisions whose requests do not state their revision. */
export const [, ...LEGACY_VERSIONS] = PROTOCOL_VERSIONS;

/** Only the 2025 era has batches. */
export const MAX_BATCH_ELEMENTS = 20;

const id = z.union([z.string(), z.int()]).describe('Names the request; its answer carries the same.');
const jsonrpc = z.literal('2.0').describe('Version of JSON-RPC.');

/** A notification has no id. */
const jsonRpcRequest = component('JsonRpcRequest', {
  jsonrpc,
  id: id.optional(),
  method: z.string().min(1).describe('Method of the tool protocol.'),
  params: z
    .looseObject({})
    .meta({
      wire: { anyOf: [{ $ref: '#/components/schemas/ToolCall' }, { type: 'object', additionalProperties: true }] },
    })
    .describe('Parameters of the method.')
    .optional(),
});

const jsonRpcError = component('JsonRpcError', {
  jsonrpc,
  id: id.nullable(),
  error: z
    .strictObject({
      code: z.int().describe(MEANINGS.code),
      message: z.string().describe(MEANINGS.message),
      data: z
        .looseObject({ code: z.enum(['invalid_parameter', 'internal_error']).describe(MEANINGS.code) })
        .describe('Code of this interface.')
        .optional(),
    })
    .describe(MEANINGS.error),
});

/** Methods that the documents do not describe (`server/discover`, `initialize`, `ping`) answer an object of the protocol's own. */
const otherResult = z.looseObject({});

const result = z
  .union([toolsList, ...Object.values(TOOL_RESULTS), toolError, paymentRequired, otherResult])
  .describe('Result of the method.');

export const mcpAnswer = component('JsonRpcAnswer', { jsonrpc, id, result });
/** The protocol requires status 200 for an unknown tool and for arguments that are not an object. */
const mcpReply = z.union([mcpAnswer, jsonRpcError]).meta({ id: 'JsonRpcReply' });

const headers = z.object({
  'mcp-method': z.string().describe('Current era: required, equal to `method` of the body.').optional(),
  'mcp-name': z
    .string()
    .describe(
      'Current era: required with `tools/call`, equal to `params.name`; on a method that has no name it is refused.',
    )
    .optional(),
  'mcp-protocol-version': z
    .enum(PROTOCOL_VERSIONS)
    .describe('Current era: required, equal to the claim in `params._meta`. 2025 era: optional.')
    .optional(),
});

const SEARCH_RESULT = {
  results: [
    {
      itemId: '7c1e5d20-1b3a-5f47-9d8e-4a6b8c0d2e4f',
      title: 'Zoning case ZC-26-014, 1200 Example Road',
      jurisdiction: 'Sample City',
      body: 'City Council',
      meetingAt: '2026-04-28T14:00:00.000Z',
      meetingDate: '2026-04-28',
      timezone: 'America/Chicago',
      status: 'scheduled',
      matterFile: 'ZC-26-014',
      excerpt: 'a request to rezone 40 acres at 1200 Example Road to allow a data center',
      sourceUrl: 'https://example.org/sample-city/items/5177',
      publisher: { jurisdiction: 'Sample City', body: 'City Council', sourceType: 'legistar' },
      freshness: { status: 'healthy', lastSuccessfulCheckAt: '2026-04-14T06:00:00.000Z' },
    },
  ],
  truncated: false,
  guidance: 'Follow sourceUrl before relying on an item. An empty result does not prove that nothing happened.',
  nextCursor: null,
  candidateLimitReached: false,
};

const SEARCH_REQUEST = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'search_agenda',
    arguments: { query: 'data center', limit: 5 },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};

const refusal = {
  error: { code: 'invalid_parameter', message: 'query: Too small: expected string to have >=1 characters' },
};

const resultOf = (structuredContent: object, text: object) => ({
  resultType: 'complete',
  content: [{ type: 'text', text: JSON.stringify(text) }],
  structuredContent,
});

const TOOL_LINES = Object.values(TOOLS)
  .map(({ name, description }) => `- \`${name}\`: ${description.replaceAll('\n', ' ')}`)
  .join('\n');

export const postMcpJsonRpc = operation({
  operationId: 'postMcpJsonRpc',
  method: 'POST',
  path: '/api/v1/mcp',
  tag: 'Tools',
  summary: 'Call the tools by JSON-RPC',
  description: `The Model Context Protocol over HTTP, in two eras. A request that carries its protocol version in \`params._meta\`
(\`io.modelcontextprotocol/protocolVersion\`) is of the current era: it is answered as JSON, and its headers must agree with its body. Any other is of
the 2025 era: it must accept both \`application/json\` and \`text/event-stream\`, is answered as server-sent events, and may be a batch of at most 20.

${TOOL_LINES}

A result has its data as \`structuredContent.data\` and, the same, as JSON text; a tool's own refusal is a result with \`isError: true\`. The payload of a tool is
at most 16,384 bytes: long texts are shortened, then rows are left out. A tool takes at most 10 seconds. Pages of a browser may call from the origins that the
operator allows; any other \`Origin\` is 403.`,
  example: {
    parameters: { 'mcp-method': 'tools/call', 'mcp-name': 'search_agenda', 'mcp-protocol-version': '2026-07-28' },
    body: { search: { summary: 'A search, current era', value: SEARCH_REQUEST } },
    success: {
      found: {
        summary: 'One item',
        value: { jsonrpc: '2.0', id: 1, result: resultOf({ data: SEARCH_RESULT }, SEARCH_RESULT) },
      },
      refused: {
        summary: 'A refusal of the tool',
        value: { jsonrpc: '2.0', id: 1, result: { isError: true, ...resultOf(refusal, refusal) } },
      },
    },
  },
  access: 'key',
  scope: 'mcp:read',
  surface: 'tools',
  ...NO_INPUT,
  headers,
  body: {
    schema: z
      .union([jsonRpcRequest, z.array(jsonRpcRequest).min(1).max(MAX_BATCH_ELEMENTS)])
      .meta({ id: 'JsonRpcBody' }),
    maxBytes: 65_536,
  },
  success: { status: 200, schema: mcpReply },
  otherAnswers: [
    { status: 202, when: 'The body contained notifications only.', schema: null },
    { status: 400, when: 'The headers, the era or the message are wrong.', schema: jsonRpcError },
    { status: 404, when: 'The method is unknown (current era).', schema: jsonRpcError },
    { status: 406, when: 'A request of the 2025 era does not accept both media types.', schema: jsonRpcError },
  ],
  refusals: [
    'unauthorized',
    'forbidden',
    'request_too_large',
    'rate_limited',
    'internal_error',
    'authentication_unavailable',
  ],
  refusalsAt: { 415: ['invalid_parameter'] },
});
