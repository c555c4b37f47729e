import { type ToolBilling, toolBilling } from '../admission/billing.ts';
import { ToolRefusal } from '../contract/tools/tool-refusal.ts';
import { MAX_TOOL_BYTES, type Tool } from '../contract/tools/tool.ts';
import type { ToolName } from '../contract/tools/tool-names.ts';
import { TOOLS } from '../contract/tools/tools.ts';
import type { Clock } from '../domain/ports/clock.ts';
import { DeadlineExceeded } from '../domain/ports/database.ts';
import type { Logger } from '../domain/ports/logger.ts';
import { type Fitted, fitPayload } from './fit-payload.ts';
import { FITTINGS } from './fittings.ts';
import { isPaidTool, type PaidRead, type PayPerCall } from './pay-per-call.ts';
import { type Found, type ToolCall, type ToolFunctions } from './tool-functions.ts';
import { isUnexpected, refusalOf, toolRefusalOf } from './tool-refusals.ts';
import { challengeResult, dataResult, refusalResult, type ToolResult } from './tool-results.ts';

export interface ToolMetrics {
  /** `outcome` is `ok` or the code of the refusal. */
  toolAnswered(tool: ToolName, outcome: string, seconds: number): void;
}

export interface ToolRunnerParts {
  /** The tools that there are. */
  readonly functions: Partial<ToolFunctions>;
  /** Left out: the channel is not enabled. */
  readonly payPerCall?: PayPerCall | undefined;
  readonly billingEnforced: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ToolMetrics;
  readonly deadlineMs: number;
}

/** Runs one call of a tool. Never throws: whatever goes wrong is a result with `isError`. */
export type RunTool = (name: ToolName, input: unknown, call: ToolCall) => Promise<ToolResult>;

type AnyFunction = (input: unknown, call: ToolCall) => Promise<Found<object>>;

/** The refusals that stand before the arguments are looked at (specification, section MCP tool error codes). */
const requireBilling = (billing: ToolBilling): void => {
  if (billing === 'access_denied') throw refusalOf('access_denied');
  if (billing === 'billing_entitlement_required') throw refusalOf('billing_entitlement_required');
};

const MOST_ISSUES = 10;

/** The refused values are not repeated. */
const parsed = (tool: Tool, input: unknown): object => {
  const result = tool.input.safeParse(input ?? {});
  if (result.success) return result.data as object;
  const issues = result.error.issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message }) => ({ path: path.join('.').slice(0, 200), message: message.slice(0, 200) }));
  const [{ path, message } = { path: '', message: 'invalid arguments' }] = issues;
  const code = (tool.errors as readonly string[]).includes('invalid_input') ? 'invalid_input' : 'invalid_parameter';
  throw new ToolRefusal(code, path === '' ? message : `${path}: ${message}`, { details: { issues } });
};

const fitted = (name: ToolName, { data, cursorAfter }: Found<object>): Fitted<object> => {
  const fits = fitPayload(data as never, FITTINGS[name](cursorAfter) as never, MAX_TOOL_BYTES) as Fitted<object> | null;
  if (fits === null) throw refusalOf('response_too_large');
  return fits;
};

const isEmpty = (data: object): boolean => 'results' in data && Array.isArray(data.results) && data.results.length === 0;

export const createToolRunner = (parts: ToolRunnerParts): RunTool => {
  const { clock, logger, metrics, payPerCall } = parts;

  const paid = async (payment: PaidRead): Promise<ToolResult> => {
    if (payPerCall === undefined) throw refusalOf('beta_unavailable');
    const answer = await payPerCall(payment);
    return answer.kind === 'challenge'
      ? challengeResult(answer.challenge)
      : dataResult(JSON.parse(answer.text), answer.text, answer.receipt);
  };

  const answer = async (name: ToolName, input: unknown, call: ToolCall): Promise<ToolResult> => {
    const billing = toolBilling(name, { facts: call.principal.billing, enforced: parts.billingEnforced, now: clock.now() });
    requireBilling(billing);
    const asked = parsed(TOOLS[name], input);
    const ask = parts.functions[name] as AnyFunction;
    const read = async (signal: AbortSignal) => fitted(name, await ask(asked, { ...call, signal }));
    if (billing === 'pay_per_call' && isPaidTool(name)) {
      return paid({
        tool: name,
        input: asked,
        call,
        billing,
        read: async (signal) => {
          const { data, text } = await read(signal);
          return { text, empty: isEmpty(data) };
        },
      });
    }
    const { data, text } = await read(call.signal);
    return dataResult(data, text);
  };

  /** The work is told to stop at the deadline, and is not waited for. */
  const withinDeadline = async (name: ToolName, input: unknown, call: ToolCall): Promise<ToolResult> => {
    const late = new AbortController();
    const answered = new AbortController();
    const deadline = clock.sleep(parts.deadlineMs, AbortSignal.any([call.signal, answered.signal])).then((): never => {
      const reason = new DeadlineExceeded(`${name} took over ${parts.deadlineMs} ms`);
      late.abort(reason);
      throw reason;
    });
    try {
      return await Promise.race([answer(name, input, { ...call, signal: AbortSignal.any([call.signal, late.signal]) }), deadline]);
    } finally {
      answered.abort();
      deadline.catch(() => undefined);
    }
  };

  return async (name, input, call) => {
    const started = clock.now();
    let outcome = 'ok';
    try {
      const result = await withinDeadline(name, input, call);
      if (result.isError) outcome = 'payment_required';
      return result;
    } catch (error) {
      const refusal = toolRefusalOf(TOOLS[name], error);
      outcome = refusal.code;
      if (isUnexpected(error) && !call.signal.aborted) {
        logger.error({ requestId: call.requestId, tool: name, code: outcome, err: error }, 'the tool failed');
      } else if (outcome === 'timeout' || outcome === 'service_unavailable') {
        logger.warn({ requestId: call.requestId, tool: name, code: outcome, err: error }, 'the tool failed');
      }
      return refusalResult(refusal);
    } finally {
      metrics.toolAnswered(name, outcome, (clock.now() - started) / 1000);
    }
  };
};
