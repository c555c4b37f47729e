import { z } from 'zod';
import { county, coverageCursor, family, researchCoverage } from '../research-coverage.ts';
import { guidance, tool, truncated } from './tool.ts';
import { COMMON_TOOL_CODES } from './tool-errors.ts';
import { type CursorAfter, rowsOf, type TruncationRules } from './truncation.ts';

const data = researchCoverage.extend({ guidance: guidance.optional(), truncated });

const truncation = (cursorAfter: CursorAfter): TruncationRules<z.output<typeof data>> => ({
  texts: ['note'],
  rows: [
    rowsOf({
      least: 1,
      of: ({ data }) => data,
      keep: ({ meta }, data) => {
        const nextCursor = cursorAfter?.(data.length) ?? meta.pagination.nextCursor;
        return {
          data,
          meta: { ...meta, pagination: { ...meta.pagination, returned: data.length, nextCursor } },
          truncated: true,
        };
      },
    }),
  ],
});

export const getDataCoverage = tool({
  name: 'get_data_coverage',
  title: 'Where the records are',
  description: `Reads the research catalogue of the 238 cities and 16 counties of the region: for each, which families of public records were located and where, as a
status letter that meta.statusDefinitions explains. It says what was located, not what this service reads (get_coverage says that). Narrow it by
jurisdiction, county or family; go on with meta.pagination.nextCursor and the same filters. Costs nothing.`,
  effect: 'reads',
  access: 'free',
  input: z.strictObject({
    jurisdictionSlug: z
      .string()
      .min(1)
      .max(80)
      .optional()
      .describe('One jurisdiction, such as fort-worth or dallas-county.'),
    county: county
      .optional()
      .describe('Bare county slug, such as tarrant: every jurisdiction with any part in it, the county included.'),
    family: family
      .optional()
      .describe('One family of records, such as city.building_permits; only that family is answered.'),
    cursor: coverageCursor.optional().describe('meta.pagination.nextCursor of the page before, with the same filters.'),
  }),
  data,
  errors: [...COMMON_TOOL_CODES, 'invalid_cursor'],
  truncation,
});
