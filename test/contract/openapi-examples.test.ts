import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import type { ClosedOperation, Operation } from '../../contract/operation.ts';
import { type OperationId, OPERATIONS } from '../../contract/operations.ts';
import { errorEnvelope } from '../../contract/error-codes.ts';
import { TOOL_RESULTS, toolError } from '../../contract/tools/tool-results.ts';
import type { Content } from '../../src/edge/documents/openapi-responses.ts';
import { placedOperations } from '../../src/edge/documents/markdown/operation-section.ts';
import { buildOpenApiDocument } from '../../src/edge/documents/openapi.ts';

const document = buildOpenApiDocument('https://records.test');
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'https://records.test/openapi.json');
const pointer = (...parts: readonly string[]): string =>
  parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
function validate(at: string, value: unknown): readonly unknown[] {
  const check = ajv.compile({ $ref: `https://records.test/openapi.json#${encodeURI(at)}` });
  return check(value) ? [] : [at, ...check.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`)];
}
const violations = (at: string, content: Content | undefined): readonly unknown[] =>
  Object.entries(content ?? {}).flatMap(([mediaType, { examples }]) =>
    Object.values(examples).flatMap(({ value }) => validate(at + pointer('content', mediaType, 'schema'), value)),
  );

describe.each(placedOperations(document))('$operation.operationId', ({ path, method, operation }) => {
  const id = operation.operationId as OperationId;
  const contract: Operation | ClosedOperation = OPERATIONS[id];
  const at = pointer('paths', path, method);

  test('shows an example of every answer that has a body, and each fits its JSON schema', () => {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      for (const { examples } of Object.values(content ?? {}))
        expect([status, Object.keys(examples).length > 0]).toEqual([status, true]);
      expect(violations(at + pointer('responses', status), content)).toEqual([]);
    }
  });

  test('shows parameters and bodies that fit their JSON schemas', () => {
    expect(violations(at + pointer('requestBody'), operation.requestBody?.content)).toEqual([]);
    for (const [index, { example }] of (operation.parameters ?? []).entries()) {
      if (example !== undefined)
        expect(validate(at + pointer('parameters', String(index), 'schema'), example)).toEqual([]);
    }
  });

  test('shows examples that the contract itself accepts', () => {
    for (const response of Object.values(operation.responses)) {
      for (const { value } of Object.values(response.content?.['application/json']?.examples ?? {})) {
        if (typeof value === 'object' && value !== null && 'error' in value && !('jsonrpc' in value))
          errorEnvelope.parse(value);
      }
    }
    if (contract.access === 'closed') return;
    for (const { value } of Object.values(contract.example.success ?? {})) contract.success.schema.parse(value);
    for (const { value } of Object.values(contract.example.body ?? {})) contract.body!.schema.parse(value);
    const parameters = Object.entries(contract.example.parameters).map(
      ([name, value]) => [name, String(value)] as const,
    );
    const placeOf = Object.fromEntries(
      (operation.parameters ?? []).map(({ name, in: place }) => [name.toLowerCase(), place]),
    );
    const of = (place: string) =>
      Object.fromEntries(parameters.filter(([name]) => placeOf[name.toLowerCase()] === place));
    contract.params.parse(of('path'));
    contract.query.parse(of('query'));
    contract.headers?.parse(of('header'));
    expect(parameters.filter(([name]) => placeOf[name.toLowerCase()] === undefined)).toEqual([]);
  });
});

test('the examples of the tool endpoint match the result schemas of the tools', () => {
  const results = Object.values(OPERATIONS.postMcpJsonRpc.example.success).map(
    ({ value }) => (value as { result: unknown }).result,
  );
  expect(results.map((result) => TOOL_RESULTS.search_agenda.safeParse(result).success)).toEqual([true, false]);
  expect(results.map((result) => toolError.safeParse(result).success)).toEqual([false, true]);
});
