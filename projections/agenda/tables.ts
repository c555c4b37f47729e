import { endOfLocalDay } from '../../domain/local-day.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { FLAG, ID, MAYBE_TEXT, milliseconds, NUMBER, readModel, recordTable, TEXT, UUID } from '../tables.ts';

const json = (value: unknown): string => JSON.stringify(value);

/** Meetings of these statuses are neither listed nor counted in a body's cadence. */
const UNLISTED_STATUSES: readonly RecordData<'meetings'>['status'][] = ['cancelled', 'postponed'];

/**
 * Coverage of a body. `listed`: it is on the shipped list; `public`: its place was added publicly; `read`: its place
 * was added for feed, search and tools, and the public hit operations do not show it.
 */
export const COVERAGE = { listed: 'listed', public: 'public', read: 'read' } as const;

/**
 * Columns of a hit that come from other records. They are null, and the hit is not listed, while its item or meeting is
 * missing. A hit of a heading or step is not listed.
 */
export const RESOLVED = {
  meeting_id: 'uuid',
  body_id: 'uuid',
  starts_at: 'bigint',
  upcoming_until: 'bigint',
  timezone: MAYBE_TEXT,
  context: MAYBE_TEXT,
  listed: FLAG,
} as const;

const isUntimed = ({ startTime }: RecordData<'meetings'>): boolean => startTime?.status === 'not_stated';

/**
 * Returns the last millisecond in which a meeting is upcoming: its start, or the end of its day if it has no readable
 * time.
 */
function upcomingUntil(meeting: RecordData<'meetings'>): number {
  const startsAt = Date.parse(meeting.startsAt);
  return isUntimed(meeting) ? endOfLocalDay(startsAt, meeting.timezone) : startsAt;
}

/** Returns the leading JSON of a meeting. It omits the time, which `meetingAt` contains. */
const meetingLead = (meeting: RecordData<'meetings'>): string =>
  `"meetingAt":${json(meeting.startsAt)}${isUntimed(meeting) ? `,"startTime":${json(meeting.startTime)}` : ''}`;

const hits = recordTable('agenda_hits', {
  hit_id: [ID, ({ id }) => id],
  item_id: [UUID, ({ agendaItemId }) => agendaItemId],
  topic_id: [UUID, ({ topicId }) => topicId],
  classified_at: [NUMBER, ({ classifiedAt }) => Date.parse(classifiedAt)],
  own: [
    TEXT,
    (hit) =>
      `"summary":${json(hit.summary)},"businessImpact":${json(hit.businessImpact)},"evidenceQuote":${json(hit.evidenceQuote)},` +
      `"confidence":${json(hit.confidence)},"affectedLocation":${json(hit.affectedLocation)},"proceduralContext":${json(hit.proceduralContext)}`,
  ],
});

const bodies = recordTable('public_bodies', {
  body_id: [ID, ({ id }) => id],
  jurisdiction_id: [UUID, ({ jurisdictionId }) => jurisdictionId],
  slug: [TEXT, ({ slug }) => slug],
  name: [TEXT, ({ name }) => name],
  timezone: [TEXT, ({ timezone }) => timezone],
  active: [FLAG, ({ active }) => active],
  created_at: [NUMBER, ({ createdAt }) => Date.parse(createdAt)],
});

/**
 * The agenda as the public reads it. `lead` and `own` are parts of the exact JSON text of a public hit, so that an
 * answer only joins texts. If two records share a slug, the one with the older `created_at` wins, then the smaller id.
 */
export const AGENDA = readModel('agenda', {
  jurisdictions: recordTable(
    'jurisdictions',
    {
      jurisdiction_id: [ID, ({ id }) => id],
      slug: [TEXT, ({ slug }) => slug],
      name: [TEXT, ({ name }) => name],
      active: [FLAG, ({ active }) => active],
      created_at: [NUMBER, ({ createdAt }) => Date.parse(createdAt)],
    },
    { indexes: { by_slug: '(slug, created_at, jurisdiction_id)' } },
  ),
  bodies: {
    ...bodies,
    /**
     * All slugs of the body since it was first published or last withdrawn, in alphabetical order, joined by spaces.
     */
    columns: { ...bodies.columns, slugs: MAYBE_TEXT },
    indexes: { by_slug: '(jurisdiction_id, slug, created_at, body_id)' },
  },
  sources: recordTable('sources', {
    source_id: [ID, ({ id }) => id],
    body_id: ['uuid', ({ publicBodyId }) => publicBodyId],
    type_label: [TEXT, ({ sourceTypeLabel }) => sourceTypeLabel],
    official_url: [MAYBE_TEXT, ({ officialSourceUrl }) => officialSourceUrl],
    active: [FLAG, ({ active }) => active],
    status: [TEXT, ({ status }) => status],
    text_evidence: [MAYBE_TEXT, (data) => data.agendaTextEvidence],
    succeeded_at: ['bigint', ({ lastSuccessfulCheckAt }) => milliseconds(lastSuccessfulCheckAt)],
    skipped: ['bigint', ({ lastCheckSkipped }) => lastCheckSkipped ?? null],
    degraded: ['bigint', ({ lastCheckDegraded }) => lastCheckDegraded ?? null],
  }),
  topics: recordTable('topics', {
    topic_id: [ID, ({ id }) => id],
    slug: [TEXT, ({ slug }) => slug],
    open: [FLAG, ({ selectable, classificationActive }) => selectable && classificationActive],
    created_at: [NUMBER, ({ createdAt }) => Date.parse(createdAt)],
  }),
  meetings: recordTable(
    'meetings',
    {
      meeting_id: [ID, ({ id }) => id],
      body_id: [UUID, ({ publicBodyId }) => publicBodyId],
      source_id: ['uuid', ({ sourceId }) => sourceId],
      starts_at: [NUMBER, ({ startsAt }) => Date.parse(startsAt)],
      upcoming_until: [NUMBER, upcomingUntil],
      timezone: [TEXT, ({ timezone }) => timezone],
      on_calendar: [FLAG, ({ status }) => !UNLISTED_STATUSES.includes(status)],
      lead: [TEXT, meetingLead],
    },
    {
      indexes: { cadence: '(body_id, starts_at, source_id) include (upcoming_until) where on_calendar' },
      countedBy: [],
    },
  ),
  items: recordTable(
    'agenda_items',
    {
      item_id: [ID, ({ id }) => id],
      meeting_id: [UUID, ({ meetingId }) => meetingId],
      lead: [TEXT, ({ title, sourceUrl }) => `"title":${json(title)},"sourceUrl":${json(sourceUrl)}`],
      /** Null for records without a kind, which are items. */
      kind: [MAYBE_TEXT, ({ kind }) => kind ?? null],
    },
    { countedBy: [] },
  ),
  hits: {
    ...hits,
    columns: { ...hits.columns, ...RESOLVED },
    indexes: {
      by_item: '(item_id)',
      by_meeting: '(meeting_id)',
      recent: '(body_id, listed, topic_id, classified_at desc, starts_at desc, hit_id)',
      upcoming: '(topic_id, starts_at, classified_at, hit_id) include (upcoming_until) where listed',
    },
    countedBy: [],
  },
  coveredBodies: {
    columns: {
      body_id: ID,
      jurisdiction_slug: TEXT,
      body_slug: TEXT,
      jurisdiction_name: TEXT,
      body_name: TEXT,
      timezone: TEXT,
      lead: TEXT,
      coverage: TEXT,
    },
  },
  /** Sources that an operator has added. */
  addedSources: { columns: { source: 'text primary key', jurisdiction_slug: TEXT, is_public: FLAG } },
  coveredTopics: { columns: { topic_id: ID, slug: `${TEXT} unique`, lead: TEXT } },
});

export const AGENDA_RECORDS = Object.values(AGENDA.tables).filter((table) => 'row' in table);
