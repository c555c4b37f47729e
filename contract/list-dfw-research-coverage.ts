import { z } from 'zod';
import { MEANINGS, wholeNumber } from './fields.ts';
import { operation, PUBLIC_READ } from './operation.ts';
import {
  COVERAGE_STATUSES,
  county,
  coverageCursor,
  family,
  MAX_COVERAGE_ITEMS,
  researchCoverage,
} from './research-coverage.ts';
import { NEXT_CURSOR } from './examples.ts';

const query = z.strictObject({
  jurisdictionSlug: z.string().min(1).max(80).describe(MEANINGS.jurisdictionSlug).optional(),
  county: county.describe('Bare slug of a county; finds every jurisdiction with any part in it.').optional(),
  family: family.optional(),
  includeInactive: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .default(false)
    .meta({
      wire: { type: 'boolean', default: false },
      description: 'Whether the inactive municipality is listed too.',
    }),
  limit: wholeNumber(1, MAX_COVERAGE_ITEMS)
    .default(MAX_COVERAGE_ITEMS)
    .meta({
      wire: { type: 'integer', minimum: 1, maximum: MAX_COVERAGE_ITEMS, default: MAX_COVERAGE_ITEMS },
      description: MEANINGS.limit,
    }),
  cursor: coverageCursor.describe(MEANINGS.cursor).optional(),
});

const COVERAGE_PAGE = {
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
      statement: 'A status reports only where the records of one family are.',
    },
    pagination: { limit: 1, returned: 1, total: 16, nextCursor: NEXT_CURSOR },
  },
};

export const listDfwResearchCoverage = operation({
  ...PUBLIC_READ,
  operationId: 'listDfwResearchCoverage',
  path: '/api/v1/public/coverage',
  summary: 'List what research located for each city and county',
  description: `The research catalogue of 238 active municipalities and 16 counties. A status letter says what was located for one record
family and nothing more: no full coverage, no completeness, no permission to reuse, no production ingestion.

The cursor is valid only with the same filters, limit and catalogue version; with others it is 400.`,
  example: {
    parameters: { county: 'parker', limit: 1 },
    success: { page: { summary: 'One county', value: COVERAGE_PAGE } },
  },
  query,
  success: { status: 200, schema: researchCoverage },
});
