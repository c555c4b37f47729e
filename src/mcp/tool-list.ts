import type { Tool } from '../contract/tools/tool.ts';
import { TOOL_NAMES } from '../contract/tools/tool-names.ts';
import { TOOLS } from '../contract/tools/tools.ts';
import { describedInput } from '../documents/json-schemas.ts';

/** How long a client may keep the list, and that it is not to share it. */
export const LIST_CACHE = { ttlMs: 300_000, cacheScope: 'private' } as const;

const inputSchema = ({ input }: Tool): { type: 'object'; [keyword: string]: unknown } => ({ ...describedInput(input), type: 'object' });

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
