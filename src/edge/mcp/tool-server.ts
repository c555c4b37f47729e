import {
  type JSONRPCRequest,
  ProtocolError,
  type Result,
  Server,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import { LEGACY_VERSIONS, PROTOCOL_VERSIONS } from '../../../contract/post-mcp-json-rpc.ts';
import type { Tool } from '../../../contract/tools/tool.ts';
import { notOneOf } from '../../../domain/text/plain-issues.ts';
import { TOOL_NAMES, type ToolName } from '../../../contract/tools/tool-names.ts';
import { TOOLS } from '../../../contract/tools/tools.ts';
import { describedInput } from '../documents/json-schemas.ts';
import { findArguments, isShared, PAYMENT_META } from './message-checks.ts';
import { writePlainSchema } from './plain-schema.ts';
import { PROTOCOL_ERRORS, extractFinding, withDataCode } from './protocol-errors.ts';
import type { RunTool, ToolCall } from './run-tool.ts';
import { SOFTWARE_VERSION } from '../../../domain/health.ts';

/** Clients may cache the tool list for this long and must not share it. */
const LIST_CACHE = { ttlMs: 300_000, cacheScope: 'private' } as const;

export const toolList = () => ({
  resultType: 'complete' as const,
  tools: TOOL_NAMES.map((name) => {
    const { title, description, input, effect }: Tool = TOOLS[name];
    const inputSchema: { type: 'object'; [keyword: string]: unknown } = {
      ...writePlainSchema(describedInput(input)),
      type: 'object',
    };
    const hints = {
      readOnlyHint: effect === 'reads',
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    };
    return {
      name,
      title,
      description: description.replaceAll('\n', ' '),
      inputSchema,
      annotations: { title, ...hints },
    };
  }),
  ...LIST_CACHE,
});

export interface Exchange extends Omit<ToolCall, 'signal' | 'payment' | 'paymentShared'> {
  /** Receives the result of the only request of an exchange in the current protocol era. */
  readonly answer: (message: object) => void;
  readonly runTool: RunTool;
  readonly tools: ReturnType<typeof toolList>;
  readonly body: unknown;
}

const SERVER_INFO = { name: 'civic-records', title: 'Civic Records Service', version: SOFTWARE_VERSION };

const INSTRUCTIONS = `Public local-government records of north-central Texas. Ask get_coverage which bodies are read, search_agenda for agenda items by words, and
get_agenda_item for one of them. Every answer describes what was observed: follow sourceUrl before you rely on a record, and take an empty result for no proof
that nothing happened. report_missing_data reports what an official source publishes and this service lacks.`;

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** Adds this interface's code to every error, including those of the library. */
class ToolServer extends Server {
  /** Receives a result before the library wraps it in a `Response`, which costs as much as the tool itself. */
  takeResult: ((message: object) => void) | undefined;

  /** The library throws a plain error for params that fail its schema, and would answer it as an internal error. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, context) => {
      try {
        return await wrapped(request, context);
      } catch (error) {
        const finding = error instanceof ProtocolError ? null : extractFinding((error as Error).message);
        throw finding === null ? error : new ProtocolError(PROTOCOL_ERRORS.invalidParams, finding);
      }
    };
  }

  override async connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if (this.takeResult !== undefined && 'result' in message) {
        this.takeResult(message);
        return transport.close();
      }
      return send('error' in message ? { ...message, error: withDataCode(message.error) } : message, options);
    };
    await super.connect(transport);
  }
}

/** Creates a server whose results are the same in both protocol eras, including `resultType`. */
export function createToolServer(
  era: 'modern' | 'legacy',
  { runTool, tools, body, answer, ...call }: Exchange,
): Server {
  const server = new ToolServer(SERVER_INFO, {
    capabilities: { tools: { listChanged: false } },
    instructions: INSTRUCTIONS.replaceAll('\n', ' '),
    cacheHints: { 'server/discover': { ...LIST_CACHE } },
    supportedProtocolVersions: era === 'modern' ? [...PROTOCOL_VERSIONS] : [...LEGACY_VERSIONS],
  });
  if (era === 'modern') server.takeResult = answer;
  server.setRequestHandler('tools/list', () => tools);
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    if (!isToolName(params.name))
      throw new ProtocolError(PROTOCOL_ERRORS.invalidParams, `name ${notOneOf(params.name, TOOL_NAMES)}`);
    const { id, signal, _meta: meta } = context.mcpReq;
    const payment = meta?.[PAYMENT_META];
    // The library drops arguments that it considers dangerous; the tool must refuse them instead.
    return runTool(params.name, findArguments(body, id), {
      ...call,
      signal,
      payment,
      paymentShared: isShared(body, payment),
    });
  });
  return server;
}

const isToolName = (name: string): name is ToolName => (TOOL_NAMES as readonly string[]).includes(name);
