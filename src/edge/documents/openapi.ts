import { OPERATIONS, type OperationId } from '../../../contract/operations.ts';
import { errorEnvelope } from '../../../contract/statuses.ts';
import type { OpenApiDocument, OperationObject } from './document-types.ts';
import { createErrorSchemas } from './error-schemas.ts';
import { generateSchemas } from './json-schemas.ts';
import { HEADERS } from './openapi-headers.ts';
import { fieldsOfOperation, operationObject } from './openapi-operation.ts';
import { TAGS } from '../../../contract/operation.ts';

/** Version of the interface, not of the program. */
const INTERFACE_VERSION = '1.0.0';
const OPENAPI_VERSION = '3.1.0';

const DESCRIPTION = `Structured local-government civic records of north-central Texas: classified agenda items, topics, meetings, source
coverage, ingestion health and meeting cadence. Customers replicate the records through frozen exports and an ordered change feed.

Answers state what was observed; no uptime, completeness or correctness is guaranteed. Follow a record's source link before you rely on it. Answers may gain
fields at any time: ignore what you do not know.

The reference at \`/api-reference.md\` describes errors, cursors, limits, digests and known deviations.`;

/** The OpenAPI 3.1 document of the contract; the same base URL gives the same document, to the byte. */
export const openApiDocumentOf = (baseUrl: string): OpenApiDocument => {
  const operations = Object.entries(OPERATIONS) as [OperationId, (typeof OPERATIONS)[OperationId]][];
  const fields = new Set([...operations.flatMap(([, operation]) => fieldsOfOperation(operation)), errorEnvelope]);
  const schemas = generateSchemas([...fields]);
  const errors = createErrorSchemas(schemas.fieldsOf(errorEnvelope));
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const [id, operation] of operations) {
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = operationObject(id, operation, { schemas, errors });
  }
  return {
    openapi: OPENAPI_VERSION,
    info: {
      title: 'Civic Records',
      version: INTERFACE_VERSION,
      summary: 'Local-government civic records as public reads, a change feed, frozen exports and tools.',
      description: DESCRIPTION,
      contact: { name: 'Reference', url: `${baseUrl}/api-reference.md` },
      license: { name: 'All rights reserved', identifier: 'LicenseRef-All-Rights-Reserved' },
    },
    servers: [{ url: baseUrl, description: 'This service' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { ...schemas.components, ...errors.components },
      headers: HEADERS,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer <API_KEY>`.' },
      },
    },
  };
};
