import { TOOLS } from '../../contract/tools/tools.ts';
import type { OpenApiDocument } from '../document-types.ts';
import { placedOperations } from './operation-section.ts';
import { operationPagePath } from './reference.ts';
import { blocks } from './table.ts';

/** The index for agents (`/llms.txt`): what there is, and which page tells of it. */
export const agentIndex = (document: OpenApiDocument): string => {
  const { url } = document.servers[0]!;
  const placed = placedOperations(document);
  const sections = document.tags.map(({ name, description }) => {
    const lines = placed
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ operation, method, path }) => {
        const served = operation['x-served'] ? '' : ' (not served by this version yet)';
        return `- [${operation.operationId}](${url}${operationPagePath(operation.operationId)}): ${operation.summary}, \`${method.toUpperCase()} ${path}\`${served}`;
      });
    return blocks(`## ${name}`, description, lines.join('\n'));
  });
  return `${blocks(
    `# ${document.info.title}`,
    `> ${String(document.info['summary'])}`,
    `Public operations need no key. Customer operations need \`Authorization: Bearer <API_KEY>\`. An empty answer does not prove that nothing happened; follow
a record's source link before you rely on it.`,
    [
      `- [Full reference](${url}/api-reference.md): errors, cursors, limits, digests, every operation and object`,
      `- [OpenAPI 3.1 document](${url}/api/openapi.json): the same for programs`,
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
};
