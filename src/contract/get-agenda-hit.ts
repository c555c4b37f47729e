import { z } from 'zod';
import { uuid } from '../domain/records/fields.ts';
import { noQuery } from './fields.ts';
import { operation, PUBLIC_CACHE, PUBLIC_REFUSALS } from './operation.ts';
import { openMeta, upcomingAgendaHit } from './public-agenda-hit.ts';

/** Ids outside the active public coverage set are absent, and so is every id while the hits cannot be read. */
export const getAgendaHit = operation({
  operationId: 'getAgendaHit',
  method: 'GET',
  path: '/api/v1/public/agenda-hits/{matchId}',
  access: 'public',
  scope: null,
  surface: null,
  params: z.strictObject({ matchId: uuid }),
  query: noQuery,
  body: null,
  success: { status: 200, schema: z.strictObject({ data: upcomingAgendaHit, meta: openMeta.optional() }) },
  refusals: [...PUBLIC_REFUSALS, 'not_found'],
  cacheControl: PUBLIC_CACHE,
});
