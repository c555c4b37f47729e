import { z } from 'zod';
import { factLists, locationKind } from './fact-schemas.ts';
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

/** The 21 record families of the coverage catalog, `<level>.<subtype>`. */
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

/**
 * Fields of several resources. The documents of the interface show their descriptions; a schema with an `id` is a
 * component there.
 */
const jurisdictionId = uuid.describe('The jurisdiction.');
const publicBodyId = uuid.describe('The public body.');
const sourceId = uuid.describe('The source.');
const meetingId = uuid.describe('The meeting.');
const agendaItemId = uuid.describe('The agenda item.');
const sourceRecordId = text.describe('Identifier at the source.');
const name = text.describe('Name.');
const title = text.describe('Title.');
const description = text.describe('Description.');
const summary = text.describe('Short summary.');
const active = z.boolean().describe('True if it is in use. Inactive ones remain for their history.');
const timezone = timeZone.describe('IANA time zone.');
const sourceUrl = url.describe('The original public record, which is authoritative.');
const officialSourceUrl = url.describe('Address where the jurisdiction publishes.');
const textEvidence = orNull(agendaTextEvidence).describe('Shows if it can be read as text.');
const SLUG = 'Name in addresses; unique among its kind.';
const KIND = 'Kind.';
const STATUS = 'Status.';

/**
 * Content of each resource: `data` without `id`, `createdAt` and `updatedAt`, which the service sets. Unknown fields
 * are refused.
 */
export const jurisdiction = z.strictObject({
  slug: slug.describe(SLUG),
  name,
  level: z.enum(['city', 'county']).describe('City or county.'),
  kind: z.enum(['city', 'town', 'village', 'county']).describe(KIND),
  countySlugs: z.array(slug).describe('Bare slugs of the counties of the region that contain a part of it.'),
  timezone,
  population: orNull(z.int().min(0)).describe('Population.'),
  geoid: orNull(text).describe('Census identifier.'),
  active,
  officialWebsiteUrl: orNull(url).describe('Website of the jurisdiction.'),
});

export const publicBody = z.strictObject({
  jurisdictionId,
  slug: slug.describe(SLUG),
  name,
  bodyType: z
    .enum([
      'governing_body',
      'planning_commission',
      'board_of_adjustment',
      'advisory_board',
      'authority',
      'committee',
      'other',
    ])
    .describe('Kind of body.'),
  actingBodyRole,
  timezone,
  active,
});

export const source = z.strictObject({
  jurisdictionId,
  publicBodyId: orNull(publicBodyId),
  sourceType: z
    .enum([
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
    ])
    .meta({ id: 'SourceType' })
    .describe('Kind of system that publishes the records.'),
  sourceTypeLabel: text.describe('Name of the system that publishes.'),
  officialSourceUrl: orNull(officialSourceUrl),
  active,
  status: z
    .enum(['healthy', 'stale', 'failing', 'unsupported', 'unknown'])
    .meta({ id: 'SourceStatus' })
    .describe(STATUS),
  agendaTextEvidence: orNull(agendaTextEvidence.describe('Shows if the agendas of the source can be read as text.')),
  lastCheckedAt: orNull(dateTime).describe('Time of the last check of the source.'),
  lastSuccessfulCheckAt: orNull(dateTime).describe('Time of the last successful check of the source.'),
  consecutiveFailures: z.int().min(0).describe('Failed checks since the last successful one.'),
  lastCheckSkipped: addedLater(z.int().min(1)).describe(
    'Rows of the source that the last check left out; absent if there are none.',
  ),
  lastCheckSkippedShared: addedLater(z.int().min(1)).describe(
    'Part of `lastCheckSkipped`: rows without a known body, which every body of the system counts.',
  ),
  lastCheckDegraded: addedLater(z.int().min(1)).describe(
    'Meetings that the last check published incompletely, such as without a start time; absent if there are none.',
  ),
  lastCheckFailure: addedLater(text).describe(
    'Reason why the last check failed, completely or in part; absent if it succeeded.',
  ),
  readingVersion: addedLater(z.int().min(1)).describe(
    'Version of the rules with which the service last read the whole source; absent in records of before the field.',
  ),
});

export const topic = z.strictObject({
  slug: topicSlug.describe(SLUG),
  name,
  publicLabel: text.describe('Name that readers see.'),
  description,
  keywords: z.array(text).describe('Phrases that point to the topic.'),
  negativeKeywords: z.array(text).describe('Phrases that exclude the topic.'),
  selectable: z.boolean().describe('True if the topic can be selected.'),
  classificationActive: z.boolean().describe('True if new items are classified with the topic.'),
  taxonomyManaged: z.boolean().describe('True if the shipped taxonomy updates the topic.'),
});

export const startTime = z
  .strictObject({
    status: z.enum(['stated', 'not_stated']).describe('Shows if the source has a readable time.'),
    sourceText: orNull(text).describe('The time in the words of the source; null if there is none.'),
  })
  .meta({ id: 'StartTime', closed: true });

export const meeting = z.strictObject({
  publicBodyId,
  sourceId: orNull(sourceId),
  sourceRecordId: orNull(sourceRecordId),
  title,
  startsAt: dateTime.describe('Start of the meeting; the beginning of its local day if `startTime` is `not_stated`.'),
  startTime: addedLater(startTime).describe(
    'Shows if the source has a start time; absent in records older than the field, whose time is known.',
  ),
  timezone,
  location: orNull(text).describe('Place of the meeting.'),
  comment: addedLater(text).describe(
    'Comment of the source on the meeting, such as a later start or another place; absent if there is none, and in records older than the field.',
  ),
  status: z
    .enum(['scheduled', 'held', 'cancelled', 'postponed'])
    .describe('Status at the source. A past meeting stays `scheduled` if the source does not show that it took place.'),
  sourceUrl,
});

export const agenda = z.strictObject({
  meetingId,
  documentId: orNull(uuid).describe('The document with the agenda.'),
  stage: z.enum(['draft', 'posted', 'addendum', 'final']).describe('Stage of the agenda.'),
  publishedAt: orNull(dateTime).describe('Time of publication at the source.'),
  itemCount: z
    .int()
    .min(0)
    .describe(
      'Items of business on the agenda: headings and steps of every meeting, such as a roll call, are not counted.',
    ),
  textEvidence,
  sourceUrl,
});

const outcome = orNull(
  z
    .enum(['approved', 'denied', 'continued', 'withdrawn', 'no_action'])
    .describe('Decision on the item; null if the source has none.'),
);

const votes = z
  .strictObject({
    mover: orNull(text.describe('Member who made the motion; null if the source has none.')),
    seconder: orNull(text.describe('Member who seconded it; null if the source has none.')),
    tally: orNull(
      text.describe('The count of the votes in the words of the source, such as `8-1`; null if the source has none.'),
    ),
    members: z
      .array(
        z.strictObject({
          name: text.describe('Name of the member.'),
          vote: text.describe('The vote in the words of the source, such as `Aye` or `Absent`.'),
        }),
      )
      .describe('The vote of each member, in the order of the source; empty where the source does not record them.'),
  })
  .meta({ id: 'ItemVotes' });

export const agendaItem = z.strictObject({
  meetingId,
  agendaId: orNull(uuid).describe('The agenda of the item.'),
  sourceRecordId: orNull(sourceRecordId),
  sequence: z
    .int()
    .describe('Position of the row on the agenda. Headings and steps of every meeting have positions too.'),
  agendaNumber: orNull(text.describe('Number of the item on the agenda.')),
  title,
  text: orNull(text.describe('The text.')),
  matterFile: orNull(text.describe('File number of the matter.')),
  matterType: orNull(text.describe('Type of the matter in the words of the source.')),
  matterName: addedLater(text).describe(
    'Short name of the matter; absent if the source has none, and in records of before the field.',
  ),
  matterStatus: addedLater(text).describe(
    'Status that the matter has at the source, in its words: later meetings may have set it. Absent like `matterName`.',
  ),
  actionText: orNull(
    text.describe(
      'The action on the item in the words of the source: an action taken, or a proposed one. If there are several, the last one.',
    ),
  ),
  outcome,
  actions: addedLater(
    z.array(z.strictObject({ text: orNull(text).describe('The action, in the words of the source.'), outcome })).min(1),
  ).describe('All actions on the item, in order, if the source records several; absent otherwise.'),
  kind: addedLater(z.enum(['item', 'heading', 'procedural']).meta({ id: 'AgendaItemKind' })).describe(
    'Kind of the row: an item of business, the heading of a section, or a step of every meeting, such as a roll call. An absent kind means item.',
  ),
  section: addedLater(text).describe(
    'Title of the nearest heading above the row, without its number; on an agenda without headings that lists its matters by type, the type. Absent where there is neither.',
  ),
  votes: addedLater(votes).describe('The vote on the item; absent if the source has none.'),
  ...factLists,
  factsVersion: addedLater(z.int().min(1)).describe(
    'Version of the rules with which the service read the facts from `title` and `text`; absent if there are none, and if the import sent them.',
  ),
  sourceUrl,
});

export const affectedLocation = z
  .strictObject({
    status: z.enum(['stated', 'not_stated']).describe(STATUS),
    locations: z
      .array(
        z.strictObject({
          kind: locationKind,
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
      .enum([
        'notice',
        'briefing',
        'public_hearing',
        'recommendation',
        'first_reading',
        'final_reading',
        'final_action',
        'unknown',
      ])
      .meta({ id: 'ProceduralStage' })
      .describe('Stage of the matter at this meeting.'),
    actingBodyRole,
    nextBodyName: orNull(text).describe('Body that considers the matter next; null if the text names none.'),
    nextMeetingDate: orNull(date).describe('Day on which the matter is considered next; null if the text names none.'),
    actionKind: z
      .enum(['public_comment', 'registration', 'meeting', 'staff_contact', 'unknown'])
      .describe('How the public can act on the matter.'),
    actionUrl: orNull(url).describe('Address for the public; null if the source has none.'),
  })
  .meta({ id: 'ProceduralContext', closed: true });

export const agendaHit = z.strictObject({
  agendaItemId,
  topicId: uuid.describe('The topic.'),
  summary,
  businessImpact: text.describe('Possible meaning of the matter for a business, according to the record.'),
  evidenceQuote: text.describe('A sentence of the source, verbatim.'),
  confidence: z.int().min(0).max(100).describe('Confidence of the classifier, from 0 to 100.'),
  affectedLocation: affectedLocation.describe('Places in the text of the source.'),
  proceduralContext: proceduralContext.describe('Stage of the matter.'),
  classifiedAt: dateTime.describe('Time of the event that caused the classification.'),
  classifier: text.describe('Classifier of the hit, with its version.'),
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
  attributes: z.record(z.string().min(1), flatValue).describe('Other fields of the source, flat.'),
});
