import type { z } from 'zod';
import type { SearchAgendaInput } from '../../../contract/tools/search-agenda.ts';
import { TOOL_ERRORS, type ToolErrorCode, ToolRefusal } from '../../../contract/tools/tool-errors.ts';
import type { ToolName } from '../../../contract/tools/tool-names.ts';
import { MAX_TOOL_BYTES, type Tool } from '../../../contract/tools/tool.ts';
import { TOOLS } from '../../../contract/tools/tools.ts';
import { InvalidSearchCursor } from '../../../domain/cursor.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { OnAllowance } from '../../../domain/ports/counts.ts';
import { DeadlineExceeded } from '../../../domain/ports/database.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import type { Tracing } from '../../../domain/ports/tracing.ts';
import { PLAINLY } from '../../../domain/text/plain-issues.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { withinDeadline } from '../../../plumbing/retry.ts';
import { searchPlace } from '../../../queries/search/search-agenda.ts';
import type { Principal } from '../admission/admit.ts';
import { toolBilling } from '../admission/billing.ts';
import { checkChannel, type Payments } from '../admission/payments/pay-for-read.ts';
import { describeFindings } from '../http/input.ts';
import { omitNulls } from './null-arguments.ts';
import { type Truncated, truncatePayload } from './truncate-payload.ts';
import type { HttpMetrics } from '../metrics/http-metrics.ts';

/** A result of `tools/call`, the same in both protocol eras. */
interface ToolResult {
  readonly [member: string]: unknown;
  readonly resultType: 'complete';
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: { readonly [member: string]: unknown };
  readonly isError?: true;
  readonly _meta?: { readonly [member: string]: unknown };
}

/** Returns a result with data. `receipt` is the receipt of a settled payment. */
const dataResult = (data: unknown, text: string, receipt?: object): ToolResult => ({
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

const refusalResult = ({ code, message, retryAfterSeconds, details }: ToolRefusal): ToolResult =>
  errorResult({
    error: {
      code,
      message,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)) }),
      ...(details === undefined ? {} : { details }),
    },
  });

const createRefusal = (code: ToolErrorCode): ToolRefusal => new ToolRefusal(code, TOOL_ERRORS[code]);
const hasErrorCode = (tool: Tool, code: string): code is ToolErrorCode =>
  (tool.errors as readonly string[]).includes(code);

/** Returns the refusal for an error of a tool. A defect is not described. */
function toToolRefusal(tool: Tool, error: unknown): ToolRefusal {
  if (error instanceof ToolRefusal) return error;
  if (error instanceof InvalidSearchCursor) return new ToolRefusal(error.code, error.message);
  if (error instanceof Rejection) {
    // Arguments were parsed before, so `invalid_parameter` from a tool can only refer to the cursor.
    const code =
      error.code === 'invalid_parameter' && hasErrorCode(tool, 'invalid_cursor') ? 'invalid_cursor' : error.code;
    if (hasErrorCode(tool, code)) return new ToolRefusal(code, error.message, error);
  }
  return createRefusal(error instanceof DeadlineExceeded ? 'timeout' : 'service_unavailable');
}

/**
 * Parses arguments without their nulls and fills in defaults. Checks the cursor of a search too, before anything is
 * read or paid. Throws the findings without the values.
 */
function parseArguments(tool: Tool, input: unknown): object {
  const parsed = tool.input.safeParse(omitNulls(input ?? {}), PLAINLY);
  if (parsed.success) {
    if (tool.name === 'search_agenda') searchPlace(parsed.data as SearchAgendaInput);
    return parsed.data as object;
  }
  const { text, details } = describeFindings(parsed.error);
  throw new ToolRefusal(hasErrorCode(tool, 'invalid_input') ? 'invalid_input' : 'invalid_parameter', text, { details });
}

export interface ToolRunnerParts {
  readonly functions: ToolFunctions;
  /** Charges for reads of the tools with `access: 'paid'`, if the account pays per call. */
  readonly payments: Pick<Payments, 'open' | 'payForRead'>;
  readonly billingEnforced: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<HttpMetrics, 'toolAnswered'>;
  readonly deadlineMs: number;
  readonly tracing?: Tracing | null;
}

/** Runs a tool. Never throws: every failure becomes a result with `isError`. */
export type RunTool = (name: ToolName, input: unknown, call: ToolCall) => Promise<ToolResult>;
type AnyFunction = (input: unknown, call: ToolCall) => Promise<OperationResult<object>>;

const isSold = (name: ToolName): boolean => TOOLS[name].access === 'paid';

function fitted(name: ToolName, { data, cursorAfter }: OperationResult<object>): Truncated<object> {
  const fits = truncatePayload(data, (TOOLS[name] as Tool).truncation(cursorAfter), MAX_TOOL_BYTES);
  if (fits === null) throw createRefusal('response_too_large');
  return fits;
}

const isEmpty = ({ data }: { readonly data: object }): boolean =>
  'results' in data && Array.isArray(data.results) && data.results.length === 0;

/**
 * Returns the JSON text to sell. Throws a refusal if there is no data, or none is left after cutting to the size limit.
 */
async function readForSale(name: ToolName, find: () => Promise<OperationResult<object>>): Promise<string> {
  const reading = await find();
  if (isEmpty(reading)) throw createRefusal('empty_result_not_chargeable');
  const fits = fitted(name, reading);
  if (isEmpty(fits)) throw createRefusal('response_too_large');
  return fits.text;
}

function logFailure(
  logger: Logger,
  failure: { readonly requestId: string; readonly tool: ToolName; readonly code: ToolErrorCode },
  error: unknown,
): void {
  if (failure.code === 'timeout') logger.warn(failure, 'the tool took too long');
  if (failure.code === 'service_unavailable') logger.error({ ...failure, err: error }, 'the tool failed');
}

export function createToolRunner(parts: ToolRunnerParts): RunTool {
  const { clock, logger, metrics, payments } = parts;
  /**
   * Sells the read; null if the call is free. The payment has its own deadline, which never interrupts a settlement.
   */
  const sellRead = async (name: ToolName, input: object, call: ToolCall): Promise<ToolResult | null> => {
    const answer = await payments.payForRead({
      principal: call.principal,
      tool: name,
      arguments: input,
      payment: call.payment,
      sharedInBatch: call.paymentShared,
      signal: call.signal,
      read: (signal) => readForSale(name, () => ask(name, input, { ...call, signal })),
    });
    switch (answer.kind) {
      case 'serve':
        return null;
      case 'paid':
        return dataResult(answer.data, answer.text, answer.receipt);
      case 'challenge':
        // The challenge is the whole object: a paying client recognizes it by its members.
        return errorResult({ ...answer.challenge });
      case 'error':
        throw answer;
    }
  };
  const ask = (name: ToolName, input: object, call: ToolCall) => (parts.functions[name] as AnyFunction)(input, call);
  const answer = async (name: ToolName, input: unknown, call: ToolCall): Promise<ToolResult> => {
    const billing = { facts: call.principal.billing, enforced: parts.billingEnforced, now: clock.now() };
    // Billing refusals come before the check of the arguments.
    const gate = isSold(name)
      ? checkChannel(name, billing, { open: payments.open, attached: call.payment !== undefined })
      : 'serve';
    if (!isSold(name) && toolBilling(name, billing) === 'access_denied') throw createRefusal('access_denied');
    const parsed = parseArguments(TOOLS[name], input);
    const paid = gate === 'pay' ? await sellRead(name, parsed, call) : null;
    if (paid !== null) return paid;
    const reading = await withinDeadline(clock, parts.deadlineMs, call.signal, (signal) =>
      ask(name, parsed, { ...call, signal }),
    );
    const { data, text } = fitted(name, reading);
    return dataResult(data, text);
  };
  /** Returns the result of a failed call, and the outcome to count: null if the whole request is refused. */
  const refuse = (name: ToolName, error: unknown, call: ToolCall) => {
    const refusal = toToolRefusal(TOOLS[name], error);
    const { code, message, retryAfterSeconds = 1 } = refusal;
    // Failures after the caller disconnected are not logged.
    if (!call.signal.aborted && !(error instanceof ToolRefusal))
      logFailure(logger, { requestId: call.requestId, tool: name, code }, error);
    const result = refusalResult(refusal);
    if (code !== 'rate_limited' || call.refuseRequest === null) return { result, outcome: code };
    call.refuseRequest(new Rejection(code, message, { retryAfterSeconds }));
    return { result, outcome: null };
  };
  const run: RunTool = async (name, input, call) => {
    const started = clock.now();
    const { result, outcome } = await answer(name, input, call).then(
      (result) => ({ result, outcome: result.isError === true ? 'payment_required' : 'ok' }),
      (error: unknown) => refuse(name, error, call),
    );
    // A request that is refused as a whole is counted elsewhere.
    if (outcome !== null) metrics.toolAnswered(name, outcome, (clock.now() - started) / 1000);
    return result;
  };
  const { tracing } = parts;
  if (!tracing) return run;
  return (name, input, call) => {
    const attributes = { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': name };
    return tracing.span({ name: `tools/call ${name}`, kind: 'internal', attributes }, () => run(name, input, call));
  };
}

export interface ToolCall {
  readonly principal: Principal;
  readonly requestId: string;
  /** The public address of the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly onAllowance: OnAllowance;
  /** Aborted at the tool's deadline and when the caller disconnects. */
  readonly signal: AbortSignal;
  /** `_meta["x402/payment"]` as received; undefined if absent. */
  readonly payment: unknown;
  /** Another call of the same batch carries the same payment. */
  readonly paymentShared: boolean;
  /** Answers the whole HTTP request with this refusal. Null for a call of a batch, whose other calls are answered. */
  readonly refuseRequest: ((rejection: Rejection) => void) | null;
}

export type ToolData<Name extends ToolName> = z.output<(typeof TOOLS)[Name]['data']>;

interface OperationResult<Data> {
  readonly data: Data;
  /** Returns the cursor after that many rows of the page, counted from 1. Absent on the last page. */
  readonly cursorAfter?: (rows: number) => string;
}

/**
 * The functions of the tools, with parsed inputs. A `ToolRefusal` and a `Rejection` with a code of the tool refuse the
 * call; `DeadlineExceeded` is `timeout`.
 */
export type ToolFunctions = {
  readonly [Name in ToolName]: (
    input: z.output<(typeof TOOLS)[Name]['input']>,
    call: ToolCall,
  ) => Promise<OperationResult<ToolData<Name>>>;
};
