import { z } from 'zod';
import type { Tool } from '../contract/tools/tool.ts';
import { TOOL_NAMES } from '../contract/tools/tool-names.ts';
import { TOOLS } from '../contract/tools/tools.ts';
import { describeField } from '../documents/glossary.ts';

/** How long a client may keep the list, and that it is not to share it. */
export const LIST_CACHE = { ttlMs: 300_000, cacheScope: 'private' } as const;

interface Property {
  description?: string;
  pattern?: string;
  format?: string;
}

const FORMATS_THAT_SAY_IT = new Set(['uuid', 'date']);

/** The arguments as a model reads them: each with a description, and without patterns that their format says already. */
const inputSchema = ({ input }: Tool): { type: 'object'; [keyword: string]: unknown } => {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    override: ({ jsonSchema, path }) => {
      const property = jsonSchema as Property;
      if (FORMATS_THAT_SAY_IT.has(property.format ?? '')) delete property.pattern;
      const name = path.at(-2) === 'properties' ? path.at(-1) : undefined;
      if (typeof name !== 'string' || property.description !== undefined) return;
      const description = describeField(name);
      if (description !== undefined) property.description = description;
    },
  });
  return { ...schema, type: 'object' };
};

const listed = (tool: Tool) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description.replaceAll('\n', ' '),
  inputSchema: inputSchema(tool),
  annotations: {
    title: tool.title,
    readOnlyHint: tool.effect === 'reads',
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
});

/** The `tools/list` result, in the order of the contract whoever asks. */
export const toolList = () => ({
  resultType: 'complete' as const,
  tools: TOOL_NAMES.map((name) => listed(TOOLS[name])),
  ...LIST_CACHE,
});
