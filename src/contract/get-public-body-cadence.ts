import { z } from 'zod';
import { timeZone } from '../domain/records/fields.ts';
import { named, noQuery, timestamp } from './fields.ts';
import { operation, PUBLIC_CACHE, PUBLIC_REFUSALS } from './operation.ts';
import { openMeta } from './public-agenda-hit.ts';

/** All null while the meetings cannot be read. */
export const meetingCadence = z.strictObject({
  lastMetAt: timestamp.nullable(),
  nextScheduledAt: timestamp.nullable(),
  timezone: timeZone.nullable(),
});
export type MeetingCadence = z.output<typeof meetingCadence>;

/** Which pairs are supported is a shipped list; every other one is absent. */
export const getPublicBodyCadence = operation({
  operationId: 'getPublicBodyCadence',
  method: 'GET',
  path: '/api/v1/public/jurisdictions/{slug}/bodies/{bodySlug}/cadence',
  access: 'public',
  scope: null,
  surface: null,
  params: z.strictObject({ slug: named, bodySlug: named }),
  query: noQuery,
  body: null,
  success: { status: 200, schema: z.strictObject({ data: meetingCadence, meta: openMeta.optional() }) },
  refusals: [...PUBLIC_REFUSALS, 'not_found'],
  cacheControl: PUBLIC_CACHE,
});
