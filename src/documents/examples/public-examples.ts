import { COVERAGE_STATUSES } from '../../contract/research-coverage.ts';
import type { OperationExamples } from './operation-examples.ts';
import { HIT, NEXT_CURSOR, UPCOMING_HIT } from './record-examples.ts';

export const COVERAGE_PAGE = {
  data: [
    {
      jurisdictionSlug: 'parker-county',
      jurisdictionName: 'Parker County',
      level: 'county',
      kind: 'county',
      countySlugs: ['parker'],
      active: true,
      families: [
        {
          family: 'county.commissioners_agendas',
          status: 'D',
          officialSourceUrl: 'https://example.org/parker-county/agendas',
          checkedOn: '2026-03-01',
        },
        { family: 'county.elections', status: 'U' },
      ],
    },
  ],
  meta: {
    catalogVersion: '2026-03-01.0a1b2c3d4e5f',
    researchDate: '2026-03-01',
    ingestionVerified: false,
    statusDefinitions: COVERAGE_STATUSES,
    scope: {
      region: 'North-central Texas',
      counties: 16,
      activeMunicipalities: 238,
      inactiveMunicipalities: 1,
      families: 21,
      statement: 'A status says what was located for one family, and nothing more.',
    },
    pagination: { limit: 1, returned: 1, total: 16, nextCursor: NEXT_CURSOR },
  },
};

export const SOURCE_STATUS = {
  jurisdictionName: 'Sample City',
  publicBodyName: 'City Council',
  sourceTypeLabel: 'Legistar',
  status: 'healthy',
  agendaTextEvidence: 'readable',
  lastSuccessfulCheckAt: '2026-04-14T06:00:00.000Z',
  officialSourceUrl: 'https://example.org/sample-city/meetings',
};

const LAST_PAGE = { limit: 10, returned: 1, nextCursor: null };

export const PUBLIC_EXAMPLES = {
  listRecentAgendaHits: {
    parameters: { topicSlug: 'data-centers', limit: 3 },
    success: { hits: { summary: 'One hit', value: { data: [HIT] } } },
  },
  getAgendaHit: { parameters: { matchId: UPCOMING_HIT.matchId }, success: { hit: { summary: 'A hit', value: { data: UPCOMING_HIT } } } },
  listUpcomingAgendaHits: {
    parameters: { topicSlug: 'data-centers', count: true },
    success: {
      cursor: {
        summary: 'Cursor form, the last page, with the count',
        value: { data: { hits: [UPCOMING_HIT], nextCursor: null, totalCount: 1 }, meta: { pagination: LAST_PAGE } },
      },
      page: {
        summary: 'Legacy page form',
        value: { data: { hits: [UPCOMING_HIT], totalCount: 1, page: 1, pageSize: 10 }, meta: { pagination: LAST_PAGE } },
      },
    },
  },
  listDfwResearchCoverage: {
    parameters: { county: 'parker', limit: 1 },
    success: { page: { summary: 'One county', value: COVERAGE_PAGE } },
  },
  getPublicBodyCadence: {
    parameters: { slug: 'dallas', bodySlug: 'city-council' },
    success: {
      cadence: {
        summary: 'A body that has met and will meet',
        value: {
          data: { lastMetAt: '2026-04-08T14:00:00.000Z', nextScheduledAt: '2026-04-22T14:00:00.000Z', timezone: 'America/Chicago' },
        },
      },
    },
  },
  listPublicSourceStatuses: {
    parameters: { jurisdictionSlug: 'dallas' },
    success: { sources: { summary: 'One source', value: { data: [SOURCE_STATUS] } } },
  },
  getOpenApiDocument: {
    parameters: {},
    success: {
      document: {
        summary: 'How the document begins',
        value: { openapi: '3.1.1', info: { title: 'Civic Records', version: '1.0.0' }, paths: {} },
      },
    },
  },
} as const satisfies Readonly<Record<string, OperationExamples>>;
