import { z } from 'zod';
import { resourceDigests } from '../domain/events/feed-events.ts';
import { HEALTH_PARTS } from '../domain/health.ts';
import { meeting, source } from '../domain/records/schemas.ts';
import {
  answer,
  bodySlug,
  component,
  count,
  cursor,
  jurisdictionSlug,
  lastSuccessfulCheckAt,
  MEANINGS,
  orAbsent,
  timestamp,
} from './fields.ts';
import { DATA_READ, operation } from './operation.ts';
import { CURSOR, DIGESTS } from './examples.ts';

/** Optional keys are absent if their value is unknown. */
const sourceHealth = z.strictObject({
  sourceId: meeting.shape.sourceId.unwrap().unwrap(),
  jurisdictionSlug,
  bodySlug: bodySlug.optional(),
  sourceType: source.shape.sourceType,
  status: source.shape.status,
  agendaTextEvidence: orAbsent(source.shape.agendaTextEvidence),
  lastCheckedAt: timestamp.describe(source.shape.lastCheckedAt.description!).optional(),
  lastSuccessfulCheckAt: lastSuccessfulCheckAt.optional(),
  consecutiveFailures: source.shape.consecutiveFailures,
  lastCheckSkipped: source.shape.lastCheckSkipped,
  lastCheckDegraded: source.shape.lastCheckDegraded,
  lastCheckFailure: source.shape.lastCheckFailure,
});

const lag = {
  lagEvents: count.nullable().describe('Events that are not processed yet; null if the log cannot count them.'),
  lagSeconds: z.number().min(0).describe('Age of the oldest event that is not processed yet.'),
};

const orUnanswered = <Field extends z.ZodType>(field: Field) =>
  field
    .nullable()
    .describe(`${field.description!.replace(/\.$/, '')}; null where a part that it needs is in \`unanswered\`.`);

const pipeline = z.strictObject({
  lagEvents: lag.lagEvents.describe(
    'Events not yet taken in; null where the log cannot count, and where `unanswered` names the projections.',
  ),
  lagSeconds: orUnanswered(lag.lagSeconds),
  pendingWork: orUnanswered(count.describe('Pending work.')),
  failedWork: orUnanswered(
    count.describe(
      'Work that failed and waits for an operator or a change: paused processors, refused rebuilds, agenda items that could not be classified.',
    ),
  ),
  oldestPendingAt: timestamp
    .describe('Time since which the oldest work is pending; absent if there is none or it is unknown.')
    .optional(),
  projections: z
    .array(
      z.strictObject({
        name: z.string().describe('Name.'),
        ...lag,
        state: z.string().describe('State of the projection.'),
      }),
    )
    .describe('Read models and their progress.'),
  head: z
    .strictObject({ cursor, digests: resourceDigests })
    .nullable()
    .describe('Newest position of the feed and its digests; null if the feed cannot be read.'),
  unanswered: z
    .array(z.enum(HEALTH_PARTS))
    .min(1)
    .describe(
      'Parts that failed or did not answer in time; what they would have said is null, absent, or an empty list.',
    )
    .optional(),
});

export const health = component('Health', {
  status: z.enum(['healthy', 'degraded', 'unavailable']).describe(MEANINGS.status),
  checkedAt: timestamp.describe('When the answer was made.'),
  sources: z.array(sourceHealth).describe('The sources with the result of their last check.'),
  pipeline: pipeline.describe('Progress of processing the recorded events.'),
});
export type Health = z.output<typeof health>;

export const readCivicHealth = operation({
  ...DATA_READ,
  operationId: 'readCivicHealth',
  method: 'GET',
  path: '/api/v1/data/health',
  tag: 'Change feed',
  summary: 'Read the health of sources and pipeline',
  description: `What was observed of the sources and how far the pipeline has come, with the head of the feed and the state digests there. A degraded
or unavailable service still answers 200: judge by \`status\`. A part that fails or does not answer in time is named in \`pipeline.unanswered\`; without the
log or the feed the state is \`unavailable\`.`,
  example: {
    parameters: {},
    success: {
      health: {
        summary: 'All well',
        value: {
          data: {
            status: 'healthy',
            checkedAt: '2026-04-10T22:00:00.000Z',
            sources: [
              {
                sourceId: 'b4d0c1a2-3e5f-5678-9abc-def012345678',
                jurisdictionSlug: 'sample-city',
                bodySlug: 'city-council',
                sourceType: 'legistar',
                status: 'healthy',
                lastCheckedAt: '2026-04-10T21:30:00.000Z',
                lastSuccessfulCheckAt: '2026-04-10T21:30:00.000Z',
                consecutiveFailures: 0,
              },
            ],
            pipeline: {
              lagEvents: 0,
              lagSeconds: 0,
              pendingWork: 0,
              failedWork: 0,
              projections: [{ name: 'record_history', lagEvents: 0, lagSeconds: 0, state: 'running' }],
              head: { cursor: CURSOR, digests: DIGESTS },
            },
          },
        },
      },
    },
  },
  success: { status: 200, schema: answer('HealthAnswer', health) },
});
