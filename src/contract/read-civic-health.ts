import { z } from 'zod';
import { resourceDigests } from '../domain/events/snapshot-events.ts';
import { HEALTH_PARTS } from '../domain/health-parts.ts';
import { source } from '../domain/records/schemas.ts';
import { slug, uuid } from '../domain/records/fields.ts';
import { cursor, noQuery, timestamp } from './fields.ts';
import { CUSTOMER_REFUSALS, operation } from './operation.ts';

const count = z.int().min(0);

/** `stale` is derived when the question is answered. Optional keys are absent where nothing is known. */
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
  operationId: 'readCivicHealth',
  method: 'GET',
  path: '/api/v1/data/health',
  access: 'key',
  scope: 'civic:read',
  surface: 'data',
  params: z.strictObject({}),
  query: noQuery,
  body: null,
  success: { status: 200, schema: z.strictObject({ data: health }) },
  refusals: [...CUSTOMER_REFUSALS],
});
