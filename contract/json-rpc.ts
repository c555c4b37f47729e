import { z } from 'zod';
import { component, MEANINGS } from './fields.ts';

const id = z.union([z.string(), z.int()]).describe('Names the request; its answer carries the same.');

const version = z.literal('2.0').describe('Version of JSON-RPC.');

/** One request; a notification has no id. */
export const jsonRpcRequest = component('JsonRpcRequest', {
  jsonrpc: version,
  id: id.optional(),
  method: z.string().min(1).describe('Method of the tool protocol.'),
  params: z
    .looseObject({})
    .meta({
      wire: { anyOf: [{ $ref: '#/components/schemas/ToolCall' }, { type: 'object', additionalProperties: true }] },
      description: 'Parameters of the method.',
    })
    .optional(),
});

/** Maximum number of elements of a batch; only the 2025 era has batches. */
export const MAX_BATCH_ELEMENTS = 20;

/** `data.code` is a code of this interface. */
export const jsonRpcError = component('JsonRpcError', {
  jsonrpc: version,
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

export const jsonRpcAnswer = <Schema extends z.ZodType>(result: Schema) =>
  component('JsonRpcAnswer', { jsonrpc: version, id, result: result.describe('What the method answers.') });
