import { type ClosedOperation, type Operation, TAGS } from '../../../contract/operation.ts';
import { OPERATIONS } from '../../../contract/operations.ts';
import { componentSchemas, type JsonSchema, referringInput, named } from './json-schemas.ts';
import { HEADERS } from './openapi-headers.ts';
import { type Content, type ResponseObject, describeResponses } from './openapi-responses.ts';

/** Version of the interface, not of the program. */
const INTERFACE_VERSION = '1.0.0';
const OPENAPI_VERSION = '3.1.0';

const DESCRIPTION = `Structured local-government civic records of north-central Texas: classified agenda items, topics, meetings, source
coverage, ingestion health and meeting cadence. Customers replicate the records through frozen exports and an ordered change feed.

Answers state what was observed; no uptime, completeness or correctness is guaranteed. Follow a record's source link before you rely on it. Answers may gain
fields at any time: ignore what you do not know.

The reference at \`/api-reference.md\` describes errors, cursors, limits, digests and known deviations.`;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly description: string; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly 'x-served': true;
  readonly 'x-required-scope': string | null;
}

const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of your last response. The response is 304 if nothing has changed.',
  schema: { type: 'string' },
};

/** The usual capitalization of header names; the contract has them in lower case. */
const HEADER_NAMES: Readonly<Record<string, string>> = {
  'idempotency-key': 'Idempotency-Key',
  'mcp-method': 'Mcp-Method',
  'mcp-name': 'Mcp-Name',
  'mcp-protocol-version': 'MCP-Protocol-Version',
};

function listParameters(operation: Operation): readonly Parameter[] {
  const { params, query, headers, example } = operation;
  const places = { path: params, query, header: headers } as const;
  const parameters = Object.entries(places).flatMap(([place, schema]) => {
    const { properties = {}, required = [] }: JsonSchema = schema === undefined ? {} : referringInput(schema);
    return Object.entries(properties).map(([name, { description = '', ...rest }]) => ({
      name: HEADER_NAMES[name] ?? name,
      in: place as keyof typeof places,
      required: required.includes(name),
      description,
      schema: rest,
      ...(example.parameters[name] === undefined ? {} : { example: example.parameters[name] }),
    }));
  });
  return operation.access === 'public' ? [...parameters, IF_NONE_MATCH] : parameters;
}

function describeInput(operation: Operation): Pick<OperationObject, 'parameters' | 'requestBody'> {
  const { body, example } = operation;
  const parameters = listParameters(operation);
  const requestBody = body && {
    required: true as const,
    description: `At most ${body.maxBytes.toLocaleString('en')} bytes.`,
    content: { 'application/json': { schema: named(body.schema), examples: example.body ?? {} } },
  };
  return { ...(parameters.length === 0 ? {} : { parameters }), ...(requestBody && { requestBody }) };
}

const operationObject = (
  operation: Operation | ClosedOperation,
  errors: Record<string, JsonSchema>,
): OperationObject => ({
  operationId: operation.operationId,
  tags: [operation.tag],
  summary: operation.summary,
  description: operation.description,
  security: operation.access === 'key' ? [{ apiKey: [] }] : [],
  ...(operation.access === 'closed' ? {} : describeInput(operation)),
  responses: describeResponses(operation, errors),
  'x-served': true,
  'x-required-scope': operation.access === 'closed' ? null : operation.scope,
});

/** Builds the OpenAPI document. The same base URL gives the same bytes. */
export function buildOpenApiDocument(baseUrl: string) {
  const errors: Record<string, JsonSchema> = {};
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const operation of Object.values<Operation | ClosedOperation>(OPERATIONS)) {
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = operationObject(operation, errors);
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
      schemas: { ...componentSchemas(), ...errors },
      headers: HEADERS,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer <API_KEY>`.' },
      },
    },
  };
}

export type OpenApiDocument = ReturnType<typeof buildOpenApiDocument>;
