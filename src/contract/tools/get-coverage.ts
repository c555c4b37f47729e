import { z } from 'zod';
import { jurisdiction, topic } from '../../domain/records/schemas.ts';
import { publicSourceStatus } from '../list-public-source-statuses.ts';
import { tool } from './tool.ts';
import { COMMON_TOOL_CODES } from './tool-errors.ts';

export const getCoverage = tool({
  name: 'get_coverage',
  title: 'Which sources are read',
  description: `Lists the public bodies that are covered, by jurisdiction, with each source that is read and what was last observed of it, and
the topics that search_agenda takes as topicSlug. Ask this first to learn whether a place is covered, and when its source was last read, before you conclude
anything from an empty search. Takes no argument and costs nothing.`,
  effect: 'reads',
  input: z.strictObject({}),
  data: z.strictObject({
    jurisdictions: z.array(
      z.strictObject({
        jurisdictionSlug: jurisdiction.shape.slug,
        jurisdictionName: jurisdiction.shape.name,
        sources: z.array(publicSourceStatus),
      }),
    ),
    topics: z
      .array(z.strictObject({ topicSlug: topic.shape.slug, publicLabel: topic.shape.publicLabel }))
      .describe('Topics that search_agenda can be narrowed to.'),
    guidance: z.string(),
    truncated: z.boolean(),
  }),
  errors: COMMON_TOOL_CODES,
});
