import { readFileSync } from 'node:fs';
import { CADENCE_LIST_PATH, TOPIC_LIST_PATH } from '../../../../contract/listings.ts';
import { WORKFLOWS_PATH } from '../../../../contract/workflows.ts';
import { TOOLS } from '../../../../contract/tools/tools.ts';
import { programFile } from '../../../../plumbing/program-files.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { SAMPLE_LANGUAGES } from './operation-samples.ts';
import { operationSection, type Placed, placedOperations } from './operation-section.ts';
import { blocks, referencedNames, schemaSection, table } from './schema-text.ts';

/** Rules for the whole interface. `{baseUrl}` stands for the address of the service. */
const GUIDE = readFileSync(programFile('src/edge/documents/markdown/guide.md'), 'utf8').trimEnd();
const readBaseUrl = ({ servers }: OpenApiDocument): string => servers[0]!.url;

const objects = (names: readonly string[], { components }: OpenApiDocument): string =>
  blocks(...names.map((name) => schemaSection(name, components.schemas[name]!)));

export const operationPagePath = (operationId: string): string => `/api-reference/${operationId}.md`;

function line({ path, method, operation: { operationId, summary } }: Placed): readonly string[] {
  return [`[${operationId}](${operationPagePath(operationId)})`, `\`${method.toUpperCase()} ${path}\``, summary, 'yes'];
}

export function fullReference(document: OpenApiDocument): string {
  const placed = placedOperations(document);
  const { title, version, description } = document.info;
  return `${blocks(
    `# ${title}, interface ${version}`,
    description,
    `Base URL: \`${readBaseUrl(document)}\`. The same as OpenAPI 3.1: [/api/openapi.json](/api/openapi.json). To try requests: [/reference](/reference).`,
    '## Operations',
    table(['Operation', 'Method and path', 'What it does', 'Served by this version'], placed.map(line)),
    GUIDE.replaceAll('{baseUrl}', () => readBaseUrl(document)),
    ...document.tags.map(({ name, description: about }) => {
      const ofTag = placed.filter(({ operation }) => operation.tags.includes(name));
      return blocks(
        `## ${name}`,
        about,
        ...ofTag.map((each) => operationSection(each, readBaseUrl(document), '###', ['sh'])),
      );
    }),
    '## Objects',
    objects(Object.keys(document.components.schemas), document),
  )}\n`;
}

export function operationPage(document: OpenApiDocument, operationId: string): string {
  const placed = placedOperations(document).find(({ operation }) => operation.operationId === operationId)!;
  const names = referencedNames(placed.operation, document.components.schemas);
  return `${blocks(
    operationSection(placed, readBaseUrl(document), '#', SAMPLE_LANGUAGES),
    'Errors, cursors, limits and recipes: [the reference](/api-reference.md).',
    names.length === 0 ? '' : '## Objects',
    objects(names, document),
  )}\n`;
}

/** Writes the index for agents (`/llms.txt`): each topic and its page. */
export function agentIndex(document: OpenApiDocument): string {
  const url = readBaseUrl(document);
  const placed = placedOperations(document);
  const sections = document.tags.map(({ name, description }) => {
    const lines = placed
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ operation: { operationId, summary }, method, path }) => {
        return `- [${operationId}](${url}${operationPagePath(operationId)}): ${summary}, \`${method.toUpperCase()} ${path}\``;
      });
    return blocks(`## ${name}`, description, lines.join('\n'));
  });
  return `${blocks(
    `# ${document.info.title}`,
    `> ${document.info.summary}`,
    `Public operations need no key. Customer operations need \`Authorization: Bearer <API_KEY>\`. An empty answer does not prove that nothing happened; follow
a record's source link before you rely on it.`,
    [
      `- [Full reference](${url}/api-reference.md): errors, cursors, limits, digests, every operation and object`,
      `- [OpenAPI 3.1 document](${url}/api/openapi.json): the same for programs`,
      `- [Workflows](${url}${WORKFLOWS_PATH}): sequences of requests for programs, in the format of Arazzo`,
      `- [Topics](${url}${TOPIC_LIST_PATH}) and [bodies whose cadence is published](${url}${CADENCE_LIST_PATH}): slugs to ask for, as JSON`,
    ].join('\n'),
    blocks(
      '## Tools of the Model Context Protocol',
      `\`POST ${url}/api/v1/mcp\` (Streamable HTTP, no session) with a key of scope \`mcp:read\`:`,
      Object.values(TOOLS)
        .map(({ name, title, description }) => `- \`${name}\`: ${title}. ${description.replaceAll('\n', ' ')}`)
        .join('\n'),
    ),
    ...sections,
  )}\n`;
}
