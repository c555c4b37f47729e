import { toolBilling } from '../admission/billing.ts';
import { channelGate } from '../admission/payments/channel-gate.ts';
import type { Payments } from '../admission/payments/pay-for-read.ts';
import type { ReadOutcome } from '../admission/payments/payment-parts.ts';
import { ToolRefusal } from '../contract/tools/tool-refusal.ts';
import { MAX_TOOL_BYTES, type Tool } from '../contract/tools/tool.ts';
import type { ToolName } from '../contract/tools/tool-names.ts';
import { TOOLS } from '../contract/tools/tools.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { SpanStart, Tracing } from '../domain/ports/tracing.ts';
import { withinDeadline } from '../domain/within-deadline.ts';
import { type Fitted, fitPayload } from './fit-payload.ts';
import { FITTINGS } from './fittings.ts';
import { Rejection } from '../domain/rejections.ts';
import { parseArguments } from './parse-arguments.ts';
import type { Found, ToolCall, ToolFunctions } from './tool-functions.ts';
import { refusalOf, toolRefusalOf } from './tool-refusals.ts';
import { challengeResult, dataResult, refusalResult, type ToolResult } from './tool-results.ts';

export interface ToolMetrics {
  /** `outcome` is `ok` or the code of the refusal. */
  toolAnswered(tool: ToolName, outcome: string, seconds: number): void;
}

export interface ToolRunnerParts {
  readonly functions: ToolFunctions;
  /** Sells the reads of `search_agenda` and `get_agenda_item`, where the account is to pay for each. */
  readonly payments: Pick<Payments, 'open' | 'payForRead'>;
  readonly billingEnforced: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ToolMetrics;
  readonly deadlineMs: number;
  /** Null, or left out, where no traces are asked for. */
  readonly tracing?: Tracing | null;
}

/** Runs one call of a tool. Never throws: whatever goes wrong is a result with `isError`. */
export type RunTool = (name: ToolName, input: unknown, call: ToolCall) => Promise<ToolResult>;

type AnyFunction = (input: unknown, call: ToolCall) => Promise<Found<object>>;

const SOLD: ReadonlySet<ToolName> = new Set(['search_agenda', 'get_agenda_item']);

const fitted = (name: ToolName, { data, cursorAfter }: Found<object>): Fitted<object> => {
  const fits = fitPayload(data as never, FITTINGS[name](cursorAfter) as never, MAX_TOOL_BYTES) as Fitted<object> | null;
  if (fits === null) throw refusalOf('response_too_large');
  return fits;
};

const isEmpty = ({ data }: Pick<Found<object>, 'data'>): boolean =>
  'results' in data && Array.isArray(data.results) && data.results.length === 0;

/** What is found by a read that is sold; what is refused for its emptiness or its size is an outcome of it. */
const outcomeOf = async (name: ToolName, find: () => Promise<Found<object>>): Promise<ReadOutcome> => {
  try {
    const found = await find();
    if (isEmpty(found)) return { kind: 'empty' };
    const fits = fitted(name, found);
    return isEmpty(fits) ? { kind: 'too_large' } : { kind: 'data', text: fits.text };
  } catch (error) {
    if (error instanceof ToolRefusal && error.code === 'empty_result_not_chargeable') return { kind: 'empty' };
    if (error instanceof ToolRefusal && error.code === 'response_too_large') return { kind: 'too_large' };
    throw error;
  }
};

export const createToolRunner = (parts: ToolRunnerParts): RunTool => {
  const { clock, logger, metrics, payments } = parts;

  /** The refusals that stand before the arguments are looked at. */
  const requireBilling = (name: ToolName, { principal, payment }: ToolCall): void => {
    const billing = { facts: principal.billing, enforced: parts.billingEnforced, now: clock.now() };
    if (SOLD.has(name)) channelGate(name, billing, { open: payments.open, attached: payment !== undefined });
    else if (toolBilling(name, billing) === 'access_denied') throw refusalOf('access_denied');
  };

  /** Null where nothing is to be paid for this call. The payment keeps a deadline of its own, which never cuts off a settlement. */
  const sold = async (name: ToolName, input: object, call: ToolCall): Promise<ToolResult | null> => {
    const answer = await payments.payForRead({
      principal: call.principal,
      tool: name,
      arguments: input,
      payment: call.payment,
      sharedInBatch: call.paymentShared,
      signal: call.signal,
      read: (signal) => outcomeOf(name, () => ask(name, input, { ...call, signal })),
    });
    switch (answer.kind) {
      case 'serve':
        return null;
      case 'paid':
        return dataResult(answer.data, answer.text, answer.receipt);
      case 'challenge':
        return challengeResult(answer.challenge);
      case 'error': {
        const { code, message, ...extra } = answer;
        throw new ToolRefusal(code, message, extra);
      }
    }
  };

  const ask = (name: ToolName, input: object, call: ToolCall) => (parts.functions[name] as AnyFunction)(input, call);

  const answer = async (name: ToolName, input: unknown, call: ToolCall): Promise<ToolResult> => {
    requireBilling(name, call);
    const asked = parseArguments(TOOLS[name], input);
    const paid = SOLD.has(name) ? await sold(name, asked, call) : null;
    if (paid !== null) return paid;
    const found = await withinDeadline(clock, parts.deadlineMs, call.signal, (signal) => ask(name, asked, { ...call, signal }));
    const { data, text } = fitted(name, found);
    return dataResult(data, text);
  };

  const tell = (tool: Tool, { requestId, signal }: ToolCall, { code }: ToolRefusal, error: unknown): void => {
    // What fails because nobody waits for it any more is no failure.
    if (signal.aborted || error instanceof ToolRefusal) return;
    if (code === 'timeout') logger.warn({ requestId, tool: tool.name, code }, 'the tool took too long');
    if (code === 'service_unavailable') logger.error({ requestId, tool: tool.name, code, err: error }, 'the tool failed');
  };

  const run: RunTool = async (name, input, call) => {
    const started = clock.now();
    /** Null where the request is refused as a whole, and counted as such. */
    let outcome: string | null = 'ok';
    try {
      const result = await answer(name, input, call);
      if (result.isError === true) outcome = 'payment_required';
      return result;
    } catch (error) {
      const refusal = toolRefusalOf(TOOLS[name], error);
      outcome = refusal.code;
      tell(TOOLS[name], call, refusal, error);
      if (refusal.code === 'rate_limited' && call.refuseRequest !== null) {
        const { code, message, retryAfterSeconds = 1 } = refusal;
        call.refuseRequest(new Rejection(code, message, { retryAfterSeconds }));
        outcome = null;
      }
      return refusalResult(refusal);
    } finally {
      if (outcome !== null) metrics.toolAnswered(name, outcome, (clock.now() - started) / 1000);
    }
  };
  const { tracing = null } = parts;
  return tracing === null ? run : (name, input, call) => tracing.span(ofCall(name), () => run(name, input, call));
};

const ofCall = (name: ToolName): SpanStart => ({
  name: `tools/call ${name}`,
  kind: 'internal',
  attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': name },
});
