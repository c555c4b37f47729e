import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** A result of a tool as received. */
export interface Got {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** An agent that uses one of the official clients. */
export interface Agent {
  call(name: string, input: object, payment?: unknown): Promise<Got>;
  close(): Promise<void>;
}

const NAME = { name: 'test', version: '1.0.0' };
/** Long enough for a settlement on a slow machine. */
const PATIENCE = { timeout: 60_000 };
type Connect = (baseUrl: string, key: string) => Promise<Agent>;

const called = (name: string, input: object, payment: unknown) => ({
  name,
  arguments: input as Record<string, unknown>,
  ...(payment === undefined ? {} : { _meta: { 'x402/payment': payment } }),
});
const endpoint = (baseUrl: string): URL => new URL(`${baseUrl}/api/v1/mcp`);
const withKey = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

const current =
  (versionNegotiation?: { mode: 'auto' | { pin: string } }): Connect =>
  async (baseUrl, key) => {
    const client = new CurrentClient(NAME, versionNegotiation === undefined ? {} : { versionNegotiation });
    await client.connect(new CurrentTransport(endpoint(baseUrl), withKey(key)));
    return {
      call: async (name, input, payment) =>
        (await client.callTool(called(name, input, payment), PATIENCE)) as unknown as Got,
      close: () => client.close(),
    };
  };

const first: Connect = async (baseUrl, key) => {
  const client = new FirstClient(NAME);
  await client.connect(new FirstTransport(endpoint(baseUrl), withKey(key)));
  return {
    call: async (name, input, payment) =>
      (await client.callTool(called(name, input, payment), undefined, PATIENCE)) as unknown as Got,
    close: () => client.close(),
  };
};

/** Both eras and both generations of the official clients. */
export const AGENTS: Readonly<Record<string, Connect>> = {
  'the current client, held to the current era': current({ mode: { pin: '2026-07-28' } }),
  'the current client, which finds out the era': current({ mode: 'auto' }),
  'the current client as it is, in the 2025 era': current(),
  'the client of the first generation': first,
};
