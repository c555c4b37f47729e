import { randomUUID } from 'node:crypto';
import { listDfwResearchCoverage } from '../../queries/coverage/list-dfw-research-coverage.ts';
import { coverageTools } from '../../src/app/modules/coverage.ts';
import type { ToolFunctions } from '../../src/edge/mcp/run-tool.ts';
import { COVERAGE_CATALOGUE } from '../../src/sources/coverage/coverage-catalogue.ts';

const AT = '2026-03-01T12:00:00.000Z';
const MEETING_DAY = { meetingDate: '2026-03-01', timezone: 'America/Chicago' };
const freshness = { status: 'healthy', lastSuccessfulCheckAt: AT } as const;
const publisher = { jurisdiction: 'Dallas', body: 'City Council', sourceType: 'legistar' } as const;

/** One result of a search, in the shape of the contract. */
export const searchResult = (fields: { readonly title?: string; readonly excerpt?: string } = {}) => ({
  itemId: randomUUID(),
  title: 'Rezone 100 Main Street',
  jurisdiction: 'Dallas',
  body: 'City Council',
  meetingAt: AT,
  ...MEETING_DAY,
  status: 'scheduled' as const,
  excerpt: 'An ordinance rezoning 100 Main Street.',
  sourceUrl: 'https://example.org/item/1',
  publisher,
  freshness,
  ...fields,
});

/** One agenda item, in the shape of the contract. */
export const agendaItem = (itemId: string, fields: { readonly text?: string } = {}) => ({
  itemId,
  title: 'Rezone 100 Main Street',
  jurisdiction: 'Dallas',
  jurisdictionSlug: 'dallas',
  body: 'City Council',
  bodySlug: 'city-council',
  meetingAt: AT,
  ...MEETING_DAY,
  meetingStatus: 'scheduled' as const,
  sourceUrl: 'https://example.org/item/1',
  topics: [
    {
      topicSlug: 'zoning',
      confidence: 80,
      summary: 'A rezoning is asked for.',
      evidenceQuote: 'An ordinance rezoning',
    },
  ],
  documents: [],
  appearances: [],
  appearanceCount: 0,
  publisher,
  freshness,
  ...fields,
});

const receipt = (reportId: string) => ({
  reportId,
  status: 'received' as const,
  statusUrl: `https://example.org/api/v1/data-reports/${reportId}`,
  submittedAt: AT,
  nextCheckAt: AT,
});

/** All six tools, each with a short answer; the coverage tools over the real catalogue. */
export const ALL_TOOLS: ToolFunctions = {
  ...coverageTools({
    listCoveredSources: async () => [
      {
        jurisdictionSlug: 'dallas',
        status: {
          jurisdictionName: 'Dallas',
          publicBodyName: 'City Council',
          sourceTypeLabel: 'Legistar',
          status: 'healthy',
          agendaTextEvidence: 'readable',
          lastSuccessfulCheckAt: AT,
        },
      },
    ],
    listTopics: async () => [{ topicSlug: 'zoning', publicLabel: 'zoning and rezoning' }],
    listResearchCoverage: async (input) => listDfwResearchCoverage(COVERAGE_CATALOGUE, input),
  }),
  search_agenda: async () => ({
    data: {
      results: [searchResult()],
      truncated: false,
      guidance: 'Follow sourceUrl.',
      nextCursor: null,
      candidateLimitReached: false,
    },
  }),
  get_agenda_item: async ({ itemId }) => ({ data: { item: agendaItem(itemId), truncated: false } }),
  report_missing_data: async () => ({ data: receipt(randomUUID()) }),
  get_data_report: async ({ reportId }) => ({
    data: { reportId, status: 'received', submittedAt: AT, updatedAt: AT, nextCheckAt: AT, verifiedRecords: [] },
  }),
};

/** Good arguments of each tool. */
export const ARGUMENTS = {
  search_agenda: { query: 'zoning' },
  get_agenda_item: { itemId: randomUUID() },
  get_coverage: {},
  get_data_coverage: { county: 'dallas' },
  report_missing_data: { sourceUrl: 'https://example.org/a', expectedRecord: 'an agenda', idempotencyToken: 'token-1' },
  get_data_report: { reportId: randomUUID() },
} as const;
