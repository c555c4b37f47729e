import type { z } from 'zod';
import type { ClosedOperation, Operation } from '../contract/operation.ts';
import { isServed, type OperationId } from '../contract/operations.ts';
import type { JsonSchema, OperationObject, Parameter } from './document-types.ts';
import type { ErrorSchemas } from './error-schemas.ts';
import { EXAMPLES } from './examples/examples.ts';
import type { GeneratedSchemas } from './json-schemas.ts';
import { named } from './json-schemas.ts';
import { HEADER_NAMES, IF_NONE_MATCH } from './openapi-headers.ts';
import { responsesOf } from './openapi-responses.ts';
import { PROSE } from './prose/operation-prose.ts';

export const NOT_SERVED = 'This version of the program does not answer this operation yet: its path is 404 `not_found`.';

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

const parametersOf = (id: OperationId, operation: Operation, schemas: GeneratedSchemas): readonly Parameter[] => {
  const examples = EXAMPLES[id].parameters;
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

const bodyOf = (id: OperationId, { body }: Operation): Pick<OperationObject, 'requestBody'> =>
  body === null
    ? {}
    : {
        requestBody: {
          required: true,
          description: `At most ${body.maxBytes.toLocaleString('en')} bytes.`,
          content: { 'application/json': { schema: named(body.schema), examples: EXAMPLES[id].body ?? {} } },
        },
      };

/** One operation of the contract as the document tells it. */
export const operationObject = (
  id: OperationId,
  operation: Operation | ClosedOperation,
  { schemas, errors }: { readonly schemas: GeneratedSchemas; readonly errors: ErrorSchemas },
): OperationObject => {
  const { tag, summary, description } = PROSE[id];
  const scope = operation.access === 'closed' ? null : operation.scope;
  const parameters = operation.access === 'closed' ? [] : parametersOf(id, operation, schemas);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: isServed(id) ? description : `${description}\n\n${NOT_SERVED}`,
    security: operation.access === 'key' ? [{ apiKey: [] }] : [],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(operation.access === 'closed' ? {} : bodyOf(id, operation)),
    responses: responsesOf(operation, EXAMPLES[id].success ?? {}, errors),
    'x-served': isServed(id),
    'x-required-scope': scope,
  };
};
