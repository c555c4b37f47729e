import { z } from 'zod';
import { jurisdiction } from '../../domain/records/schemas.ts';
import { publicSourceStatus } from '../list-public-source-statuses.ts';
import { tool } from './tool.ts';
import { COMMON_TOOL_CODES } from './tool-errors.ts';

export const getCoverage = tool({
  name: 'get_coverage',
  title: 'Which sources are read',
  description: 'Lists the sources of the covered public bodies and what was last observed of each. An observation, no guarantee.',
  input: z.strictObject({}),
  data: z.strictObject({
    jurisdictions: z.array(
      z.strictObject({
        jurisdictionSlug: jurisdiction.shape.slug,
        jurisdictionName: jurisdiction.shape.name,
        sources: z.array(publicSourceStatus),
      }),
    ),
    guidance: z.string(),
    truncated: z.boolean(),
  }),
  errors: COMMON_TOOL_CODES,
});
