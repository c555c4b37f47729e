import { expect } from 'vitest';
import { type OperationId, OPERATIONS } from '../../contract/operations.ts';
import { buildOpenApiDocument } from '../../src/edge/documents/openapi.ts';
import type { OperationRequest, ProxiedAnswer, ValidatingProxy } from './validating-proxy.ts';

/** Sends a request through the proxy, which must find no difference in the answer. */
export async function expectAnswer(
  proxy: ValidatingProxy,
  id: OperationId,
  status: number,
  request: OperationRequest = {},
): Promise<ProxiedAnswer> {
  const response = await proxy.ask(id, request);
  expect({
    id,
    asked: request,
    status: response.status,
    violations: response.ofResponse,
    text: response.status === status ? '' : response.text,
  }).toEqual({
    id,
    asked: request,
    status,
    violations: [],
    text: '',
  });
  return response;
}

/** The same for a request that also matches the document; returns the body. */
export async function expectGood<Body>(
  proxy: ValidatingProxy,
  id: OperationId,
  request: OperationRequest = {},
): Promise<Body> {
  const operation = OPERATIONS[id];
  const response = await expectAnswer(
    proxy,
    id,
    operation.access === 'closed' ? 403 : operation.success.status,
    request,
  );
  expect({ id, asked: request, violations: response.ofRequest }).toEqual({ id, asked: request, violations: [] });
  return JSON.parse(response.text) as Body;
}

export async function expectRefused(
  proxy: ValidatingProxy,
  id: OperationId,
  status: number,
  code: string,
  asked: OperationRequest = {},
): Promise<void> {
  const { text } = await expectAnswer(proxy, id, status, asked);
  expect(JSON.parse(text)).toMatchObject({ error: { code } });
}

export interface Page<Item> {
  readonly data: { readonly items: readonly Item[] };
  readonly meta: { readonly nextCursor: string | null; readonly hasMore: boolean };
}

/** Every item of a customer's list, page by page. */
export async function expectEverything<Item>(
  proxy: ValidatingProxy,
  id: OperationId,
  { query = '?limit=100', ...request }: OperationRequest,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let cursor = ''; ; ) {
    const { data, meta } = await expectGood<Page<Item>>(proxy, id, { ...request, query: `${query}${cursor}` });
    items.push(...data.items);
    if (!meta.hasMore) return items;
    cursor = `&cursor=${meta.nextCursor}`;
  }
}

/** Every status of every operation by the document, as `operationId status`. */
export const documentedAnswers = (): readonly string[] =>
  Object.values(buildOpenApiDocument('https://records.test').paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, responses }) => Object.keys(responses).map((status) => `${operationId} ${status}`));

/** True if a healthy service with a short history, within the allowances, never returns this answer. */
export function isOfFailure(answer: string): boolean {
  const [id, status = ''] = answer.split(' ');
  const ofCustomer = OPERATIONS[id as OperationId].access === 'key';
  return (
    status === '413' || status >= '500' || (status === '429' && ofCustomer) || answer === 'readCivicSnapshotPage 410'
  );
}
