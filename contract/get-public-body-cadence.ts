import { z } from 'zod';
import { meeting } from '../domain/records/schemas.ts';
import { answerWithMeta, component, MEANINGS, openMeta, timestamp } from './fields.ts';
import { operation, PUBLIC_READ, PUBLIC_REFUSALS } from './operation.ts';

const meetingCadence = component('MeetingCadence', {
  lastMetAt: timestamp.nullable().describe('Latest past meeting that was not canceled or postponed.'),
  nextScheduledAt: timestamp.nullable().describe('First future meeting that is not canceled or postponed.'),
  timezone: meeting.shape.timezone.nullable(),
});
export type MeetingCadence = z.output<typeof meetingCadence>;

export const getPublicBodyCadence = operation({
  ...PUBLIC_READ,
  operationId: 'getPublicBodyCadence',
  path: '/api/v1/public/jurisdictions/{slug}/bodies/{bodySlug}/cadence',
  summary: 'Read when a public body meets',
  description: `The last and the next meeting of a covered body. Supported pairs of \`slug\` and \`bodySlug\`: \`dallas/city-council\`,
\`dallas-county/commissioners-court\`, \`ellis-county/commissioners-court\`, \`fort-worth/city-council\`, \`kaufman-county/commissioners-court\`,
\`parker-county/commissioners-court\`, \`wise-county/commissioners-court\`. Any other is 404, except
a body of a place that an operator added publicly.

Cancelled and postponed meetings are neither last nor next. When the meetings cannot be read all dates are null and the status is still 200.`,
  example: {
    parameters: { slug: 'dallas', bodySlug: 'city-council' },
    success: {
      cadence: {
        summary: 'A body that has met and will meet',
        value: {
          data: {
            lastMetAt: '2026-04-08T14:00:00.000Z',
            nextScheduledAt: '2026-04-22T14:00:00.000Z',
            timezone: 'America/Chicago',
          },
        },
      },
    },
  },
  // An empty slug is an unsupported pair like any other.
  params: z.strictObject({
    slug: z.string().describe(MEANINGS.jurisdictionSlug),
    bodySlug: z.string().describe(MEANINGS.bodySlug),
  }),
  success: { status: 200, schema: answerWithMeta('PublicBodyCadence', meetingCadence, openMeta) },
  refusals: [...PUBLIC_REFUSALS, 'not_found'],
});
