import { z } from 'zod';
import { resourceDigests } from '../domain/events/snapshot-events.ts';
import { HEALTH_PARTS } from '../domain/health-parts.ts';
import { source } from '../domain/records/schemas.ts';
import { slug, uuid } from '../domain/records/fields.ts';
import { cursor, timestamp } from './fields.ts';
import { DATA_READ, operation } from './operation.ts';
import { CURSOR, DIGESTS } from './examples.ts';

const count = z.int().min(0);

/** `stale` is computed for each answer. Optional keys are absent where their value is unknown. */
const sourceHealth = z.strictObject({
  sourceId: uuid,
  jurisdictionSlug: slug,
  bodySlug: slug.optional(),
  sourceType: source.shape.sourceType,
  status: source.shape.status,
  agendaTextEvidence: z.enum(['readable', 'no_text_layer']).optional(),
  lastCheckedAt: timestamp.optional(),
  lastSuccessfulCheckAt: timestamp.optional(),
  consecutiveFailures: count,
});

/** Lag in events is null where the log cannot count. */
const lag = { lagEvents: count.nullable(), lagSeconds: z.number().min(0) };

/** `head` is null only where the feed cannot be read (`unavailable`); `unanswered` is absent where every part answered. */
const pipeline = z.strictObject({
  ...lag,
  pendingWork: count,
  failedWork: count,
  oldestPendingAt: timestamp.optional(),
  projections: z.array(z.strictObject({ name: z.string(), ...lag, state: z.string() })),
  head: z.strictObject({ cursor, digests: resourceDigests }).nullable(),
  unanswered: z.array(z.enum(HEALTH_PARTS)).min(1).optional(),
});

export const health = z.strictObject({
  status: z.enum(['healthy', 'degraded', 'unavailable']),
  checkedAt: timestamp,
  sources: z.array(sourceHealth),
  pipeline,
});
export type Health = z.output<typeof health>;

export const readCivicHealth = operation({
  ...DATA_READ,
  operationId: 'readCivicHealth',
  method: 'GET',
  path: '/api/v1/data/health',
  tag: 'Change feed',
  summary: 'Read how sources and pipeline stand',
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
  success: { status: 200, schema: z.strictObject({ data: health }) },
});
