import { uuid } from '../domain/records/fields.ts';
import { agendaHit, agendaItem } from '../domain/records/schemas.ts';
import { bodyName, component, jurisdictionName, jurisdictionSlug, meetingAt, startTime, topicSlug } from './fields.ts';

export const publicAgendaHit = component('PublicAgendaHit', {
  jurisdictionSlug,
  jurisdictionName,
  bodyName,
  topicSlug,
  meetingAt,
  startTime,
  title: agendaItem.shape.title,
  summary: agendaHit.shape.summary,
  businessImpact: agendaHit.shape.businessImpact,
  evidenceQuote: agendaHit.shape.evidenceQuote,
  sourceUrl: agendaItem.shape.sourceUrl,
  confidence: agendaHit.shape.confidence,
  affectedLocation: agendaHit.shape.affectedLocation,
  proceduralContext: agendaHit.shape.proceduralContext,
});

export const matchId = uuid.describe('Identifier of the hit.');
export const upcomingAgendaHit = publicAgendaHit.extend({ matchId }).meta({ id: 'UpcomingAgendaHit' });
