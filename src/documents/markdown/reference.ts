import type { OpenApiDocument } from '../document-types.ts';
import { guide } from './guide.ts';
import { operationSection, type Placed, placedOperations } from './operation-section.ts';
import { referencedNames, schemaSection } from './schema-text.ts';
import { blocks, table } from './table.ts';

const baseUrlOf = ({ servers }: OpenApiDocument): string => servers[0]!.url;

const objects = (names: readonly string[], { components }: OpenApiDocument, level: string): string =>
  blocks(...names.map((name) => schemaSection(name, components.schemas[name]!, level)));

export const operationPagePath = (operationId: string): string => `/api-reference/${operationId}.md`;

const line = ({ path, method, operation }: Placed): readonly string[] => [
  `[${operation.operationId}](${operationPagePath(operation.operationId)})`,
  `\`${method.toUpperCase()} ${path}\``,
  operation.summary,
  operation['x-served'] ? 'yes' : 'not yet',
];

/** Everything on one page. */
export const fullReference = (document: OpenApiDocument): string => {
  const placed = placedOperations(document);
  const { title, version, description } = document.info;
  return `${blocks(
    `# ${title}, interface ${version}`,
    description,
    `Base URL: \`${baseUrlOf(document)}\`. The same as OpenAPI 3.1: [/api/openapi.json](/api/openapi.json). To try requests: [/reference](/reference).`,
    '## Operations',
    table(['Operation', 'Method and path', 'What it does', 'Served by this version'], placed.map(line)),
    guide(baseUrlOf(document)),
    ...document.tags.map((tag) =>
      blocks(
        `## ${tag.name}`,
        tag.description,
        ...placed
          .filter(({ operation }) => operation.tags.includes(tag.name))
          .map((operation) => operationSection(operation, baseUrlOf(document), '###')),
      ),
    ),
    '## Objects',
    objects(Object.keys(document.components.schemas), document, '###'),
  )}\n`;
};

/** One operation with every object that it speaks of. */
export const operationPage = (document: OpenApiDocument, placed: Placed): string => {
  const names = referencedNames(placed.operation, document.components.schemas);
  return `${blocks(
    operationSection(placed, baseUrlOf(document), '#'),
    'Errors, cursors, limits and recipes: [the reference](/api-reference.md).',
    names.length === 0 ? '' : '## Objects',
    objects(names, document, '###'),
  )}\n`;
};
