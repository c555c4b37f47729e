import type { ToolBilling } from '../admission/billing.ts';
import type { PaymentChallenge } from '../contract/tools/payment-challenge.ts';
import type { ToolCall } from './tool-functions.ts';

export const PAID_TOOLS = ['search_agenda', 'get_agenda_item'] as const;
export type PaidTool = (typeof PAID_TOOLS)[number];
export const isPaidTool = (name: string): name is PaidTool => (PAID_TOOLS as readonly string[]).includes(name);

/** A call of a paid tool whose read has not been made. */
export interface PaidRead {
  readonly tool: PaidTool;
  /** Parsed, with its defaults. */
  readonly input: object;
  readonly call: ToolCall;
  readonly billing: ToolBilling;
  /** Makes the read, fitted to the cap. Throws a `ToolRefusal`, or what the tool threw. */
  read(signal: AbortSignal): Promise<ReadResult>;
}

export interface ReadResult {
  /** The data as JSON. */
  readonly text: string;
  /** Nothing was found. */
  readonly empty: boolean;
}

export type PaidAnswer =
  | { readonly kind: 'challenge'; readonly challenge: PaymentChallenge }
  /** `receipt` is left out where nothing was paid. */
  | { readonly kind: 'data'; readonly text: string; readonly receipt?: object };

/** Answers a call of a paid tool, by whatever channel it is paid; throws a `ToolRefusal`. */
export type PayPerCall = (read: PaidRead) => Promise<PaidAnswer>;
