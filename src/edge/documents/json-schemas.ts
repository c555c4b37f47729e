import { z } from 'zod';
import { ERROR_CODES } from '../../../contract/error-codes.ts';
import type { ClosedOperation, Operation } from '../../../contract/operation.ts';
import { OPERATIONS } from '../../../contract/operations.ts';
import { toolCall } from '../../../contract/tools/tool-results.ts';

/** JSON Schema as zod writes it: a schema is never `true` or `false`. */
export interface JsonSchema extends z.core.JSONSchema.BaseSchema {
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
}

type Side = 'input' | 'output';

const REFERENCE = '#/components/schemas/';
export const referenceTo = (name: string): JsonSchema => ({ $ref: REFERENCE + name });
export const referencedName = (schema: JsonSchema): string | undefined => schema.$ref?.slice(REFERENCE.length);

/** Keywords whose values are not schemas. */
const VALUES = new Set(['enum', 'const', 'default', 'required', 'discriminator', 'wire']);
const FORMATS_THAT_SAY_IT = new Set(['uuid', 'date-time', 'date']);

/** Writes a plain type or null as a list of types, and moves the description of the value to the whole. */
function withNull({ anyOf, ...rest }: JsonSchema): JsonSchema {
  const [value, nullType, ...further] = anyOf ?? [];
  if (value === undefined || nullType?.type !== 'null' || further.length > 0)
    return anyOf === undefined ? rest : { ...rest, anyOf };
  if (typeof value.type === 'string' && value.const === undefined && value.enum === undefined)
    return { ...value, ...rest, type: [value.type, 'null'] };
  const { description, ...described } = value;
  return { ...(description === undefined ? {} : { description }), ...rest, anyOf: [described, nullType] };
}

function ofKeyword(keyword: string, value: unknown, side: Side): unknown {
  if (VALUES.has(keyword)) return value;
  if (keyword !== 'properties') return inDocument(value, side);
  return Object.fromEntries(
    Object.entries(value as object).map(([name, property]) => [name, inDocument(property, side)]),
  );
}

function inDocument(node: unknown, side: Side): unknown {
  if (Array.isArray(node)) return node.map((item) => inDocument(item, side));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref, description, wire, closed, ...source } = node as JsonSchema;
  const described: JsonSchema = description === undefined ? {} : { description };
  if ($ref !== undefined) return { $ref: $ref.replace('#/$defs/', REFERENCE), ...described };
  if (wire !== undefined) return { ...(wire as JsonSchema), ...described };
  const keywords = Object.entries(source).map(([keyword, value]) => [keyword, ofKeyword(keyword, value, side)]);
  const schema = withNull({ ...Object.fromEntries(keywords), ...described });
  if (FORMATS_THAT_SAY_IT.has(schema.format ?? '')) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  const additional = schema['additionalProperties'];
  if (typeof additional === 'object' && additional !== null && Object.keys(additional).length === 0)
    schema['additionalProperties'] = true;
  if (side === 'output') {
    delete schema['default'];
    if (additional === false && !closed) delete schema['additionalProperties'];
  }
  return schema;
}

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>;

/** Names the discriminating field of a choice between named objects. Generators accept one between objects only. */
const withDiscriminator: Override = ({ zodSchema, jsonSchema: { oneOf }, jsonSchema }) => {
  if (oneOf === undefined || !(zodSchema instanceof z.ZodDiscriminatedUnion)) return;
  const propertyName = zodSchema.def.discriminator;
  const mapping = zodSchema.options.map((option, at) => {
    const field = option instanceof z.ZodObject ? option.shape[propertyName] : undefined;
    return [field instanceof z.ZodLiteral ? field.value : undefined, oneOf[at]!.$ref?.replace('#/$defs/', REFERENCE)];
  });
  if (mapping.flat().includes(undefined)) return;
  jsonSchema['discriminator'] = { propertyName, mapping: Object.fromEntries(mapping) };
};

/** Converts all schemas in one call, because zod visits all referenced schemas in each call. */
function components(
  schemas: readonly (z.ZodType | null | undefined)[],
  side: Side,
): Readonly<Record<string, JsonSchema>> {
  const root = z.tuple(schemas.filter((schema) => schema != null) as [z.ZodType, ...z.ZodType[]]);
  const { $defs = {} } = z.toJSONSchema(root, { io: side, override: withDiscriminator });
  return Object.fromEntries(
    Object.entries($defs).map(([name, schema]) => [name, inDocument(schema, side) as JsonSchema]),
  );
}

/**
 * Returns the component schemas in the order of first use. A schema that requests and answers share is described as in
 * the answers.
 */
export function componentSchemas(): Readonly<Record<string, JsonSchema>> {
  const operations = Object.values<Operation | ClosedOperation>(OPERATIONS).filter(
    (operation) => operation.access !== 'closed',
  );
  const requests = operations.flatMap(({ params, query, headers, body }) => [params, query, headers, body?.schema]);
  const answers = operations.flatMap(({ success, otherAnswers = [] }) =>
    [success, ...otherAnswers].map(({ schema }) => schema),
  );
  return {
    ...components([...requests, toolCall], 'input'),
    ...components([...answers, ...Object.values(ERROR_CODES)], 'output'),
  };
}

/** Returns a reference to a named schema. Throws if it has no name. */
export function named(schema: z.ZodType): JsonSchema {
  const name = z.globalRegistry.get(schema)?.id;
  if (name === undefined) throw new Error('a body of the contract has no name in the documents');
  return referenceTo(name);
}

function convertInput(schema: z.ZodType, metadata: z.core.$ZodRegistry<z.GlobalMeta>): JsonSchema {
  const written = inDocument(z.toJSONSchema(schema, { io: 'input', metadata }), 'input') as JsonSchema;
  const { $schema: _dialect, $defs: _components, ...input } = written;
  return input;
}

export const referringInput = (schema: z.ZodType): JsonSchema => convertInput(schema, z.globalRegistry);

/** The metadata of the contract without names, so that each schema is written out where it is used. */
const WITHOUT_NAMES = Object.assign(z.registry<z.GlobalMeta>(), {
  get: (schema: z.core.$ZodType) => ({ ...z.globalRegistry.get(schema), id: undefined }),
});

export const describedInput = (schema: z.ZodType): JsonSchema => convertInput(schema, WITHOUT_NAMES);
