import type { OperationExamples } from './operation-examples.ts';
import { ITEM_ID, REPORT_ID } from './record-examples.ts';

/** Where the service is reached is not an example's to say. */
const STATUS_URL = `/api/v1/data-reports/${REPORT_ID}`;

const SEARCH_RESULT = {
  results: [
    {
      itemId: ITEM_ID,
      title: 'Zoning case ZC-26-014, 1200 Example Road',
      jurisdiction: 'Sample City',
      body: 'City Council',
      meetingAt: '2026-04-28T14:00:00.000Z',
      meetingDate: '2026-04-28',
      timezone: 'America/Chicago',
      status: 'scheduled',
      matterFile: 'ZC-26-014',
      excerpt: 'a request to rezone 40 acres at 1200 Example Road to allow a data center',
      sourceUrl: 'https://example.org/sample-city/items/5177',
      publisher: { jurisdiction: 'Sample City', body: 'City Council', sourceType: 'legistar' },
      freshness: { status: 'healthy', lastSuccessfulCheckAt: '2026-04-14T06:00:00.000Z' },
    },
  ],
  truncated: false,
  guidance: 'Follow sourceUrl before relying on an item. An empty result does not prove that nothing happened.',
  nextCursor: null,
  candidateLimitReached: false,
};

const SEARCH_REQUEST = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'search_agenda',
    arguments: { query: 'data center', limit: 5 },
    _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} },
  },
};

const refusal = { error: { code: 'invalid_parameter', message: 'query: Too small: expected string to have >=1 characters' } };

const resultOf = (structuredContent: object, text: object) => ({
  resultType: 'complete',
  content: [{ type: 'text', text: JSON.stringify(text) }],
  structuredContent,
});

export const REPORT_EXAMPLES = {
  submitDataReport: {
    parameters: { 'idempotency-key': 'report-2026-04-14-001' },
    body: {
      agenda: {
        summary: 'An agenda that is missing',
        value: {
          sourceUrl: 'https://example.org/sample-city/meetings/1042',
          expectedRecord: 'Agenda of the City Council of 14 April 2026',
          jurisdictionSlug: 'sample-city',
          recordKind: 'agenda',
          recordDate: '2026-04-14',
          queryContext: { surface: { kind: 'rest', route: '/api/v1/data/changes' } },
        },
      },
    },
    success: {
      receipt: {
        summary: 'The receipt',
        value: {
          data: {
            reportId: REPORT_ID,
            status: 'received',
            statusUrl: STATUS_URL,
            submittedAt: '2026-04-14T16:00:00.000Z',
            nextCheckAt: '2026-04-15T16:00:00.000Z',
          },
        },
      },
    },
  },
  getDataReport: {
    parameters: { reportId: REPORT_ID },
    success: {
      open: {
        summary: 'A report that is investigated',
        value: {
          data: {
            reportId: REPORT_ID,
            status: 'investigating',
            submittedAt: '2026-04-14T16:00:00.000Z',
            updatedAt: '2026-04-14T18:00:00.000Z',
            nextCheckAt: '2026-04-15T18:00:00.000Z',
            reasonCode: 'publication_delay',
            verifiedRecords: [],
          },
        },
      },
    },
  },
  postMcpJsonRpc: {
    parameters: { 'mcp-method': 'tools/call', 'mcp-name': 'search_agenda', 'mcp-protocol-version': '2026-07-28' },
    body: { search: { summary: 'A search, current era', value: SEARCH_REQUEST } },
    success: {
      found: { summary: 'One item', value: { jsonrpc: '2.0', id: 1, result: resultOf({ data: SEARCH_RESULT }, SEARCH_RESULT) } },
      refused: {
        summary: 'A refusal of the tool',
        value: { jsonrpc: '2.0', id: 1, result: { isError: true, ...resultOf(refusal, refusal) } },
      },
    },
  },
  getPrelaunchMcp: { parameters: {} },
  postPrelaunchMcp: { parameters: {} },
} as const satisfies Readonly<Record<string, OperationExamples>>;
