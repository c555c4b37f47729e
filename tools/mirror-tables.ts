import { readFileSync, writeFileSync } from 'node:fs';
import { RESOURCES } from '../domain/records/resources.ts';
import { columnName, type ColumnType, type MirrorColumn } from '../client/mirror/columns.ts';
import type { JsonSchema } from '../src/edge/documents/json-schemas.ts';
import { buildOpenApiDocument } from '../src/edge/documents/openapi.ts';

const TABLES_FILE = new URL('../client/mirror/mirror-tables.ts', import.meta.url);
export const PAGE_FILE = new URL('../docs/developers/replicate.md', import.meta.url);
const BEGIN = '<!-- Generated from the contract by `npm run docs:mirror`. Do not edit down to the end mark. -->\n';
const END = '<!-- End of the generated part. -->\n';

interface DescribedColumn extends MirrorColumn {
  readonly meaning: string;
}

const schemas = buildOpenApiDocument('https://civic.example').components.schemas as Readonly<
  Record<string, JsonSchema>
>;
const referred = ({ $ref }: JsonSchema): JsonSchema => schemas[$ref?.split('/').at(-1) ?? ''] ?? {};

/** The schema of a resource's `data` is the one that a change of the feed refers to. */
function dataSchema(resource: string): JsonSchema {
  const upsert = Object.values(schemas).find(
    ({ properties }) => properties?.['operation']?.const === 'upsert' && properties['resource']?.const === resource,
  );
  return referred(upsert?.properties?.['data'] ?? {});
}

const TYPES_OF_FORMATS: Readonly<Record<string, ColumnType>> = { uuid: 'uuid', date: 'date', 'date-time': 'timestamp' };
const TYPES: Readonly<Record<string, ColumnType>> = {
  string: 'text',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  array: 'json',
  object: 'json',
};

function columnType(schema: JsonSchema): ColumnType {
  if (schema.$ref !== undefined) return columnType(referred(schema));
  const choices = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (choices.length === 1) return columnType(choices[0]!);
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  const type = TYPES_OF_FORMATS[schema.format ?? ''] ?? (types.length === 1 ? TYPES[types[0]!] : undefined);
  if (type === undefined) throw new Error(`no type of a column for ${JSON.stringify(schema)}`);
  return type;
}

/** `publicBodyId` refers to `public_bodies`. */
function referredResource(field: string): string {
  const one = columnName(field).replace(/_id$/, '');
  const resource = RESOURCES.find((each) => each.replace(/ies$/, 'y').replace(/s$/, '') === one);
  if (resource === undefined) throw new Error(`${field} refers to no resource`);
  return resource;
}

const FIRST = ['id'];
const LAST = ['createdAt', 'updatedAt'];

function columnsOf(resource: string): readonly DescribedColumn[] {
  const { properties = {} } = dataSchema(resource);
  const inner = Object.keys(properties).filter((field) => ![...FIRST, ...LAST].includes(field));
  return [...FIRST, ...inner, ...LAST].map((field) => {
    const type = columnType(properties[field]!);
    const references = type === 'uuid' && field !== 'id' ? { references: referredResource(field) } : {};
    return { field, type, ...references, meaning: properties[field]!.description ?? '' };
  });
}

const tables = RESOURCES.map((resource) => [resource, columnsOf(resource)] as const);

function columnText({ field, type, references }: MirrorColumn): string {
  return `    { field: '${field}', type: '${type}'${references === undefined ? '' : `, references: '${references}'`} },\n`;
}

/** The text of `client/mirror/mirror-tables.ts`. */
export function mirrorTables(): string {
  return `// Generated from the contract by \`npm run docs:mirror\`. Do not edit.
import type { MirrorTables } from './columns.ts';

/** The tables of a mirror in the order of the resources: one for each, with one column for each field of its records. */
export const MIRROR_TABLES = {
${tables.map(([resource, columns]) => `  ${resource}: [\n${columns.map(columnText).join('')}  ],\n`).join('')}} as const satisfies MirrorTables;
`;
}

function section([resource, columns]: (typeof tables)[number]): string {
  const rows = columns.map(({ field, type, references, meaning }) => {
    const kind = references === undefined ? type : `${type} → \`${references}\``;
    return `| \`${columnName(field)}\` | ${kind} | ${meaning.replaceAll('|', '\\|')} |\n`;
  });
  return `### \`${resource}\`\n| column | type | meaning |\n|---|---|---|\n${rows.join('')}`;
}

/** `docs/developers/replicate.md` with its list of the tables. */
export function mirrorPage(page: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error('docs/developers/replicate.md lacks the marks of its generated part');
  return `${before}${BEGIN}\n${tables.map(section).join('\n')}\n${END}${after}`;
}

if (import.meta.main) {
  writeFileSync(TABLES_FILE, mirrorTables());
  writeFileSync(PAGE_FILE, mirrorPage(readFileSync(PAGE_FILE, 'utf8')));
}
