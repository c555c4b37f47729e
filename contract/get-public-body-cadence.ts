import { z } from 'zod';
import { timeZone } from '../domain/records/fields.ts';
import { named, timestamp } from './fields.ts';
import { operation, PUBLIC_READ, PUBLIC_REFUSALS } from './operation.ts';
import { openMeta } from './public-agenda-hit.ts';

export const meetingCadence = z.strictObject({
  lastMetAt: timestamp.nullable(),
  nextScheduledAt: timestamp.nullable(),
  timezone: timeZone.nullable(),
});
export type MeetingCadence = z.output<typeof meetingCadence>;

export const getPublicBodyCadence = operation({
  ...PUBLIC_READ,
  operationId: 'getPublicBodyCadence',
  path: '/api/v1/public/jurisdictions/{slug}/bodies/{bodySlug}/cadence',
  summary: 'Read when a public body meets',
  description: `The last and the next meeting of a covered body. Supported pairs of \`slug\` and \`bodySlug\`: \`dallas/city-council\`,
\`dallas-county/commissioners-court\`, \`ellis-county/commissioners-court\`, \`fort-worth/city-council\`, \`kaufman-county/commissioners-court\`,
\`parker-county/commissioners-court\`, \`wise-county/commissioners-court\`. Any other is 404.

Cancelled and postponed meetings are neither last nor next. When the meetings cannot be read all dates are null and the status is still 200.`,
  example: {
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
  params: z.strictObject({ slug: named, bodySlug: named }),
  success: { status: 200, schema: z.strictObject({ data: meetingCadence, meta: openMeta.optional() }) },
  refusals: [...PUBLIC_REFUSALS, 'not_found'],
});
