import type { z } from 'zod';
import type { Principal } from '../admission/admit.ts';
import type { ToolName } from '../../../contract/tools/tool-names.ts';
import type { TOOLS } from '../../../contract/tools/tools.ts';
import type { Rejection } from '../../../domain/rejections.ts';

/** One admitted call of a tool. */
export interface ToolCall {
  readonly principal: Principal;
  readonly requestId: string;
  /** The public address of the service, without a slash at the end. */
  readonly baseUrl: string;
  /** Aborted at the tool's deadline, and when the caller has gone. */
  readonly signal: AbortSignal;
  /** `_meta["x402/payment"]` as received; undefined where there is none. */
  readonly payment: unknown;
  /** Another call of the same batch carries the same payment. */
  readonly paymentShared: boolean;
  /** Answers the HTTP request with this refusal instead of a result; null for a call of a batch, whose other calls are answered. */
  readonly refuseRequest: ((rejection: Rejection) => void) | null;
}

export type ToolData<Name extends ToolName> = z.output<(typeof TOOLS)[Name]['data']>;

/** The data of a tool before truncation. */
export interface Found<Data> {
  readonly data: Data;
  /** Of a page: the cursor after that many of its rows, from 1. Left out on the last page. */
  readonly cursorAfter?: (rows: number) => string;
}

/**
 * The functions behind the tools. Inputs are parsed. Refusals are thrown: a `ToolRefusal`, or a `Rejection` whose
 * code the tool has; what else is thrown is answered `service_unavailable`, or `timeout` for `DeadlineExceeded`.
 */
export type ToolFunctions = {
  readonly [Name in ToolName]: (input: z.output<(typeof TOOLS)[Name]['input']>, call: ToolCall) => Promise<Found<ToolData<Name>>>;
};
