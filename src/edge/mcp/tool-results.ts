import type { PaymentChallenge } from '../../../contract/tools/payment-challenge.ts';
import type { ToolRefusal } from '../../../contract/tools/tool-refusal.ts';

/** A result of `tools/call`, the same in both eras. */
export interface ToolResult {
  readonly [member: string]: unknown;
  readonly resultType: 'complete';
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: { readonly [member: string]: unknown };
  readonly isError?: true;
  readonly _meta?: { readonly [member: string]: unknown };
}

/** The `data` of an answer, which the text holds too; `receipt` is that of a settled payment. */
export const dataResult = (data: unknown, text: string, receipt?: object): ToolResult => ({
  resultType: 'complete',
  content: [{ type: 'text', text }],
  structuredContent: { data },
  ...(receipt === undefined ? {} : { _meta: { 'x402/payment-response': receipt } }),
});

const errorResult = (structuredContent: { readonly [member: string]: unknown }): ToolResult => ({
  resultType: 'complete',
  isError: true,
  content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
  structuredContent,
});

/** A refusal in the wrapper. */
export const refusalResult = ({ code, message, retryAfterSeconds, details }: ToolRefusal): ToolResult =>
  errorResult({
    error: {
      code,
      message,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)) }),
      ...(details === undefined ? {} : { details }),
    },
  });

/** The bare challenge: a client that pays finds it by its members. */
export const challengeResult = (challenge: PaymentChallenge): ToolResult => errorResult({ ...challenge });
