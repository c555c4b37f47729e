import { z } from 'zod';
import { ANSWER_COMPONENTS, CLOSED_COMPONENTS, REQUEST_COMPONENTS } from './component-schemas.ts';
import type { JsonSchema } from './document-types.ts';
import { describeField } from './property-texts.ts';

type Draft = { -readonly [Keyword in keyof JsonSchema]: JsonSchema[Keyword] };
type Side = 'input' | 'output';

const REFERENCE = '#/components/schemas/';
export const referenceTo = (name: string): JsonSchema => ({ $ref: REFERENCE + name });
export const referencedName = (schema: JsonSchema): string | undefined => schema.$ref?.slice(REFERENCE.length);

const FORMATS_THAT_SAY_IT = new Set(['uuid', 'date-time', 'date']);

/** `anyOf` of a plain type and null says no more than a list of types. */
const withNull = ({ anyOf, ...rest }: Draft): Draft => {
  const [value, nothing, ...further] = anyOf ?? [];
  const plain =
    nothing?.type === 'null' &&
    further.length === 0 &&
    typeof value?.type === 'string' &&
    value.const === undefined &&
    value.enum === undefined;
  if (!plain) return anyOf === undefined ? rest : { ...rest, anyOf };
  return { ...value, ...rest, type: [value.type, 'null'] };
};

const walk = (node: unknown, side: Side, field?: string): unknown => {
  if (Array.isArray(node)) return node.map((item) => walk(item, side));
  if (typeof node !== 'object' || node === null) return node;
  const { id: _name, ...source } = node as Draft;
  let schema: Draft = {};
  for (const [keyword, value] of Object.entries(source)) {
    schema[keyword] =
      keyword === 'properties'
        ? Object.fromEntries(Object.entries(value as object).map(([name, property]) => [name, walk(property, side, name)]))
        : ['enum', 'const', 'default', 'required', 'wire'].includes(keyword)
          ? value
          : keyword === '$ref'
            ? (value as string).replace('#/$defs/', REFERENCE)
            : walk(value, side);
  }
  const { wire, ...rest } = schema;
  if (wire !== undefined)
    schema = { ...(rest.description === undefined ? {} : { description: rest.description }), ...(wire as JsonSchema) };
  schema = withNull(schema);
  if (FORMATS_THAT_SAY_IT.has(schema.format ?? '')) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  const additional = schema['additionalProperties'];
  if (typeof additional === 'object' && additional !== null && Object.keys(additional).length === 0) schema['additionalProperties'] = true;
  if (side === 'output') {
    delete schema['default'];
    if (additional === false) delete schema['additionalProperties'];
  }
  if (field !== undefined && schema.description === undefined) {
    const description = describeField(field);
    if (description !== undefined) schema.description = description;
  }
  return schema;
};

/** The schema of an input by itself, with a description of each of its fields. */
export function describedInput(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...described } = walk(z.toJSONSchema(schema, { io: 'input' }), 'input') as JsonSchema;
  return described;
}

/** zod asks a registry for the name of each schema; what the contract says of it stays beside the name. */
const registryOf = (names: ReadonlyMap<z.ZodType, string>) =>
  Object.assign(z.registry<{ id?: string }>(), {
    get: (schema: z.ZodType) => {
      const id = names.get(schema);
      return { ...z.globalRegistry.get(schema), ...(id === undefined ? {} : { id }) };
    },
  });

/** All at once, under one root: one by one zod goes over all of them for each. */
const generated = (names: ReadonlyMap<z.ZodType, string>, side: Side): Readonly<Record<string, JsonSchema>> => {
  const root = z.tuple([...names.keys()] as [z.ZodType, ...z.ZodType[]]);
  const { $defs } = z.toJSONSchema(root, { io: side, metadata: registryOf(names) });
  return Object.fromEntries([...names.values()].map((name) => [name, walk($defs?.[name], side) as JsonSchema]));
};

const namesOf = (components: Readonly<Record<string, z.ZodType>>): Map<z.ZodType, string> =>
  new Map(Object.entries(components).map(([name, schema]) => [schema, name]));

/** `id` first: it is what a reader looks for. */
const idFirst = (schema: JsonSchema): JsonSchema => {
  const { id, ...others } = schema.properties ?? {};
  return id === undefined ? schema : { ...schema, properties: { id, ...others } };
};

/** A choice between named objects names its discriminating field, so that a generated type can be narrowed. */
const withDiscriminator = (schema: JsonSchema, all: Readonly<Record<string, JsonSchema>>): JsonSchema => {
  const { oneOf } = schema;
  // Generators take a discriminator between objects only; where a choice is itself a choice, its constants suffice.
  if (oneOf === undefined || !oneOf.every((choice) => all[referencedName(choice) ?? '']?.properties !== undefined)) return schema;
  for (const propertyName of ['operation', 'resource', 'kind', 'name']) {
    const mapping = Object.fromEntries(
      oneOf.map(({ $ref = '' }) => [String(all[$ref.slice(REFERENCE.length)]?.properties?.[propertyName]?.const), $ref]),
    );
    if (mapping['undefined'] === undefined && Object.keys(mapping).length === oneOf.length) {
      return { ...schema, discriminator: { propertyName, mapping } };
    }
  }
  return schema;
};

export interface GeneratedSchemas {
  /** By name, in the order of the lists. */
  readonly components: Readonly<Record<string, JsonSchema>>;
  /** The fields of a path, a query or headers of the contract. */
  fieldsOf(schema: z.ZodType): JsonSchema;
}

/** Names a schema of a body; throws where it has no name. */
export const named = (schema: z.ZodType): JsonSchema => {
  const entries = [...Object.entries(ANSWER_COMPONENTS), ...Object.entries(REQUEST_COMPONENTS)];
  const found = entries.find(([, candidate]) => candidate === schema);
  if (found === undefined) throw new Error('a body of the contract has no name in the documents');
  return referenceTo(found[0]);
};

/** Makes the JSON schemas of everything in the contract at once; `fields` are the schemas whose fields are asked for one by one. */
export const generateSchemas = (fields: readonly z.ZodType[]): GeneratedSchemas => {
  const requests = namesOf(REQUEST_COMPONENTS);
  const fieldNames = new Map(fields.map((schema, index) => [schema, `fields-${index}`]));
  const inputs = generated(new Map([...requests, ...fieldNames]), 'input');
  const bodies = [...requests.values()].map((name) => [name, inputs[name]!] as const);
  const all: Record<string, JsonSchema> = { ...Object.fromEntries(bodies), ...generated(namesOf(ANSWER_COMPONENTS), 'output') };
  for (const name of CLOSED_COMPONENTS) all[name] = { ...all[name], additionalProperties: false };
  return {
    components: Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, withDiscriminator(idFirst(schema), all)])),
    fieldsOf: (schema) => inputs[fieldNames.get(schema)!]!,
  };
};
