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
function withNull({ anyOf, ...rest }: Draft): Draft {
  const [value, nothing, ...further] = anyOf ?? [];
  const isPlain = typeof value?.type === 'string' && value.const === undefined && value.enum === undefined;
  if (isPlain && nothing?.type === 'null' && further.length === 0) return { ...value, ...rest, type: [value.type, 'null'] };
  return anyOf === undefined ? rest : { ...rest, anyOf };
}

function walkKeyword(keyword: string, value: unknown, side: Side): unknown {
  if (['enum', 'const', 'default', 'required', 'wire'].includes(keyword)) return value;
  if (keyword === '$ref') return (value as string).replace('#/$defs/', REFERENCE);
  if (keyword !== 'properties') return walk(value, side);
  return Object.fromEntries(Object.entries(value as object).map(([name, property]) => [name, walk(property, side, name)]));
}

function walk(node: unknown, side: Side, field?: string): unknown {
  if (Array.isArray(node)) return node.map((item) => walk(item, side));
  if (typeof node !== 'object' || node === null) return node;
  const { id: _name, ...source } = node as Draft;
  const walked = Object.entries(source).map(([keyword, value]) => [keyword, walkKeyword(keyword, value, side)]);
  const { wire, ...rest } = Object.fromEntries(walked) as Draft;
  let schema = rest;
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
  const description = field === undefined ? undefined : describeField(field);
  return description === undefined ? schema : { ...schema, description: schema.description ?? description };
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
function generated(names: ReadonlyMap<z.ZodType, string>, side: Side): Readonly<Record<string, JsonSchema>> {
  const root = z.tuple([...names.keys()] as [z.ZodType, ...z.ZodType[]]);
  const { $defs } = z.toJSONSchema(root, { io: side, metadata: registryOf(names) });
  return Object.fromEntries([...names.values()].map((name) => [name, walk($defs?.[name], side) as JsonSchema]));
}

type Components = Readonly<Record<string, z.ZodType>>;
const namesOf = (components: Components): ReadonlyMap<z.ZodType, string> =>
  new Map(Object.entries(components).map(([name, schema]) => [schema, name]));

/** `id` first: it is what a reader looks for. */
function idFirst(schema: JsonSchema): JsonSchema {
  const { id, ...others } = schema.properties ?? {};
  return id === undefined ? schema : { ...schema, properties: { id, ...others } };
}

/** A choice between named objects names its discriminating field, so that a generated type can be narrowed. */
function withDiscriminator(schema: JsonSchema, all: Readonly<Record<string, JsonSchema>>): JsonSchema {
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
}

/** Names a schema of a body; throws where it has no name. */
export function named(schema: z.ZodType): JsonSchema {
  const name = namesOf({ ...ANSWER_COMPONENTS, ...REQUEST_COMPONENTS }).get(schema);
  if (name === undefined) throw new Error('a body of the contract has no name in the documents');
  return referenceTo(name);
}

/** The schema of an input by itself, with a description of each of its fields. */
export function describedInput(schema: z.ZodType, components: Components = {}): JsonSchema {
  const generated = z.toJSONSchema(schema, { io: 'input', metadata: registryOf(namesOf(components)) });
  const { $schema: _dialect, $defs: _components, ...described } = walk(generated, 'input') as JsonSchema;
  return described;
}

/** The same with references to the components. */
export const referringInput = (schema: z.ZodType): JsonSchema => describedInput(schema, REQUEST_COMPONENTS);

/** The JSON schemas of the components by name, in the order of the lists. */
export function componentSchemas(): Readonly<Record<string, JsonSchema>> {
  const all: Record<string, JsonSchema> = {
    ...generated(namesOf(REQUEST_COMPONENTS), 'input'),
    ...generated(namesOf(ANSWER_COMPONENTS), 'output'),
  };
  for (const name of CLOSED_COMPONENTS) all[name] = { ...all[name], additionalProperties: false };
  return Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, withDiscriminator(idFirst(schema), all)]));
}
