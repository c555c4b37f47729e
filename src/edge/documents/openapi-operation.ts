import type { z } from 'zod';
import type { ClosedOperation, Operation } from '../../../contract/operation.ts';
import type { OperationId } from '../../../contract/operations.ts';
import type { JsonSchema, OperationObject, Parameter } from './document-types.ts';
import type { ErrorSchemas } from './error-schemas.ts';
import { type GeneratedSchemas, named } from './json-schemas.ts';
import { HEADER_NAMES, IF_NONE_MATCH } from './openapi-headers.ts';
import { responsesOf } from './openapi-responses.ts';

type Place = Parameter['in'];
const PLACES = ['path', 'query', 'header'] as const satisfies readonly Place[];

const fieldSchemas = ({ params, query, headers }: Operation): Readonly<Record<Place, z.ZodType | undefined>> => ({
  path: params,
  query,
  header: headers,
});

/** The schemas that `GeneratedSchemas.fieldsOf` will be asked for. */
export const fieldsOfOperation = (operation: Operation | ClosedOperation): readonly z.ZodType[] =>
  operation.access === 'closed' ? [] : Object.values(fieldSchemas(operation)).filter((schema) => schema !== undefined);

const parametersOf = (operation: Operation, schemas: GeneratedSchemas): readonly Parameter[] => {
  const examples = operation.example.parameters;
  const parameters = PLACES.flatMap((place) => {
    const schema = fieldSchemas(operation)[place];
    const { properties = {}, required = [] }: JsonSchema = schema === undefined ? {} : schemas.fieldsOf(schema);
    return Object.entries(properties).map(([name, { description = '', ...rest }]): Parameter => {
      const example = examples[name];
      return {
        name: HEADER_NAMES[name] ?? name,
        in: place,
        required: required.includes(name),
        description,
        schema: rest,
        ...(example === undefined ? {} : { example }),
      };
    });
  });
  return operation.access === 'public' ? [...parameters, IF_NONE_MATCH] : parameters;
};

const bodyOf = ({ body, example }: Operation): Pick<OperationObject, 'requestBody'> =>
  body === null
    ? {}
    : {
        requestBody: {
          required: true,
          description: `At most ${body.maxBytes.toLocaleString('en')} bytes.`,
          content: { 'application/json': { schema: named(body.schema), examples: example.body ?? {} } },
        },
      };

/** One operation of the contract in OpenAPI. */
export const operationObject = (
  id: OperationId,
  operation: Operation | ClosedOperation,
  { schemas, errors }: { readonly schemas: GeneratedSchemas; readonly errors: ErrorSchemas },
): OperationObject => {
  const { tag, summary, description, example } = operation;
  const scope = operation.access === 'closed' ? null : operation.scope;
  const parameters = operation.access === 'closed' ? [] : parametersOf(operation, schemas);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: operation.access === 'key' ? [{ apiKey: [] }] : [],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(operation.access === 'closed' ? {} : bodyOf(operation)),
    responses: responsesOf(operation, example.success ?? {}, errors),
    'x-served': true,
    'x-required-scope': scope,
  };
};
