import { type JsonSchema, referencedName } from '../json-schemas.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/(?<!\s)\s*\n\s*/g, ' ');

/** Writes a Markdown table; an empty text without rows. */
export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows.length === 0
    ? ''
    : [heads, heads.map(() => '---'), ...rows.map((row) => row.map(cell))]
        .map((row) => `| ${row.join(' | ')} |`)
        .join('\n');

/** Joins blocks with an empty line between them and leaves out empty ones. */
export const blocks = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');
export const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;
export const json = (value: unknown): string => fence('json', JSON.stringify(value, null, 2));

const list = (values: readonly unknown[]): string =>
  values.map((value) => `\`${JSON.stringify(value).replaceAll(/^"|"$/g, '')}\``).join(', ');

function bound(low: number | undefined, high: number | undefined, what: string): string {
  if (low === undefined) return high === undefined ? '' : `at most ${high}${what}`;
  return high === undefined ? `at least ${low}${what}` : `${low} to ${high}${what}`;
}

const bounds = (schema: JsonSchema): readonly string[] =>
  [
    bound(schema.minimum, schema.maximum, ''),
    schema.minLength === 1 && schema.maxLength === undefined
      ? 'not empty'
      : bound(schema.minLength, schema.maxLength, ' characters'),
    bound(schema.minItems, schema.maxItems, ' items'),
    schema.pattern === undefined ? '' : `\`${schema.pattern}\``,
    schema['default'] === undefined ? '' : `default ${list([schema['default']])}`,
  ].filter((part) => part !== '');

function base(schema: JsonSchema): string {
  const name = referencedName(schema);
  if (name !== undefined) return `[${name}](#${name.toLowerCase()})`;
  if (schema.const !== undefined) return list([schema.const]);
  if (schema.enum !== undefined) return list(schema.enum);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return choices.map(typeText).join(' or ');
  if (schema.allOf !== undefined) return typeText(schema.allOf.at(-1)!);
  const types = [schema.type ?? 'any'].flat();
  if (types.includes('array')) return `array of ${schema.items === undefined ? 'any' : typeText(schema.items)}`;
  return types.map((type) => (type === 'string' ? (schema.format ?? type) : type)).join(' or ');
}

export const typeText = (schema: JsonSchema): string => [base(schema), ...bounds(schema)].join(', ');

/** Returns one row per field, including fields of nested objects. */
const rows = ({ properties = {}, required = [] }: JsonSchema, prefix = ''): readonly (readonly string[])[] =>
  Object.entries(properties).flatMap(([name, field]) => {
    const path = prefix + name;
    const inner = field.properties === undefined ? field.items : field;
    const nested = inner?.properties === undefined ? [] : rows(inner, `${path}${inner === field ? '' : '[]'}.`);
    return [
      [`\`${path}\``, typeText(field), required.includes(name) ? 'yes' : 'no', field.description ?? ''],
      ...nested,
    ];
  });

export function schemaSection(name: string, schema: JsonSchema): string {
  const fields = table(['Field', 'Type', 'Always there', 'Meaning'], rows(schema));
  return blocks(`### ${name}`, schema.properties === undefined ? `${typeText(schema)}.` : fields);
}

/** Returns the names of all schemas that the parts refer to, directly or not, in the order of the document. */
export function referencedNames(parts: unknown, all: Readonly<Record<string, JsonSchema>>): readonly string[] {
  const referenced = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { $ref } = node as JsonSchema;
    const name = typeof $ref === 'string' ? referencedName(node as JsonSchema) : undefined;
    if (name !== undefined && all[name] !== undefined && !referenced.has(name)) {
      referenced.add(name);
      visit(all[name]);
    }
    for (const value of Object.values(node)) visit(value);
  };
  visit(parts);
  return Object.keys(all).filter((name) => referenced.has(name));
}
