import { z } from 'zod';
import { component, count, DATA, matching, MEANINGS, pascal } from '../fields.ts';
import { TOOL_ERRORS, type ToolErrorCode } from './tool-errors.ts';
import type { ToolName } from './tool-names.ts';
import type { Tool } from './tool.ts';
import { TOOLS } from './tools.ts';

const address = matching(/^0x[0-9a-fA-F]{40}$/);

const paymentRequirements = z.strictObject({
  scheme: z.literal('exact').describe('How the payment is made.'),
  network: z.literal('eip155:84532').describe('The chain.'),
  asset: address.describe('Contract address of the asset.'),
  amount: matching(/^[1-9][0-9]*$/).describe('Amount in the smallest units of the asset, as decimal text.'),
  payTo: address.describe('Address that is paid.'),
  maxTimeoutSeconds: z.int().min(1).describe('How long the payment has to be settled.'),
  extra: z
    .strictObject({ name: z.string().describe('Name.'), version: z.string().describe('Version.') })
    .describe('Name and version of the asset in its signing domain.'),
});

/** The answer `payment_required` in place of data: the x402 challenge without a wrapper. */
export const paymentChallenge = component('PaymentChallenge', {
  x402Version: z.literal(2).describe('Version of the payment protocol.'),
  error: z.string().describe(MEANINGS.error),
  resource: z
    .strictObject({
      url: z.string().min(1).describe('Address.'),
      description: z.string().describe('Description.').optional(),
      mimeType: z.string().describe('Media type of what is paid for.').optional(),
    })
    .describe('Resource that is paid for.'),
  accepts: z.array(paymentRequirements).length(1).describe('The only accepted way to pay.'),
});
export type PaymentChallenge = z.output<typeof paymentChallenge>;

const content = z
  .array(
    z.strictObject({ type: z.literal('text').describe('Type of the part.'), text: z.string().describe('The text.') }),
  )
  .min(1)
  .describe('The data as JSON text. For a refusal, the complete structured content.');
const resultType = z.literal('complete').describe('That the result is complete.');
const _meta = z.looseObject({}).describe('Additions of the tool protocol.').optional();
const open = { resultType, content, _meta };
const isError = z.literal(true).describe('True if the result is a refusal.');
const STRUCTURED = 'The result as an object.';

const toolResult = <Data extends z.ZodType>({ name, data }: { readonly name: string; readonly data: Data }) =>
  component(`${pascal(name)}Result`, {
    ...open,
    isError: z.literal(false).describe(isError.description!).optional(),
    structuredContent: z.strictObject({ data: data.describe(DATA) }).describe(STRUCTURED),
  });

export const TOOL_RESULTS = {
  search_agenda: toolResult(TOOLS.search_agenda),
  get_agenda_item: toolResult(TOOLS.get_agenda_item),
  get_coverage: toolResult(TOOLS.get_coverage),
  get_data_coverage: toolResult(TOOLS.get_data_coverage),
  report_missing_data: toolResult(TOOLS.report_missing_data),
  get_data_report: toolResult(TOOLS.get_data_report),
} as const satisfies Readonly<Record<ToolName, z.ZodType>>;

const toolErrorCode = z
  .enum(Object.keys(TOOL_ERRORS) as [ToolErrorCode, ...ToolErrorCode[]])
  .meta({ id: 'ToolErrorCode' });

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
          retryAfterSeconds: z.int().min(1).describe('Seconds after which to retry.').optional(),
          details: z.unknown().describe(MEANINGS.details).optional(),
        })
        .describe(MEANINGS.error),
    })
    .describe(STRUCTURED),
});

export const paymentRequired = component('PaymentRequired', {
  ...open,
  isError,
  structuredContent: paymentChallenge.describe(STRUCTURED),
});

export const toolsList = component('ToolsList', {
  resultType,
  tools: z
    .array(
      z.looseObject({
        name: z.string().min(1).describe('Name.'),
        title: z.string().describe('Title.').optional(),
        description: z.string().describe('Description.'),
        inputSchema: z
          .looseObject({ type: z.literal('object').describe('Type.') })
          .describe('JSON Schema of the arguments.'),
      }),
    )
    .describe('The tools.'),
  ttlMs: count.describe('Milliseconds for which the list may be cached.'),
  cacheScope: z.enum(['public', 'private']).describe('Caches that may store the list.'),
  _meta,
});

const [firstCall, ...otherCalls] = Object.values<Tool>(TOOLS).map(({ name, input }) =>
  z
    .looseObject({
      name: z.literal(name).describe('Name.'),
      arguments: input.describe('The arguments of the tool.').optional(),
    })
    .meta({ id: `${pascal(name)}Call` }),
);
/** Schema of `params` of a `tools/call` for each tool. The tool itself parses its arguments. */
export const toolCall = z.discriminatedUnion('name', [firstCall!, ...otherCalls]).meta({ id: 'ToolCall' });
