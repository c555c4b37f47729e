import { z } from 'zod';
import { uuid } from '../domain/records/fields.ts';
import * as records from '../domain/records/schemas.ts';
import { timestamp } from './fields.ts';

/** A public agenda hit, joined with its item, meeting, body, jurisdiction and topic. */
export const publicAgendaHit = z.strictObject({
  jurisdictionSlug: records.jurisdiction.shape.slug,
  jurisdictionName: records.jurisdiction.shape.name,
  bodyName: records.publicBody.shape.name,
  topicSlug: records.topic.shape.slug,
  meetingAt: timestamp,
  title: records.agendaItem.shape.title,
  summary: records.agendaHit.shape.summary,
  businessImpact: records.agendaHit.shape.businessImpact,
  evidenceQuote: records.agendaHit.shape.evidenceQuote,
  sourceUrl: records.agendaItem.shape.sourceUrl,
  confidence: records.agendaHit.shape.confidence,
  affectedLocation: records.affectedLocation,
  proceduralContext: records.proceduralContext,
});
export type PublicAgendaHit = z.output<typeof publicAgendaHit>;

export const upcomingAgendaHit = publicAgendaHit.extend({ matchId: uuid });
export type UpcomingAgendaHit = z.output<typeof upcomingAgendaHit>;

/** Always empty for now; present so that clients expect it. */
export const openMeta = z.looseObject({});
