import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { mcpAnswer } from '../../contract/post-mcp-json-rpc.ts';
import { TOOL_NAMES } from '../../contract/tools/tool-names.ts';
import { TOOL_RESULTS, toolError, toolsList } from '../../contract/tools/tool-results.ts';
import { ARGUMENTS } from '../support/tool-answers.ts';
import { call, expectProtocolError, only, startToolEdge, type ToolEdge } from '../support/tool-edge.ts';
import { BOTH_TYPES, CLAIM, CURRENT, currentRequest, legacyRequest, type ToolAsk } from '../support/tool-requests.ts';

let edge: ToolEdge;
beforeAll(async () => {
  edge = await startToolEdge();
});
afterAll(() => edge.close());
afterEach(() => edge.forget());

const ask = (request: Omit<ToolAsk, 'url'>) => edge.ask(request);

describe.each([
  ['the current era', currentRequest],
  ['the 2025 era', legacyRequest],
])('in %s', (era, requestOf) => {
  const framing = era === 'the current era' ? 'application/json; charset=utf-8' : 'text/event-stream';

  test('the six tools are listed in the order of the contract, with the time to keep the list', async () => {
    const answer = await ask(requestOf('tools/list'));
    expect([answer.status, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      200,
      framing,
      'no-store',
    ]);
    const list = toolsList.parse(only(answer).result);
    expect(list.tools.map(({ name }) => name)).toEqual([...TOOL_NAMES]);
    expect(list).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'private' });
    for (const tool of list.tools) expect(tool.inputSchema['additionalProperties']).toBe(false);
  });

  test.each(TOOL_NAMES)('%s answers with its data, and with the same data as text', async (name) => {
    const answer = await ask(requestOf('tools/call', call(name)));
    expect([answer.status, answer.headers['content-type']]).toEqual([200, framing]);
    const message = mcpAnswer.parse(only(answer));
    const result = TOOL_RESULTS[name].parse(message.result);
    expect(JSON.parse(result.content[0]!.text)).toEqual(result.structuredContent.data);
    expect(edge.ran).toEqual([name]);
  });

  test.each(TOOL_NAMES)('%s refuses an unknown argument in the wrapper', async (name) => {
    const result = toolError.parse(
      only(await ask(requestOf('tools/call', call(name, { ...ARGUMENTS[name], more: 1 })))).result,
    );
    expect(result.structuredContent.error.code).toBe(/report/.test(name) ? 'invalid_input' : 'invalid_parameter');
    expect(JSON.parse(result.content[0]!.text)).toEqual(result.structuredContent);
    expect(edge.ran).toEqual([]);
  });

  test('null stands for a member that is left out: params, arguments, and optional arguments at any depth', async () => {
    const results = [
      await ask(requestOf('tools/call', { params: { name: 'get_coverage', arguments: null } })),
      await ask(requestOf('tools/call', call('search_agenda', { query: 'water', topicSlug: null, limit: null }))),
      await ask(
        requestOf(
          'tools/call',
          call('report_missing_data', {
            ...ARGUMENTS.report_missing_data,
            recordDate: null,
            queryContext: { surface: { kind: 'mcp', tool: 'search_agenda' }, filters: { bodySlug: null } },
          }),
        ),
      ),
    ].map((answer) => only(answer).result);
    expect(results.map((result) => result?.['isError'])).toEqual([undefined, undefined, undefined]);
    const refused = only(await ask(requestOf('tools/call', call('search_agenda', { query: null })))).result;
    expect(toolError.parse(refused).structuredContent.error.code).toBe('invalid_parameter');
    const empty = only(await ask(requestOf('tools/call', call('search_agenda', { query: 'a', topicSlug: '' })))).result;
    expect(toolError.parse(empty).structuredContent.error.code).toBe('invalid_parameter');
  });

  test('an id that the schema of answers does not allow is answered as null, any other unchanged', async () => {
    for (const [id, answered] of [
      [1.5, null],
      [1e20, null],
      [true, null],
      [{}, null],
      [-7, -7],
      ['a', 'a'],
    ] as const) {
      const [message] = (await ask(requestOf('tools/unknown', { id }))).messages;
      expect([id, message?.error !== undefined, message?.id]).toEqual([id, true, answered]);
    }
  });

  test('params that are null are absent', async () => {
    const { headers, body } = legacyRequest('ping');
    const answer = await ask({ headers, body: body.replace('"params":{}', '"params":null') });
    expect(only(answer).error).toBeUndefined();
  });

  test('get_coverage accepts no arguments or an empty object, and nothing else', async () => {
    expect(
      only(await ask(requestOf('tools/call', { params: { name: 'get_coverage' } }))).result?.['isError'],
    ).toBeUndefined();
    expect(only(await ask(requestOf('tools/call', call('get_coverage', {})))).result?.['isError']).toBeUndefined();
    const hostile = requestOf('tools/call', call('get_coverage')).body.replace(
      '"arguments":{}',
      '"arguments":{"__proto__":1}',
    );
    const refused = only(await ask({ ...requestOf('tools/call', call('get_coverage')), body: hostile }));
    expect(refused.result?.['isError']).toBe(true);
  });

  test('an unknown tool, and arguments that are not an object, are errors of the protocol', async () => {
    for (const params of [{ name: 'drop_table' }, { name: 'get_coverage', arguments: [1] }, { name: 'toString' }]) {
      expectProtocolError(edge, await ask(requestOf('tools/call', { params })), 200, -32_602);
    }
  });

  test('an id may be text or a number and is returned unchanged', async () => {
    for (const id of ['a', 0, 7]) expect(only(await ask(requestOf('tools/list', { id }))).id).toBe(id);
  });

  test.each([null, true, {}])('an id %j is refused', async (id) => {
    expectProtocolError(edge, await ask(requestOf('tools/list', { id })), 400, -32_600, null);
  });

  test('a notification is accepted with an empty body', async () => {
    const { headers, body } = requestOf('notifications/cancelled', { params: { requestId: 'x' } });
    const { id: _, ...notification } = JSON.parse(body) as { id: unknown };
    const answer = await ask({ headers, body: JSON.stringify(notification) });
    expect([answer.status, answer.text, answer.headers['cache-control']]).toEqual([202, '', 'no-store']);
  });

  test('a body that is not a JSON-RPC request is refused', async () => {
    for (const body of [
      'null',
      '5',
      '"x"',
      '{}',
      '{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
      '[]',
      '[[]]',
      `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    ]) {
      const answer = await ask({ headers: requestOf('tools/list').headers, body });
      expect({ body: body.slice(0, 40), status: answer.status, code: only(answer).error?.code }).toMatchObject({
        status: 400,
        code: -32_600,
      });
      expect(only(answer).error?.data?.['code']).toBe('invalid_parameter');
    }
    const further = JSON.parse(requestOf('tools/list').body) as object;
    expectProtocolError(
      edge,
      await ask({ ...requestOf('tools/list'), body: JSON.stringify({ ...further, more: 1 }) }),
      400,
      -32_600,
    );
  });

  test.each(['{', '{"a":1}}', '\u{feff}{', ''])('a body %j that is not JSON is refused', async (body) => {
    expectProtocolError(edge, await ask({ headers: requestOf('tools/list').headers, body }), 400, -32_700, null);
  });

  test('a body that is not UTF-8 is refused', async () => {
    const body = Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'), Buffer.of(0xff), Buffer.from('"}')]);
    expectProtocolError(edge, await ask({ headers: requestOf('tools/list').headers, body }), 400, -32_700, null);
  });

  test('arguments of any depth are refused without being repeated', async () => {
    const deep = requestOf('tools/call', call('get_coverage', { a: 0 })).body.replace(
      '"a":0',
      `"a":${'['.repeat(25_000)}${']'.repeat(25_000)}`,
    );
    const { result } = only(await ask({ ...requestOf('tools/call', call('get_coverage')), body: deep }));
    expect(toolError.parse(result).structuredContent.error.code).toBe('invalid_parameter');
  });

  test('a payment of any depth is an error of the tool without internal details', async () => {
    const request = requestOf('tools/call', { ...call('search_agenda'), meta: { 'x402/payment': 0 } });
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    const body = request.body.replace('"x402/payment":0', `"x402/payment":${deep}`);
    expect(body.length).toBeGreaterThan(60_000);
    const bodies = era === 'the current era' ? [body] : [body, `[${body}]`];
    for (const payload of bodies) {
      const answer = await ask({ ...request, body: payload });
      expect({ status: answer.status, leaks: /call stack/.test(answer.text) }).toEqual({ status: 200, leaks: false });
      expect(toolError.parse(only(answer).result).structuredContent.error.code).toMatch(
        /^(beta_unavailable|billing_channel_payment_mismatch)$/,
      );
    }
  });

  test('an unknown method is not found', async () => {
    expectProtocolError(edge, await ask(requestOf('tools/drop')), era === 'the current era' ? 404 : 200, -32_601);
  });
});

describe('the current era', () => {
  const list = (headers: Readonly<Record<string, string | undefined>>, meta: object = {}) => {
    const request = currentRequest('tools/list', { meta });
    const headerLines = Object.entries({ ...request.headers, ...headers }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    return ask({ ...request, headers: Object.fromEntries(headerLines) as Record<string, string> });
  };

  test.each([undefined, 'application/json', 'text/html', '*/*'])('ignores an Accept of %s', async (accept) => {
    expect((await list({ accept })).status).toBe(200);
  });

  test.each([undefined, 'tools/call', 'Tools/List', ''])('refuses an Mcp-Method of %s', async (method) => {
    expectProtocolError(edge, await list({ 'mcp-method': method }), 400, -32_020);
  });

  test.each([undefined, 'get_data_coverage', 'Get_Coverage'])(
    'refuses an Mcp-Name of %s with a call of get_coverage',
    async (name) => {
      const { body, headers } = currentRequest('tools/call', call('get_coverage'));
      const { 'mcp-name': _, ...others } = headers;
      expectProtocolError(
        edge,
        await ask({ body, headers: { ...others, ...(name === undefined ? {} : { 'mcp-name': name }) } }),
        400,
        -32_020,
      );
    },
  );

  test('accepts the name of a tool in base64', async () => {
    const encoded = `=?base64?${Buffer.from('get_coverage').toString('base64')}?=`;
    const answer = await ask(
      currentRequest('tools/call', { ...call('get_coverage'), headers: { 'mcp-name': encoded } }),
    );
    expect([answer.status, edge.ran]).toEqual([200, ['get_coverage']]);
  });

  test.each(['tools/list', 'server/discover'])('refuses an Mcp-Name with %s, which has no name', async (method) => {
    expectProtocolError(
      edge,
      await ask(currentRequest(method, { headers: { 'mcp-name': 'get_coverage' } })),
      400,
      -32_020,
    );
  });

  test.each([undefined, '2025-11-25', 'x'])(
    'refuses an MCP-Protocol-Version of %s beside the version in the params',
    async (version) => {
      expectProtocolError(edge, await list({ 'mcp-protocol-version': version }), 400, -32_020);
    },
  );

  test.each(['2027-01-01', '2025-11-25'])(
    'names the supported versions where the params name the version %s',
    async (version) => {
      const answer = await list(
        { 'mcp-protocol-version': version },
        { 'io.modelcontextprotocol/protocolVersion': version },
      );
      const { data } = expectProtocolError(edge, answer, 400, -32_022);
      expect(data).toMatchObject({ supported: [CURRENT], requested: version });
    },
  );

  test('refuses the header without the version in the params', async () => {
    const { body } = legacyRequest('tools/list');
    expectProtocolError(edge, await ask({ body, headers: currentRequest('tools/list').headers }), 400, -32_602);
  });

  test('needs the capabilities of the client, not its name', async () => {
    expectProtocolError(
      edge,
      await list({}, { 'io.modelcontextprotocol/clientCapabilities': undefined }),
      400,
      -32_602,
    );
    expect((await list({}, { 'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' } })).status).toBe(200);
  });

  test.each(['ping', 'initialize'])('has no %s', async (method) => {
    expectProtocolError(edge, await ask(currentRequest(method)), 404, -32_601);
  });

  test('refuses a batch', async () => {
    const element = JSON.parse(currentRequest('tools/list').body) as object;
    const headers = { ...currentRequest('tools/list').headers, accept: BOTH_TYPES };
    expectProtocolError(edge, await ask({ headers, body: JSON.stringify([element]) }), 400, -32_600, null);
    const claimless = JSON.parse(legacyRequest('tools/list').body) as object;
    expectProtocolError(
      edge,
      await ask({ headers, body: JSON.stringify([claimless, { ...element, id: 2 }]) }),
      400,
      -32_600,
      null,
    );
    expectProtocolError(edge, await ask({ headers, body: JSON.stringify([claimless]) }), 400, -32_000, null);
  });

  test('lists its versions and capabilities on discovery', async () => {
    const { result } = only(await ask(currentRequest('server/discover')));
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [CURRENT],
      capabilities: { tools: { listChanged: false } },
      ttlMs: 300_000,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'civic-records' } },
    });
    expect(String(result?.['instructions'])).toContain('get_coverage');
  });

  test('accepts a subscription to notifications, of which there are none, and ends it at once', async () => {
    const params = { notifications: { toolsListChanged: true, resourceSubscriptions: ['a:b'] } };
    const answer = await ask(currentRequest('subscriptions/listen', { id: 'news', params }));
    expect([answer.status, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      200,
      'text/event-stream',
      'no-store',
    ]);
    expect(answer.messages.at(-1)).toMatchObject({ id: 'news', result: { resultType: 'complete' } });
  });
});

describe('the 2025 era', () => {
  test.each([undefined, 'application/json', 'text/event-stream', '*/*'])('refuses an Accept of %s', async (accept) => {
    const { body } = legacyRequest('tools/list');
    expectProtocolError(edge, await ask({ body, headers: accept === undefined ? {} : { accept } }), 406, -32_000, null);
  });

  const NOT_BOTH = [
    'application/jsonx, text/event-streamy',
    'xapplication/json, text/event-stream',
    'application/json;q=0, text/event-stream',
    'application/json, text/event-stream; Q=0.000',
    'application/json;q=x, text/event-stream',
    'text/plain;note="application/json, text/event-stream"',
    'text/plain;note="a, application/json", text/event-stream',
    'application/*, text/*',
    'application/json text/event-stream',
    'text/plain;note="a, application/json, text/event-stream',
    'application/json;q="0", text/event-stream',
    ',;,',
  ];
  test.each(NOT_BOTH)('refuses an Accept of %s in a batch too, and does not charge it', async (accept) => {
    const { body } = legacyRequest('tools/call', call('get_coverage'));
    const second = body.replace('"id":1', '"id":2');
    for (const payload of [body, `[${body},${second}]`]) {
      expectProtocolError(edge, await ask({ body: payload, headers: { accept } }), 406, -32_000, null);
    }
    expect(edge.charged).toEqual([]);
  });

  test.each([
    'Application/JSON, TEXT/event-stream',
    'text/event-stream;q=0.5,application/json; charset=utf-8 ;q=0.001, */*;q=0',
    'application/json;q=0, application/json, text/event-stream',
    'text/html;note="a\\", b", , application/json, text/event-stream',
  ])('accepts an Accept of %s, which lists both', async (accept) => {
    const { body } = legacyRequest('tools/call', call('get_coverage'));
    const second = body.replace('"id":1', '"id":2');
    for (const payload of [body, `[${body},${second}]`]) {
      expect((await ask({ body: payload, headers: { accept } })).headers['content-type']).toBe('text/event-stream');
    }
    expect(edge.charged).toEqual([1]);
  });

  test.each([undefined, '2025-11-25', '2025-06-18', '2025-03-26'])(
    'serves an MCP-Protocol-Version of %s',
    async (version) => {
      const headers: Record<string, string> = version === undefined ? {} : { 'mcp-protocol-version': version };
      expect((await ask(legacyRequest('tools/list', { headers }))).status).toBe(200);
    },
  );

  test.each(['1999-01-01', '2024-11-05', ''])(
    'refuses an MCP-Protocol-Version of %j, with initialize too',
    async (version) => {
      const headers = { 'mcp-protocol-version': version };
      expectProtocolError(edge, await ask(legacyRequest('tools/list', { headers })), 400, -32_000, null);
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
      expectProtocolError(edge, await ask(legacyRequest('initialize', { headers, params })), 400, -32_000);
    },
  );

  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
  ])('answers an initialize of %s with %s', async (request, answered) => {
    const params = { protocolVersion: request, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const { result } = only(await ask(legacyRequest('initialize', { params })));
    expect(result).toMatchObject({ protocolVersion: answered, capabilities: { tools: { listChanged: false } } });
  });

  test('answers a ping with nothing', async () => {
    expect(only(await ask(legacyRequest('ping'))).result).toEqual({});
  });

  test('ignores Mcp-Method and Mcp-Name', async () => {
    const headers = { 'mcp-method': 'tools/call', 'mcp-name': 'search_agenda' };
    expect((await ask(legacyRequest('tools/list', { headers }))).status).toBe(200);
  });

  test('serves params with keys of the protocol but without the version', async () => {
    const meta = { 'io.modelcontextprotocol/clientCapabilities': CLAIM['io.modelcontextprotocol/clientCapabilities'] };
    expect((await ask(legacyRequest('tools/list', { meta }))).headers['content-type']).toBe('text/event-stream');
  });
});
