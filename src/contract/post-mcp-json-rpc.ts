import { z } from 'zod';
import { jsonRpcAnswer, jsonRpcError, jsonRpcRequest, MOST_BATCH_ELEMENTS } from './json-rpc.ts';
import { noParams, noQuery } from './fields.ts';
import { operation } from './operation.ts';
import { paymentRequired, TOOL_RESULTS, toolError, toolsList } from './tools/tool-results.ts';

/** Revisions of the tool protocol that are served, the current era's first. */
export const PROTOCOL_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const;

/** Those without a claim in the request. */
export const [, ...LEGACY_VERSIONS] = PROTOCOL_VERSIONS;

/** Methods beside the two that are written out (`server/discover`, `initialize`, `ping`) answer an object of the protocol's own. */
const otherResult = z.looseObject({});

const result = z.union([toolsList, ...Object.values(TOOL_RESULTS), toolError, paymentRequired, otherResult]);

export const mcpAnswer = jsonRpcAnswer(result);
/** A tool that there is not, and arguments that are no object, are answered 200 by the protocol's own rules. */
const mcpReply = z.union([mcpAnswer, jsonRpcError]);

const headers = z.object({
  'mcp-method': z.string().optional(),
  'mcp-name': z.string().optional(),
  'mcp-protocol-version': z.enum(PROTOCOL_VERSIONS).optional(),
});

/** In the 2025 era the same payload is sent as server-sent events, one `data:` frame a message. */
export const postMcpJsonRpc = operation({
  operationId: 'postMcpJsonRpc',
  method: 'POST',
  path: '/api/v1/mcp',
  access: 'key',
  scope: 'mcp:read',
  surface: 'tools',
  params: noParams,
  query: noQuery,
  headers,
  body: { schema: z.union([jsonRpcRequest, z.array(jsonRpcRequest).min(1).max(MOST_BATCH_ELEMENTS)]), maxBytes: 65_536 },
  success: { status: 200, schema: mcpReply },
  otherAnswers: [
    { status: 202, when: 'The body held notifications only.', schema: null },
    { status: 400, when: 'The headers, the era or the message are wrong.', schema: jsonRpcError },
    { status: 404, when: 'The method is unknown (current era).', schema: jsonRpcError },
    { status: 406, when: 'A request of the 2025 era does not accept both media types.', schema: jsonRpcError },
  ],
  refusals: ['unauthorized', 'forbidden', 'request_too_large', 'rate_limited', 'internal_error', 'authentication_unavailable'],
  refusalsAt: { 415: ['invalid_parameter'] },
});
