import { z } from 'zod';
import { date, slug, topicSlug, uuid } from '../../domain/records/fields.ts';
import { agendaItem, jurisdiction, publicBody, source } from '../../domain/records/schemas.ts';
import { MAX_CURSOR_LENGTH } from '../../domain/cursor-text.ts';
import { timestamp } from '../fields.ts';
import { tool } from './tool.ts';
import { PAID_TOOL_CODES } from './tool-errors.ts';

export const MOST_SEARCH_RESULTS = 20;

const searchCursor = z.string().min(1).max(MAX_CURSOR_LENGTH);

const input = z
  .strictObject({
    query: z.string().min(1).max(200),
    jurisdictionSlug: slug.optional(),
    topicSlug: topicSlug.optional(),
    fromDate: date.optional(),
    toDate: date.optional(),
    limit: z.int().min(1).max(MOST_SEARCH_RESULTS).default(10),
    cursor: searchCursor.optional(),
  })
  .refine(({ fromDate, toDate }) => fromDate === undefined || toDate === undefined || fromDate <= toDate, {
    error: 'must not be earlier than fromDate',
    path: ['toDate'],
  });

/** Who published the record, and when its source was last seen well. */
export const publisher = z.strictObject({
  jurisdiction: jurisdiction.shape.name,
  body: publicBody.shape.name,
  sourceType: source.shape.sourceType.nullable(),
});
export const freshness = z.strictObject({ status: source.shape.status, lastSuccessfulCheckAt: timestamp.nullable() });

const result = z.strictObject({
  itemId: uuid,
  title: agendaItem.shape.title,
  jurisdiction: jurisdiction.shape.name,
  body: publicBody.shape.name,
  meetingAt: timestamp,
  excerpt: z.string(),
  sourceUrl: agendaItem.shape.sourceUrl,
  publisher,
  freshness,
});

export const searchAgenda = tool({
  name: 'search_agenda',
  title: 'Search agenda items',
  description: 'Searches the agenda items of every covered meeting by words, and by jurisdiction, topic and date. Best matches first.',
  input,
  data: z.strictObject({
    results: z.array(result).max(MOST_SEARCH_RESULTS),
    truncated: z.boolean(),
    guidance: z.string(),
    nextCursor: searchCursor.nullable(),
    candidateLimitReached: z.boolean(),
  }),
  errors: PAID_TOOL_CODES,
});
