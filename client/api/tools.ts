import { TOOL_PROTOCOL, type Tools } from '../generated/operations.ts';
import { CivicError, type ClientErrorCode } from './errors.ts';
import type { Operations } from './operations.ts';
import type { CallOptions } from './transport.ts';

/** Calls an MCP tool. Throws `CivicError` for its errors too; the details of `payment_required` are the payment challenge. */
export type CallTool = <Name extends keyof Tools>(
  name: Name,
  input: Tools[Name]['arguments'],
  options?: CallOptions,
) => Promise<Tools[Name]['data']>;

/** Forms of a response, which the documentation describes. */
interface ToolReply {
  readonly error?: { readonly message: string; readonly data?: { readonly code?: ClientErrorCode } };
  readonly result?: {
    readonly isError?: boolean;
    readonly structuredContent?: {
      readonly data?: unknown;
      readonly error?: {
        readonly code: ClientErrorCode;
        readonly message: string;
        readonly details?: unknown;
        readonly retryAfterSeconds?: number;
      };
    };
  };
}

export function toolsOver({ postMcpJsonRpc }: Operations): CallTool {
  return async (name, input, options) => {
    const claims = {
      'io.modelcontextprotocol/protocolVersion': TOOL_PROTOCOL,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: input, _meta: claims },
    } as const;
    const headers = { 'MCP-Protocol-Version': TOOL_PROTOCOL, 'Mcp-Method': 'tools/call', 'Mcp-Name': name } as const;
    const { error, result } = (await postMcpJsonRpc({ body, headers }, options)) as ToolReply;
    if (error !== undefined) throw new CivicError(error.data?.code ?? 'unknown', error.message, { status: 200 });
    const content = result?.structuredContent;
    if (content?.error !== undefined) {
      const { code, message, details, retryAfterSeconds } = content.error;
      throw new CivicError(code, message, {
        status: 200,
        details,
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      });
    }
    if (content?.data === undefined)
      throw new CivicError('payment_required', `a call of ${name} must be paid`, { status: 200, details: content });
    return content.data as never;
  };
}
