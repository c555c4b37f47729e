import { expect } from 'vitest';
import { TOOL_NAMES, type ToolName } from '../../contract/tools/tool-names.ts';
import type { ToolFunctions } from '../../src/edge/mcp/run-tool.ts';
import { type HttpEdge, startHttpEdge } from './http-edge.ts';
import { ALL_TOOLS, ARGUMENTS } from './tool-answers.ts';
import { askTools, type RpcMessage, type ToolAnswer, type ToolAsk } from './tool-requests.ts';

/** The HTTP edge with all six tools, billing off. */
export interface ToolEdge extends HttpEdge {
  /** Tools that ran, in order. */
  readonly ran: string[];
  /** Units charged for batches in addition to their requests. */
  readonly charged: number[];
  /** Units that a batch may still take. */
  room: number;
  /** Uses the key for the tools by default. */
  ask(request: Omit<ToolAsk, 'url'>): Promise<ToolAnswer>;
  /** Call it between two tests. */
  forget(): void;
}

export const ALLOWED_ORIGIN = 'https://app.example.org';

export async function startToolEdge(): Promise<ToolEdge> {
  const ran: string[] = [];
  const charged: number[] = [];
  const functions = Object.fromEntries(
    TOOL_NAMES.map((name) => [
      name,
      (input: never, call: never) => {
        ran.push(name);
        return ALL_TOOLS[name](input, call);
      },
    ]),
  ) as unknown as ToolFunctions;
  const edge = await startHttpEdge({
    allowedOrigins: [ALLOWED_ORIGIN],
    chargeUnits: async (_account, _allowances, units) => {
      if (units > toolEdge.room) return { kind: 'exhausted', retryAfterSeconds: 7, states: [] };
      charged.push(units);
      return { kind: 'charged', states: [] };
    },
    tools: { functions, billingEnforced: false },
  });
  const toolEdge: ToolEdge = Object.assign(edge, {
    ran,
    charged,
    room: Number.POSITIVE_INFINITY,
    ask: (args: Omit<ToolAsk, 'url'>) => askTools({ url: edge.url, key: edge.keys.mcp, ...args }),
    forget: () => {
      [ran.length, charged.length, toolEdge.room, toolEdge.identity] = [0, 0, Number.POSITIVE_INFINITY, 'working'];
    },
  });
  return toolEdge;
}

/** The one message of an answer. */
export function only({ messages }: ToolAnswer): RpcMessage {
  expect(messages).toHaveLength(1);
  return messages[0]!;
}

/** Asserts a JSON-RPC error that also has the code of the interface, and that no tool ran. Returns the error. */
export function expectProtocolError(edge: ToolEdge, answer: ToolAnswer, status: number, code: number, id: unknown = 1) {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
  const { error, ...message } = only(answer);
  expect({ code: error?.code, id: message.id, said: error?.data?.['code'] }).toEqual({
    code,
    id,
    said: 'invalid_parameter',
  });
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(edge.ran).toEqual([]);
  return error!;
}

/** Asserts a refusal in the envelope, and that no tool ran. */
export function expectEnvelope(edge: ToolEdge, answer: ToolAnswer, status: number, code: string): void {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
  const message = only(answer);
  expect({ code: message.error?.code, keys: Object.keys(message) }).toEqual({ code, keys: ['error'] });
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers['retry-after'] !== undefined).toBe(status === 429);
  expect(answer.headers['x-request-id']).toMatch(/-\d+$/);
  expect(edge.ran).toEqual([]);
}

/** The params of a call, by default with valid arguments. */
export const call = (name: ToolName, args: object = ARGUMENTS[name]) => ({ params: { name, arguments: args } });
