import { z } from 'zod';
import { answerWithMeta, openMeta } from './fields.ts';
import { operation, PUBLIC_READ, PUBLIC_REFUSALS } from './operation.ts';
import { matchId, upcomingAgendaHit } from './public-agenda-hit.ts';
import { UPCOMING_HIT } from './examples.ts';

export const getAgendaHit = operation({
  ...PUBLIC_READ,
  operationId: 'getAgendaHit',
  path: '/api/v1/public/agenda-hits/{matchId}',
  summary: 'Read one agenda hit',
  description: `Reads one hit by the \`matchId\` that the upcoming list gives. A hit outside the active public coverage set is 404, and so is
every hit while the records cannot be read.`,
  example: {
    parameters: { matchId: UPCOMING_HIT.matchId },
    success: { hit: { summary: 'A hit', value: { data: UPCOMING_HIT } } },
  },
  params: z.strictObject({ matchId }),
  success: { status: 200, schema: answerWithMeta('AgendaHitDetail', upcomingAgendaHit, openMeta) },
  refusals: [...PUBLIC_REFUSALS, 'not_found'],
});
