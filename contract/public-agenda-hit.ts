import { z } from 'zod';
import { uuid } from '../domain/records/fields.ts';
import { agendaHit, agendaItem } from '../domain/records/schemas.ts';
import { bodyName, component, jurisdictionName, jurisdictionSlug, meetingAt, topicSlug } from './fields.ts';

/** A public agenda hit, joined with its item, meeting, body, jurisdiction and topic. */
export const publicAgendaHit = component('PublicAgendaHit', {
  jurisdictionSlug,
  jurisdictionName,
  bodyName,
  topicSlug,
  meetingAt,
  title: agendaItem.shape.title,
  summary: agendaHit.shape.summary,
  businessImpact: agendaHit.shape.businessImpact,
  evidenceQuote: agendaHit.shape.evidenceQuote,
  sourceUrl: agendaItem.shape.sourceUrl,
  confidence: agendaHit.shape.confidence,
  affectedLocation: agendaHit.shape.affectedLocation,
  proceduralContext: agendaHit.shape.proceduralContext,
});
export type PublicAgendaHit = z.output<typeof publicAgendaHit>;

export const matchId = uuid.describe('Identifier of the hit.');
export const upcomingAgendaHit = publicAgendaHit.extend({ matchId }).meta({ id: 'UpcomingAgendaHit' });
export type UpcomingAgendaHit = z.output<typeof upcomingAgendaHit>;
