import { z } from 'zod';
import { component, count, DATA, MEANINGS, pascal } from '../fields.ts';
import { paymentChallenge } from './payment-challenge.ts';
import { TOOL_ERRORS, type ToolErrorCode } from './tool-errors.ts';
import type { Tool } from './tool.ts';
import { TOOLS } from './tools.ts';
import type { ToolName } from './tool-names.ts';

const content = z
  .array(z.strictObject({ type: z.literal('text').describe('Type of the part.'), text: z.string().describe('The text.') }))
  .min(1)
  .describe('The data as JSON text; of a refusal, all of the structured content.');
const resultType = z.literal('complete').describe('That the result is complete.');
const _meta = z.looseObject({}).describe('What the tool protocol adds.').optional();
const open = { resultType, content, _meta };
const isError = z.literal(true).describe('Whether the result is a refusal.');
const STRUCTURED = 'The result as an object.';

const toolResult = <Data extends z.ZodType>({ name, data }: { readonly name: string; readonly data: Data }) =>
  component(`${pascal(name)}Result`, {
    ...open,
    isError: z.literal(false).describe(isError.description!).optional(),
    structuredContent: z.strictObject({ data: data.describe(DATA) }).describe(STRUCTURED),
  });

type ToolResult<Data extends z.ZodType> = ReturnType<typeof toolResult<Data>>;
type ToolResults = { readonly [Name in ToolName]: ToolResult<(typeof TOOLS)[Name]['data']> };

export const TOOL_RESULTS = Object.fromEntries(
  Object.values<Tool>(TOOLS).map((tool) => [tool.name, toolResult(tool)]),
) as unknown as ToolResults;

const toolErrorCode = z.enum(Object.keys(TOOL_ERRORS) as [ToolErrorCode, ...ToolErrorCode[]]).meta({ id: 'ToolErrorCode' });

/** `retryAfterSeconds` is present for limits and for payments in progress. */
export const toolError = component('ToolError', {
  ...open,
  isError,
  structuredContent: z
    .strictObject({
      error: z
        .strictObject({
          code: toolErrorCode.describe(MEANINGS.code),
          message: z.string().min(1).describe(MEANINGS.message),
          retryAfterSeconds: z.int().min(1).describe('Seconds after which to ask again.').optional(),
          details: z.unknown().describe(MEANINGS.details).optional(),
        })
        .describe(MEANINGS.error),
    })
    .describe(STRUCTURED),
});

export const paymentRequired = component('PaymentRequired', { ...open, isError, structuredContent: paymentChallenge.describe(STRUCTURED) });

export const toolsList = component('ToolsList', {
  resultType,
  tools: z
    .array(
      z.looseObject({
        name: z.string().min(1).describe('Name.'),
        title: z.string().describe('Title.').optional(),
        description: z.string().describe('What it is, in words.'),
        inputSchema: z.looseObject({ type: z.literal('object').describe('Type.') }).describe('JSON Schema of the arguments.'),
      }),
    )
    .describe('The tools.'),
  ttlMs: count.describe('Milliseconds for which the list may be kept.'),
  cacheScope: z.enum(['public', 'private']).describe('Who may keep the list.'),
  _meta,
});

const [firstCall, ...otherCalls] = Object.values<Tool>(TOOLS).map(({ name, input }) =>
  z
    .looseObject({ name: z.literal(name).describe('Name.'), arguments: input.describe('The arguments of the tool.').optional() })
    .meta({ id: `${pascal(name)}Call` }),
);
/** What `params` of a `tools/call` is for each tool; the edge leaves the arguments to the tool itself. */
export const toolCall = z.discriminatedUnion('name', [firstCall!, ...otherCalls]).meta({ id: 'ToolCall' });
