import { z } from 'zod';
import { county, coverageCursor, family, researchCoverage } from '../research-coverage.ts';
import { tool } from './tool.ts';
import { COMMON_TOOL_CODES } from './tool-errors.ts';

export const getDataCoverage = tool({
  name: 'get_data_coverage',
  title: 'What research located',
  description: 'Reads the catalogue of record families that research located for each city and county of the region, a page at a time.',
  input: z.strictObject({
    jurisdictionSlug: z.string().min(1).max(80).optional(),
    county: county.optional(),
    family: family.optional(),
    cursor: coverageCursor.optional(),
  }),
  data: researchCoverage,
  errors: [...COMMON_TOOL_CODES, 'invalid_cursor'],
});
