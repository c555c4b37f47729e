import { z } from 'zod';
import { noParams, wholeNumber } from './fields.ts';
import { operation, PUBLIC_CACHE, PUBLIC_REFUSALS } from './operation.ts';
import { county, coverageCursor, family, MOST_COVERAGE_ITEMS, researchCoverage } from './research-coverage.ts';

const query = z.strictObject({
  jurisdictionSlug: z.string().min(1).max(80).optional(),
  county: county.optional(),
  family: family.optional(),
  includeInactive: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .default(false)
    .meta({ wire: { type: 'boolean', default: false } }),
  limit: wholeNumber(1, MOST_COVERAGE_ITEMS)
    .default(MOST_COVERAGE_ITEMS)
    .meta({ wire: { type: 'integer', minimum: 1, maximum: MOST_COVERAGE_ITEMS, default: MOST_COVERAGE_ITEMS } }),
  cursor: coverageCursor.optional(),
});

export const listDfwResearchCoverage = operation({
  operationId: 'listDfwResearchCoverage',
  method: 'GET',
  path: '/api/v1/public/coverage',
  access: 'public',
  scope: null,
  surface: null,
  params: noParams,
  query,
  body: null,
  success: { status: 200, schema: researchCoverage },
  refusals: [...PUBLIC_REFUSALS],
  cacheControl: PUBLIC_CACHE,
});
