import { expectAnswer, expectGood } from './as-documented.ts';
import { currentRequest, legacyRequest, type ToolSending } from './tool-requests.ts';
import type { OperationRequest, ValidatingProxy } from './validating-proxy.ts';

const requestOf = ({ headers, body }: ToolSending): OperationRequest => ({
  headers,
  body: JSON.parse(body) as unknown,
});

/** A request that is answered 406: as JSON in the 2025 era too, so that a wrong body can be made of it. */
export const unacceptableToolRequest = requestOf(
  legacyRequest('tools/list', { headers: { accept: 'application/json' } }),
);

/** Asserts that the tool endpoint answers as the document has it. */
export async function expectToolAnswers(proxy: ValidatingProxy, key: string): Promise<void> {
  const good = (sending: ToolSending) => expectGood(proxy, 'postMcpJsonRpc', { ...requestOf(sending), key });
  for (const name of ['get_coverage', 'get_data_coverage']) {
    await good(currentRequest('tools/call', { params: { name, arguments: {} } }));
    await good(currentRequest('tools/call', { params: { name, arguments: { more: 1 } } }));
  }
  for (const method of ['tools/list', 'server/discover']) await good(currentRequest(method));
  await good(currentRequest('tools/call', { params: { name: 'none' } }));
  await expectAnswer(proxy, 'postMcpJsonRpc', 200, { ...requestOf(legacyRequest('tools/list')), key });
  const { id: _, ...notification } = JSON.parse(legacyRequest('notifications/initialized').body) as { id: unknown };
  await expectAnswer(proxy, 'postMcpJsonRpc', 202, { ...requestOf(legacyRequest('ping')), key, body: notification });
}

/** Asserts that the tool endpoint refuses as the document has it. `narrow` is a key without the scope. */
export async function expectToolRefusals(
  proxy: ValidatingProxy,
  keys: { readonly key: string; readonly narrow: string },
): Promise<void> {
  const refused = (status: number, sending: ToolSending, more: OperationRequest = {}) =>
    expectAnswer(proxy, 'postMcpJsonRpc', status, { ...requestOf(sending), key: keys.key, ...more });
  await refused(400, currentRequest('tools/list', { headers: { 'mcp-method': 'ping' } }));
  await refused(400, legacyRequest('tools/list'), { body: [] });
  await refused(400, currentRequest('tools/list'), { query: '?unknown=1' });
  await refused(401, currentRequest('tools/list'), { key: null });
  await refused(403, currentRequest('tools/list'), { key: keys.narrow });
  await refused(404, currentRequest('tools/none'));
  await refused(406, legacyRequest('tools/list', { headers: { accept: 'application/json' } }));
  await refused(415, currentRequest('tools/list'), { body: 'x', headers: { 'content-type': 'text/plain' } });
}
