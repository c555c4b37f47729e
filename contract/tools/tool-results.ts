import { z } from 'zod';
import { paymentChallenge } from './payment-challenge.ts';
import { TOOL_ERRORS, type ToolErrorCode } from './tool-errors.ts';
import type { Tool } from './tool.ts';
import { TOOLS } from './tools.ts';
import type { ToolName } from './tool-names.ts';

/** Text parts, the first of which holds the data as JSON; of an error or a challenge, all of the structured content. */
const content = z.array(z.strictObject({ type: z.literal('text'), text: z.string() })).min(1);
const resultType = z.literal('complete');
const open = { resultType, content, _meta: z.looseObject({}).optional() };

const toolResult = <Data extends z.ZodType>({ data }: { readonly data: Data }) =>
  z.strictObject({ ...open, isError: z.literal(false).optional(), structuredContent: z.strictObject({ data }) });

type ToolResult<Data extends z.ZodType> = ReturnType<typeof toolResult<Data>>;
type ToolResults = { readonly [Name in ToolName]: ToolResult<(typeof TOOLS)[Name]['data']> };

export const TOOL_RESULTS = Object.fromEntries(
  Object.values<Tool>(TOOLS).map((tool) => [tool.name, toolResult(tool)]),
) as unknown as ToolResults;

export const toolErrorCode = z.enum(Object.keys(TOOL_ERRORS) as [ToolErrorCode, ...ToolErrorCode[]]);

/** `retryAfterSeconds` is present for limits and for payments in progress. */
export const toolError = z.strictObject({
  ...open,
  isError: z.literal(true),
  structuredContent: z.strictObject({
    error: z.strictObject({
      code: toolErrorCode,
      message: z.string().min(1),
      retryAfterSeconds: z.int().min(1).optional(),
      details: z.unknown().optional(),
    }),
  }),
});

export const paymentRequired = z.strictObject({ ...open, isError: z.literal(true), structuredContent: paymentChallenge });

/** `ttlMs` and `cacheScope` say how long a client may keep the list. */
export const toolsList = z.strictObject({
  resultType,
  tools: z.array(
    z.looseObject({
      name: z.string().min(1),
      title: z.string().optional(),
      description: z.string(),
      inputSchema: z.looseObject({ type: z.literal('object') }),
    }),
  ),
  ttlMs: z.int().min(0),
  cacheScope: z.enum(['public', 'private']),
  _meta: z.looseObject({}).optional(),
});
