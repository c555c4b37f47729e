import { z } from 'zod';
import { matching } from './fields.ts';
import { operation, PUBLIC_READ } from './operation.ts';

export const openApiDocument = z
  .looseObject({
    openapi: matching(/^3\.1\.\d+$/).describe('Version of the description format.'),
    info: z
      .looseObject({ title: z.string().describe('Title.'), version: z.string().describe('Version of the interface.') })
      .describe('About the interface.'),
    paths: z.looseObject({}).describe('The operations.'),
  })
  .meta({ id: 'OpenApiDocument' });

export const getOpenApiDocument = operation({
  ...PUBLIC_READ,
  operationId: 'getOpenApiDocument',
  path: '/api/openapi.json',
  tag: 'Documents',
  summary: 'Read this document',
  description:
    'The complete OpenAPI 3.1 document of the interface. An extension `x-served` says of each operation whether the program answers it.',
  example: {
    parameters: {},
    success: {
      document: {
        summary: 'How the document begins',
        value: { openapi: '3.1.1', info: { title: 'Civic Records', version: '1.0.0' }, paths: {} },
      },
    },
  },
  success: { status: 200, schema: openApiDocument },
  refusals: ['invalid_parameter', 'internal_error'],
  cacheControl: 'public, s-maxage=3600',
});
