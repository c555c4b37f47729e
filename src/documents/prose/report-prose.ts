import { TOOLS } from '../../contract/tools/tools.ts';
import type { Prose } from './prose.ts';

const TOOL_LINES = Object.values(TOOLS)
  .map(({ name, description }) => `- \`${name}\`: ${description.replaceAll('\n', ' ')}`)
  .join('\n');

const CLOSED = 'This legacy route is closed: it answers 403 `mcp_prelaunch` whatever it is sent. It is no alias of `/api/v1/mcp`.';

export const REPORT_PROSE = {
  submitDataReport: {
    tag: 'Reports',
    summary: 'Report a missing record',
    description: `Confirms receipt only, not a gap; the address is not fetched at intake. The same \`Idempotency-Key\` with the same body answers the
first receipt, with another body it is 409. Needs current paid access and takes no paid call. Limits, shared with the tools: 5 submissions in a minute, refused
ones included and repeated ones not; 20 new reports in a day (UTC), 20 open ones, and 32 keys and surfaces that present one \`Idempotency-Key\`. The receipt is
given when the report can be read.

Refused addresses: other schemes than http and https, credentials, a fragment, hosts that are private or have no dot (literals of IPv6 have none), and query
parameters that look like secrets.`,
  },
  getDataReport: {
    tag: 'Reports',
    summary: 'Read how a report stands',
    description: `A report of this account. Ask again at \`nextCheckAt\`, not in a loop: 30 reads in a minute are the limit. Open statuses: \`received\`,
\`investigating\`, \`awaiting_source\`, \`gap_confirmed\`, \`backfilling\`. Closed ones: \`resolved\`, \`already_available\`, \`not_found\`, \`out_of_scope\`,
\`declined\`; a closed report stays closed.`,
  },
  postMcpJsonRpc: {
    tag: 'Tools',
    summary: 'Call the tools by JSON-RPC',
    description: `The Model Context Protocol over HTTP, in two eras. A request that carries its protocol version in \`params._meta\`
(\`io.modelcontextprotocol/protocolVersion\`) is of the current era: it is answered as JSON, and its headers must agree with its body. Any other is of
the 2025 era: it must accept both \`application/json\` and \`text/event-stream\`, is answered as server-sent events, and may be a batch of at most 20.

${TOOL_LINES}

A result has its data as \`structuredContent.data\` and, the same, as JSON text; a tool's own refusal is a result with \`isError: true\`. The payload of a tool is
at most 16,384 bytes: long texts are shortened, then rows are left out. A tool takes at most 10 seconds. Pages of a browser may call from the origins that the
operator allows; any other \`Origin\` is 403.`,
  },
  getPrelaunchMcp: { tag: 'Tools', summary: 'Closed legacy route', description: CLOSED },
  postPrelaunchMcp: { tag: 'Tools', summary: 'Closed legacy route', description: CLOSED },
} as const satisfies Readonly<Record<string, Prose>>;
