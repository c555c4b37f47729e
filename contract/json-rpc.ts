import { z } from 'zod';

const id = z.union([z.string(), z.int()]).describe('Names the request; its answer carries the same.');

/** One request; a notification has no id. */
export const jsonRpcRequest = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: id.optional(),
  method: z.string().min(1),
  params: z
    .looseObject({})
    .meta({ wire: { anyOf: [{ $ref: '#/components/schemas/ToolCall' }, { type: 'object', additionalProperties: true }] } })
    .optional(),
});

/** Maximum number of elements of a batch; only the 2025 era has batches. */
export const MAX_BATCH_ELEMENTS = 20;

/** `data.code` is a code of this interface. */
export const jsonRpcError = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: id.nullable(),
  error: z.strictObject({
    code: z.int(),
    message: z.string(),
    data: z.looseObject({ code: z.enum(['invalid_parameter', 'internal_error']) }).optional(),
  }),
});

export const jsonRpcAnswer = <Schema extends z.ZodType>(result: Schema) => z.strictObject({ jsonrpc: z.literal('2.0'), id, result });
