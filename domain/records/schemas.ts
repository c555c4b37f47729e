import { z } from 'zod';
import {
  actingBodyRole,
  addedLater,
  agendaTextEvidence,
  date,
  dateTime,
  orNull,
  slug,
  text,
  timeZone,
  topicSlug,
  url,
  uuid,
} from './fields.ts';

/** The 21 record families of the coverage catalogue, `<level>.<subtype>`. */
export const CITY_FAMILIES = [
  'city.council_agendas',
  'city.council_minutes',
  'city.planning_and_zoning',
  'city.board_of_adjustment',
  'city.ordinances',
  'city.building_permits',
  'city.plats_and_subdivisions',
  'city.procurement',
  'city.budget_and_taxes',
  'city.economic_development',
  'city.code_compliance',
] as const;

export const COUNTY_FAMILIES = [
  'county.commissioners_agendas',
  'county.commissioners_minutes',
  'county.plats_and_subdivisions',
  'county.procurement',
  'county.budget_and_taxes',
  'county.foreclosure_notices',
  'county.road_and_bridge',
  'county.elections',
  'county.development_permits',
  'county.public_notices',
] as const;

export const FAMILIES = [...CITY_FAMILIES, ...COUNTY_FAMILIES] as const;

/** Fields of several resources. The documents of the interface show their descriptions; a schema with an `id` is a component there. */
const jurisdictionId = uuid.describe('The jurisdiction.');
const publicBodyId = uuid.describe('The public body.');
const sourceId = uuid.describe('The source.');
const meetingId = uuid.describe('The meeting.');
const agendaItemId = uuid.describe('The agenda item.');
const sourceRecordId = text.describe('Identifier at the source.');
const name = text.describe('Name.');
const title = text.describe('Title.');
const description = text.describe('What it is, in words.');
const summary = text.describe('What it is about, in short.');
const active = z.boolean().describe('Whether it is in use; an inactive one is kept for its history.');
const timezone = timeZone.describe('IANA time zone.');
const sourceUrl = url.describe('The original public record, which is authoritative.');
const officialSourceUrl = url.describe('Where the jurisdiction publishes.');
const textEvidence = orNull(agendaTextEvidence).describe('Whether it can be read as text.');
const SLUG = 'Name in addresses; unique among its kind.';
const KIND = 'What kind it is.';
const STATUS = 'How it stands.';

/** Content of each resource: `data` without `id`, `createdAt` and `updatedAt`, which the service sets. Unknown fields are refused. */
export const jurisdiction = z.strictObject({
  slug: slug.describe(SLUG),
  name,
  level: z.enum(['city', 'county']).describe('City or county.'),
  kind: z.enum(['city', 'town', 'village', 'county']).describe(KIND),
  countySlugs: z.array(slug).describe('Counties of the region that hold any part of it, by their bare slugs.'),
  timezone,
  population: orNull(z.int().min(0)).describe('People who live there.'),
  geoid: orNull(text).describe('Census identifier.'),
  active,
  officialWebsiteUrl: orNull(url).describe('Website of the jurisdiction.'),
});

export const publicBody = z.strictObject({
  jurisdictionId,
  slug: slug.describe(SLUG),
  name,
  bodyType: z
    .enum(['governing_body', 'planning_commission', 'board_of_adjustment', 'advisory_board', 'authority', 'committee', 'other'])
    .describe('What kind of body it is.'),
  actingBodyRole,
  timezone,
  active,
});

export const source = z.strictObject({
  jurisdictionId,
  publicBodyId: orNull(publicBodyId),
  sourceType: z
    .enum(['legistar', 'civicplus', 'civicclerk', 'granicus', 'primegov', 'municode', 'novus', 'swagit', 'arcgis', 'html', 'pdf', 'other'])
    .meta({ id: 'SourceType' })
    .describe('What kind of system publishes.'),
  sourceTypeLabel: text.describe('Name of the system that publishes.'),
  officialSourceUrl: orNull(officialSourceUrl),
  active,
  status: z.enum(['healthy', 'stale', 'failing', 'unsupported', 'unknown']).meta({ id: 'SourceStatus' }).describe(STATUS),
  agendaTextEvidence: orNull(agendaTextEvidence.describe('Whether the agendas of the source can be read as text.')),
  lastCheckedAt: orNull(dateTime).describe('When the source was last looked at.'),
  lastSuccessfulCheckAt: orNull(dateTime).describe('When a look at the source last succeeded.'),
  consecutiveFailures: z.int().min(0).describe('Failed checks since the last good one.'),
  lastCheckSkipped: addedLater(z.int().min(1)).describe('Rows of the source that the last check left out; absent where it left out none.'),
  lastCheckSkippedShared: addedLater(z.int().min(1)).describe(
    'Of these, rows that belong to no known body: every body of the system that publishes counts them.',
  ),
  lastCheckDegraded: addedLater(z.int().min(1)).describe(
    'Meetings that the last check published without a start time, as the source states none; absent where there is none.',
  ),
});

export const topic = z.strictObject({
  slug: topicSlug.describe(SLUG),
  name,
  publicLabel: text.describe('Name that readers see.'),
  description,
  keywords: z.array(text).describe('Phrases that point to the topic.'),
  negativeKeywords: z.array(text).describe('Phrases that speak against the topic.'),
  selectable: z.boolean().describe('Whether the topic can be chosen.'),
  classificationActive: z.boolean().describe('Whether new items are classified with the topic.'),
  taxonomyManaged: z.boolean().describe('Whether the shipped taxonomy keeps the topic up to date.'),
});

export const startTime = z
  .strictObject({
    status: z.enum(['stated', 'not_stated']).describe('Whether the source states a time that can be read.'),
    sourceText: orNull(text).describe('The time in the words of the source; null where it has none.'),
  })
  .meta({ id: 'StartTime', closed: true });

export const meeting = z.strictObject({
  publicBodyId,
  sourceId: orNull(sourceId),
  sourceRecordId: orNull(sourceRecordId),
  title,
  startsAt: dateTime.describe('When the meeting starts; the beginning of its local day where `startTime` says that no time is stated.'),
  startTime: addedLater(startTime).describe('Whether a start time is stated; absent in records of before the field, whose time is stated.'),
  timezone,
  location: orNull(text).describe('Where the meeting is held.'),
  comment: addedLater(text).describe(
    'What the source says of the meeting in its own words, such as a later start or another place; absent where it says nothing, and in records of before the field.',
  ),
  status: z
    .enum(['scheduled', 'held', 'cancelled', 'postponed'])
    .describe('How it stands at the source. `scheduled` is also the status of a past meeting that nothing shows to have been held.'),
  sourceUrl,
});

export const agenda = z.strictObject({
  meetingId,
  documentId: orNull(uuid).describe('The document that holds the agenda.'),
  stage: z.enum(['draft', 'posted', 'addendum', 'final']).describe('How final the agenda is.'),
  publishedAt: orNull(dateTime).describe('When the source published it.'),
  itemCount: z.int().min(0).describe('Items on the agenda.'),
  textEvidence,
  sourceUrl,
});

const outcome = orNull(
  z.enum(['approved', 'denied', 'continued', 'withdrawn', 'no_action']).describe('What was decided; null where the source does not say.'),
);

export const agendaItem = z.strictObject({
  meetingId,
  agendaId: orNull(uuid).describe('The agenda that the item stands on.'),
  sourceRecordId: orNull(sourceRecordId),
  sequence: z.int().describe('Place of the item on the agenda.'),
  agendaNumber: orNull(text.describe('The number that the agenda gives the item.')),
  title,
  text: orNull(text.describe('The text.')),
  matterFile: orNull(text.describe('File number of the matter.')),
  matterType: orNull(text.describe('Type of the matter in the words of the source.')),
  matterName: addedLater(text).describe(
    'Short name of the matter; absent where the source gives none, and in records of before the field.',
  ),
  matterStatus: addedLater(text).describe(
    'Status that the matter has at the source, in its words: later meetings may have set it. Absent like `matterName`.',
  ),
  actionText: orNull(
    text.describe(
      'The action on the item in the words of the source: what was done, or what is proposed where it states that; of several the last.',
    ),
  ),
  outcome,
  actions: addedLater(
    z.array(z.strictObject({ text: orNull(text).describe('The action, in the words of the source.'), outcome })).min(1),
  ).describe('Every action on the item, in order, where the source records several; absent otherwise.'),
  sourceUrl,
});

export const affectedLocation = z
  .strictObject({
    status: z.enum(['stated', 'not_stated']).describe(STATUS),
    locations: z
      .array(
        z.strictObject({
          kind: z
            .enum(['street_address', 'intersection', 'road_segment', 'parcel', 'subdivision', 'zoning_district', 'facility', 'area'])
            .meta({ id: 'LocationKind' })
            .describe(KIND),
          sourceText: z.string().normalize('NFC').max(160).describe('The place in the words of the source.'),
        }),
      )
      .max(20)
      .describe('The places, in the words of the source.'),
  })
  .meta({ id: 'AffectedLocation', closed: true });

export const proceduralContext = z
  .strictObject({
    proceduralStage: z
      .enum(['notice', 'briefing', 'public_hearing', 'recommendation', 'first_reading', 'final_reading', 'final_action', 'unknown'])
      .meta({ id: 'ProceduralStage' })
      .describe('Stage of the matter at this meeting.'),
    actingBodyRole,
    nextBodyName: orNull(text).describe('Body that takes the matter next; null where the text names none.'),
    nextMeetingDate: orNull(date).describe('Day on which the matter is taken next; null where the text names none.'),
    actionKind: z
      .enum(['public_comment', 'registration', 'meeting', 'staff_contact', 'unknown'])
      .describe('How the public can act on the matter.'),
    actionUrl: orNull(url).describe('Where to act; null where the source names no address.'),
  })
  .meta({ id: 'ProceduralContext', closed: true });

export const agendaHit = z.strictObject({
  agendaItemId,
  topicId: uuid.describe('The topic.'),
  summary,
  businessImpact: text.describe('What the matter may mean for a business, from what the record says.'),
  evidenceQuote: text.describe('A sentence of the source, verbatim.'),
  confidence: z.int().min(0).max(100).describe('How sure the classifier is, from 0 to 100.'),
  affectedLocation: affectedLocation.describe('Places that the source text states.'),
  proceduralContext: proceduralContext.describe('Where the matter stands.'),
  classifiedAt: dateTime.describe('Time of the event that caused the classification.'),
  classifier: text.describe('Which classifier made the hit, with its version.'),
});

export const document = z.strictObject({
  meetingId: orNull(meetingId),
  agendaItemId: orNull(agendaItemId),
  kind: z.enum(['agenda', 'minutes', 'packet', 'exhibit', 'ordinance', 'other']).describe(KIND),
  title,
  url: url.describe('Address.'),
  mediaType: orNull(text).describe('Media type of the file.'),
  bytes: orNull(z.int().min(0)).describe('Size of the file.'),
  sha256: orNull(z.string().regex(/^[0-9a-f]{64}$/)).describe('SHA-256 of the file, in lower-case hexadecimal.'),
  textEvidence,
});

export const recordStream = z.strictObject({
  jurisdictionId,
  sourceId: orNull(sourceId),
  family: z.enum(FAMILIES).meta({ id: 'Family' }).describe('One of the 21 record families, `<level>.<subtype>`.'),
  name,
  description,
  officialSourceUrl,
  active,
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
  recordStreamId: uuid.describe('The stream that the record belongs to.'),
  sourceRecordId,
  recordDate: orNull(date).describe('Day of the record.'),
  title,
  summary: orNull(summary),
  status: orNull(text).describe(STATUS),
  address: orNull(text).describe('Address in the words of the source.'),
  sourceUrl,
  attributes: z.record(z.string().min(1), flatValue).describe('Further fields of the source, flat.'),
});
