import { expect, test } from 'vitest';
import { WORKFLOWS } from '../../contract/workflows.ts';
import { buildArazzoDocument } from '../../src/edge/documents/arazzo.ts';
import { buildOpenApiDocument } from '../../src/edge/documents/openapi.ts';

test('the document is made only for operations, parameters and answers that exist', () => {
  const document = buildOpenApiDocument('https://records.test');
  const { workflows } = buildArazzoDocument(document);
  expect(workflows.map(({ workflowId }) => workflowId)).toEqual(Object.keys(WORKFLOWS));
  const without = (path: string) => ({
    ...document,
    paths: Object.fromEntries(Object.entries(document.paths).filter(([each]) => each !== path)),
  });
  expect(() => buildArazzoDocument(without('/api/v1/data/snapshots'))).toThrow('no operation createCivicSnapshot');
  const changes = '/api/v1/data/changes';
  const { get } = document.paths[changes]!;
  const withGet = (changed: object) => ({
    ...document,
    paths: { ...document.paths, [changes]: { get: { ...get!, ...changed } } },
  });
  expect(() => buildArazzoDocument(withGet({ parameters: [] }))).toThrow('no parameter cursor');
  const parameter = { name: 'since', in: 'query', required: true, description: '', schema: {} };
  expect(() => buildArazzoDocument(withGet({ parameters: [...get!.parameters!, parameter] }))).toThrow(
    'needs the parameter since',
  );
  expect(() => buildArazzoDocument(withGet({ responses: { 200: get!.responses['200'] } }))).toThrow(
    'does not answer 410',
  );
});
