import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { call, expectProtocolError, startToolEdge, type ToolEdge } from '../support/tool-edge.ts';
import {
  type Called,
  currentRequest,
  legacyRequest,
  type ToolAnswer,
  type ToolSending,
} from '../support/tool-requests.ts';

let edge: ToolEdge;
beforeAll(async () => {
  edge = await startToolEdge();
});
afterAll(() => edge.close());
afterEach(() => edge.forget());

const WRONG = [null, true, -1.5, 'x', [1], { a: 1 }];
const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };

/** Valid params of each method that the library knows, served or not. */
const GOOD: Readonly<Record<string, object>> = {
  initialize: INITIALIZE,
  ping: {},
  'tools/list': { cursor: 'x' },
  'tools/call': { ...call('get_coverage').params, task: {}, inputResponses: {}, requestState: 'x' },
  'server/discover': {},
  'subscriptions/listen': { notifications: { toolsListChanged: true, resourceSubscriptions: ['a:b'] } },
  'logging/setLevel': { level: 'info' },
  'completion/complete': { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'x', value: 'x' } },
  'resources/list': { cursor: 'x' },
  'resources/read': { uri: 'a:b' },
  'prompts/get': { name: 'x', arguments: {} },
  'tasks/get': { taskId: 'x' },
  'tasks/cancel': { taskId: 'x' },
};

const META = {
  progressToken: 'x',
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/logLevel': 'info',
  traceparent: 'x',
};

/** The params without one member, or with a member of another type. */
const spoilt = (good: object): readonly object[] =>
  Object.keys(good).flatMap((name) => [
    Object.fromEntries(Object.entries(good).filter(([other]) => other !== name)),
    ...WRONG.map((value) => ({ ...good, [name]: value })),
  ]);

const spoiltMeta = (): readonly object[] =>
  Object.keys(META).flatMap((name) => WRONG.map((value) => ({ [name]: value })));

const ERAS = [
  ['the current era', currentRequest],
  ['the 2025 era', legacyRequest],
] as const;
function batchOf(method: string, called: Called): ToolSending {
  const { headers, body } = legacyRequest(method, called);
  return { headers, body: `[${body},{"jsonrpc":"2.0","id":2,"method":"ping"}]` };
}

const codesOf = ({ messages }: ToolAnswer) => messages.map(({ error }) => error?.code);

describe.each([...ERAS, ['a batch', batchOf] as const])('in %s', (_, requestOf) => {
  test.each(Object.keys(GOOD))('no params of %s cause a server error', async (method) => {
    const called = [
      {},
      ...[GOOD[method]!, ...spoilt(GOOD[method]!)].map((params) => ({ params })),
      ...spoiltMeta().map((meta) => ({ meta, params: GOOD[method]! })),
    ];
    for (const each of called) {
      const answer = await edge.ask(requestOf(method, each));
      const failed = answer.status >= 500 || codesOf(answer).includes(-32_603);
      expect({ method, each, text: answer.text, failed }).toMatchObject({ failed: false });
      for (const { error } of answer.messages)
        if (error !== undefined) expect(error.data?.['code']).toBe('invalid_parameter');
    }
  });

  test('params that are not an object are a client error for every method', async () => {
    for (const method of Object.keys(GOOD)) {
      for (const params of [null, true, 5, 'x', [], [1]]) {
        const { headers, body } = requestOf(method, { params: {} });
        const changedBody = body.replace(/"params":\{.*?\}+(?=\}[,\]]|\}$)/, `"params":${JSON.stringify(params)}`);
        expect(() => JSON.parse(changedBody) as unknown).not.toThrow();
        const answer = await edge.ask({ headers, body: changedBody });
        expect([method, params, answer.status < 500, codesOf(answer).includes(-32_603)]).toEqual([
          method,
          params,
          true,
          false,
        ]);
      }
    }
  });
});

describe('params that the schema of the protocol refuses', () => {
  test.each([
    ['none at all', undefined],
    ['empty ones', {}],
    ['a number for the protocol version', { ...INITIALIZE, protocolVersion: 5 }],
    ['a text for the capabilities', { ...INITIALIZE, capabilities: 'x' }],
  ])('of initialize, %s, are named in the error', async (_, params) => {
    const { headers, body } = legacyRequest('initialize', { params: {} });
    const changedBody = JSON.stringify({ ...(JSON.parse(body) as object), params });
    const error = expectProtocolError(edge, await edge.ask({ headers, body: changedBody }), 200, -32_602);
    expect(error.message).toMatch(/^params/);
  });

  test.each(ERAS)('in %s, a number for the cursor of tools/list is named in the error', async (_, requestOf) => {
    const error = expectProtocolError(
      edge,
      await edge.ask(requestOf('tools/list', { params: { cursor: 5 } })),
      200,
      -32_602,
    );
    expect(error.message).toBe('params.cursor: Invalid input: expected string, received number');
  });

  test('are refused alone in a batch; the other elements are answered', async () => {
    const answer = await edge.ask(batchOf('tools/list', { params: { cursor: 5 } }));
    const byId = Object.fromEntries(
      answer.messages.map(({ id, error, result }) => [String(id), error?.code ?? result]),
    );
    expect(byId).toEqual({ 1: -32_602, 2: {} });
  });

  test('are answered without a value that the client sent', async () => {
    const answer = await edge.ask(
      legacyRequest('initialize', { params: { ...INITIALIZE, protocolVersion: { secret: 'hidden-value' } } }),
    );
    expect([answer.messages[0]!.error?.code, answer.text.includes('hidden-value')]).toEqual([-32_602, false]);
  });
});
