import { request } from 'node:http';

type SentHeaders = Readonly<Record<string, string>>;

export interface ToolSending {
  readonly headers: SentHeaders;
  readonly body: string;
}

/** An answer of the tool endpoint as it came over the socket. */
export interface ToolAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The JSON of the body, or of each frame of server-sent events. */
  readonly messages: readonly RpcMessage[];
}

export interface RpcMessage {
  readonly jsonrpc?: string;
  readonly id?: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: {
    readonly code: number | string;
    readonly message: string;
    readonly data?: Record<string, unknown>;
  };
}

export const CURRENT = '2026-07-28';
export const CLAIM = {
  'io.modelcontextprotocol/protocolVersion': CURRENT,
  'io.modelcontextprotocol/clientCapabilities': {},
};
export const BOTH_TYPES = 'application/json, text/event-stream';

export interface ToolAsk {
  readonly url: string;
  readonly key?: string | null;
  readonly method?: string;
  readonly headers?: SentHeaders;
  /** Text is sent unchanged; parts are sent in chunks without a length. */
  readonly body?: string | Buffer | readonly (string | Buffer)[];
}

/** Sends exactly these headers: no `Accept`, no `Content-Type` of a library's own. */
export const askTools = ({ url, key, method = 'POST', headers = {}, body }: ToolAsk): Promise<ToolAnswer> =>
  new Promise((resolve, reject) => {
    const outgoing = request(`${url}/api/v1/mcp`, {
      method,
      agent: false,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined || key === null ? {} : { authorization: `Bearer ${key}` }),
        ...headers,
      },
    });
    outgoing.once('error', reject);
    outgoing.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, text, messages: messagesOf(text) }),
      );
    });
    if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) outgoing.end(body);
    else {
      for (const part of body) outgoing.write(part);
      outgoing.end();
    }
  });

function messagesOf(text: string): readonly RpcMessage[] {
  if (text === '') return [];
  if (text.startsWith('{') || text.startsWith('[')) return [JSON.parse(text) as RpcMessage];
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as RpcMessage);
}

export interface Called {
  readonly id?: unknown;
  readonly params?: object;
  readonly meta?: object;
  readonly headers?: SentHeaders;
}

const rpc = (method: string, { id = 1, params = {} }: Called, meta: object | undefined) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: meta === undefined ? params : { ...params, _meta: meta },
});

/** A request of the current era with the headers that it must have. */
export const currentRequest = (method: string, called: Called = {}): ToolSending => ({
  headers: {
    'mcp-protocol-version': CURRENT,
    'mcp-method': method,
    ...(called.params !== undefined && 'name' in called.params ? { 'mcp-name': String(called.params.name) } : {}),
    ...called.headers,
  },
  body: JSON.stringify(rpc(method, called, { ...CLAIM, ...called.meta })),
});

/** A request of the 2025 era. */
export const legacyRequest = (method: string, called: Called = {}): ToolSending => ({
  headers: { accept: BOTH_TYPES, ...called.headers },
  body: JSON.stringify(rpc(method, called, called.meta)),
});
