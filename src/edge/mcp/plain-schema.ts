import type { JsonSchema } from '../documents/json-schemas.ts';

/** Forms of the texts that lose their `format`, for descriptions that do not state them. */
const FORMS: Readonly<Record<string, string>> = { date: 'YYYY-MM-DD', uuid: 'a UUID' };

/**
 * Writes an input schema without `oneOf`, `anyOf`, `const` and `format`, which the interfaces of some agents refuse. The
 * result accepts more than the validation, which still applies.
 */
export function writePlainSchema(schema: JsonSchema): JsonSchema {
  const { oneOf, anyOf, const: constant, format, ...rest } = schema;
  const choices = (oneOf ?? anyOf)?.map(writePlainSchema);
  const plain: JsonSchema = { ...rest, ...(choices && mergeChoices(choices)) };
  if (constant !== undefined) plain.enum = [constant];
  if (format !== undefined) plain.description = describeForm(rest.description, format);
  if (plain.items !== undefined) plain.items = writePlainSchema(plain.items);
  if (plain.properties !== undefined)
    plain.properties = Object.fromEntries(
      Object.entries(plain.properties).map(([name, property]) => [name, writePlainSchema(property)]),
    );
  return plain;
}

function describeForm(description = '', format: string): string {
  const form = FORMS[format] ?? format;
  return description.includes(form) ? description : `${description} (${form})`.trim();
}

/** Merges objects: every property of any of them, the values of equal names together, and what all require. */
function mergeChoices(choices: readonly JsonSchema[]): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  for (const choice of choices)
    for (const [name, property] of Object.entries(choice.properties ?? {})) {
      const values = [...(properties[name]?.enum ?? []), ...(property.enum ?? [])];
      properties[name] = { ...property, ...properties[name], ...(values.length > 0 && { enum: values }) };
    }
  const required = Object.keys(properties).filter((name) => choices.every((each) => each.required?.includes(name)));
  return { type: 'object', properties, required, additionalProperties: false };
}
