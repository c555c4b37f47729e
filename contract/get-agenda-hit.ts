import { z } from 'zod';
import { uuid } from '../domain/records/fields.ts';
import { operation, PUBLIC_READ, PUBLIC_REFUSALS } from './operation.ts';
import { openMeta, upcomingAgendaHit } from './public-agenda-hit.ts';
import { UPCOMING_HIT } from './examples.ts';

/** Ids outside the active public coverage set are absent, and so is every id while the hits cannot be read. */
export const getAgendaHit = operation({
  operationId: 'getAgendaHit',
  method: 'GET',
  path: '/api/v1/public/agenda-hits/{matchId}',
  tag: 'Public records',
  summary: 'Read one agenda hit',
  description: `Reads one hit by the \`matchId\` that the upcoming list gives. A hit outside the active public coverage set is 404, and so is
every hit while the records cannot be read.`,
  example: { parameters: { matchId: UPCOMING_HIT.matchId }, success: { hit: { summary: 'A hit', value: { data: UPCOMING_HIT } } } },
  ...PUBLIC_READ,
  params: z.strictObject({ matchId: uuid }),
  success: { status: 200, schema: z.strictObject({ data: upcomingAgendaHit, meta: openMeta.optional() }) },
  refusals: [...PUBLIC_REFUSALS, 'not_found'],
});
