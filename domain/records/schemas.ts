import { z } from 'zod';
import { actingBodyRole, agendaTextEvidence, date, dateTime, orNull, slug, text, timeZone, topicSlug, url, uuid } from './fields.ts';
import { FAMILIES } from './families.ts';

/** Content of each resource: `data` without `id`, `createdAt` and `updatedAt`, which the service sets. Unknown fields are refused. */
export const jurisdiction = z.strictObject({
  slug,
  name: text,
  level: z.enum(['city', 'county']),
  kind: z.enum(['city', 'town', 'village', 'county']),
  countySlugs: z.array(slug),
  timezone: timeZone,
  population: orNull(z.int().min(0)),
  geoid: orNull(text),
  active: z.boolean(),
  officialWebsiteUrl: orNull(url),
});

export const publicBody = z.strictObject({
  jurisdictionId: uuid,
  slug,
  name: text,
  bodyType: z.enum(['governing_body', 'planning_commission', 'board_of_adjustment', 'advisory_board', 'authority', 'committee', 'other']),
  actingBodyRole,
  timezone: timeZone,
  active: z.boolean(),
});

export const source = z.strictObject({
  jurisdictionId: uuid,
  publicBodyId: orNull(uuid),
  sourceType: z.enum([
    'legistar',
    'civicplus',
    'civicclerk',
    'granicus',
    'primegov',
    'municode',
    'novus',
    'swagit',
    'arcgis',
    'html',
    'pdf',
    'other',
  ]),
  sourceTypeLabel: text,
  officialSourceUrl: orNull(url),
  active: z.boolean(),
  status: z.enum(['healthy', 'stale', 'failing', 'unsupported', 'unknown']),
  agendaTextEvidence: orNull(agendaTextEvidence),
  lastCheckedAt: orNull(dateTime),
  lastSuccessfulCheckAt: orNull(dateTime),
  consecutiveFailures: z.int().min(0),
});

export const topic = z.strictObject({
  slug: topicSlug,
  name: text,
  publicLabel: text,
  description: text,
  keywords: z.array(text),
  negativeKeywords: z.array(text),
  selectable: z.boolean(),
  classificationActive: z.boolean(),
  taxonomyManaged: z.boolean(),
});

export const meeting = z.strictObject({
  publicBodyId: uuid,
  sourceId: orNull(uuid),
  sourceRecordId: orNull(text),
  title: text,
  startsAt: dateTime,
  timezone: timeZone,
  location: orNull(text),
  status: z.enum(['scheduled', 'held', 'cancelled', 'postponed']),
  sourceUrl: url,
});

export const agenda = z.strictObject({
  meetingId: uuid,
  documentId: orNull(uuid),
  stage: z.enum(['draft', 'posted', 'addendum', 'final']),
  publishedAt: orNull(dateTime),
  itemCount: z.int().min(0),
  textEvidence: orNull(agendaTextEvidence),
  sourceUrl: url,
});

export const agendaItem = z.strictObject({
  meetingId: uuid,
  agendaId: orNull(uuid),
  sourceRecordId: orNull(text),
  sequence: z.int(),
  agendaNumber: orNull(text),
  title: text,
  text: orNull(text),
  matterFile: orNull(text),
  matterType: orNull(text),
  actionText: orNull(text),
  outcome: orNull(z.enum(['approved', 'denied', 'continued', 'withdrawn', 'no_action'])),
  sourceUrl: url,
});

export const affectedLocation = z.strictObject({
  status: z.enum(['stated', 'not_stated']),
  locations: z
    .array(
      z.strictObject({
        kind: z.enum(['street_address', 'intersection', 'road_segment', 'parcel', 'subdivision', 'zoning_district', 'facility', 'area']),
        sourceText: z.string().normalize('NFC').max(160),
      }),
    )
    .max(20),
});

export const proceduralContext = z.strictObject({
  proceduralStage: z.enum([
    'notice',
    'briefing',
    'public_hearing',
    'recommendation',
    'first_reading',
    'final_reading',
    'final_action',
    'unknown',
  ]),
  actingBodyRole,
  nextBodyName: orNull(text),
  nextMeetingDate: orNull(date),
  actionKind: z.enum(['public_comment', 'registration', 'meeting', 'staff_contact', 'unknown']),
  actionUrl: orNull(url),
});

export const agendaHit = z.strictObject({
  agendaItemId: uuid,
  topicId: uuid,
  summary: text,
  businessImpact: text,
  evidenceQuote: text,
  confidence: z.int().min(0).max(100),
  affectedLocation,
  proceduralContext,
  classifiedAt: dateTime,
  classifier: text,
});

export const document = z.strictObject({
  meetingId: orNull(uuid),
  agendaItemId: orNull(uuid),
  kind: z.enum(['agenda', 'minutes', 'packet', 'exhibit', 'ordinance', 'other']),
  title: text,
  url,
  mediaType: orNull(text),
  bytes: orNull(z.int().min(0)),
  sha256: orNull(z.string().regex(/^[0-9a-f]{64}$/)),
  textEvidence: orNull(agendaTextEvidence),
});

export const recordStream = z.strictObject({
  jurisdictionId: uuid,
  sourceId: orNull(uuid),
  family: z.enum(FAMILIES),
  name: text,
  description: text,
  officialSourceUrl: url,
  active: z.boolean(),
});

const flatValue = z.union([
  z.string(),
  z.number().refine((value) => !Number.isInteger(value) || Number.isSafeInteger(value), {
    error: 'is a whole number beyond 2^53 and would lose digits; send it as a string',
  }),
  z.boolean(),
  z.null(),
]);

export const streamRecord = z.strictObject({
  recordStreamId: uuid,
  sourceRecordId: text,
  recordDate: orNull(date),
  title: text,
  summary: orNull(text),
  status: orNull(text),
  address: orNull(text),
  sourceUrl: url,
  attributes: z.record(z.string().min(1), flatValue),
});
