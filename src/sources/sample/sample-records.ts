import { DateTime } from 'luxon';
import type { RecordChange } from '../../../commands/records/record-writer.ts';
import { derivedId } from '../../../domain/identifiers.ts';
import { upsert } from '../source.ts';

/** Raised whenever the sample's records change. */
export const SAMPLE_SEED = { name: 'sample', version: 1 } as const;

export const SAMPLE_JURISDICTION_SLUG = 'sample-city';
export const SAMPLE_BODY_SLUG = 'city-council';

const ZONE = 'America/Chicago';
const SITE = 'https://example.org/sample-city';

const id = (...parts: readonly string[]): string => derivedId('sample', ...parts);

/** Ids that other records of the sample refer to. */
export const SAMPLE_IDS = {
  jurisdiction: id('jurisdiction'),
  publicBody: id('public_body'),
  source: id('source'),
  recordStream: id('record_stream'),
} as const;

const instant = (time: DateTime): string => new Date(time.toMillis()).toISOString();

const place = (now: DateTime): RecordChange[] => [
  upsert('jurisdictions', SAMPLE_IDS.jurisdiction, {
    slug: SAMPLE_JURISDICTION_SLUG,
    name: 'Sample City',
    level: 'city',
    kind: 'city',
    countySlugs: [],
    timezone: ZONE,
    active: true,
    officialWebsiteUrl: SITE,
  }),
  upsert('public_bodies', SAMPLE_IDS.publicBody, {
    jurisdictionId: SAMPLE_IDS.jurisdiction,
    slug: SAMPLE_BODY_SLUG,
    name: 'Sample: City Council',
    bodyType: 'governing_body',
    actingBodyRole: 'final_decision_maker',
    timezone: ZONE,
    active: true,
  }),
  upsert('sources', SAMPLE_IDS.source, {
    jurisdictionId: SAMPLE_IDS.jurisdiction,
    publicBodyId: SAMPLE_IDS.publicBody,
    sourceType: 'other',
    sourceTypeLabel: 'Sample: invented data',
    officialSourceUrl: `${SITE}/calendar`,
    active: true,
    status: 'healthy',
    agendaTextEvidence: 'readable',
    lastCheckedAt: instant(now),
    lastSuccessfulCheckAt: instant(now),
    consecutiveFailures: 0,
  }),
];

function meetingRecords(meeting: SampleMeeting, now: DateTime): RecordChange[] {
  const startsAt = now.setZone(ZONE).startOf('day').plus({ days: meeting.days }).set({ hour: meeting.hour });
  const meetingId = id('meeting', meeting.key);
  const agendaId = id('agenda', meeting.key);
  const documentId = id('document', meeting.key);
  const sourceUrl = `${SITE}/meetings/${meeting.key}`;
  const record = upsert('meetings', meetingId, {
    publicBodyId: SAMPLE_IDS.publicBody,
    sourceId: SAMPLE_IDS.source,
    sourceRecordId: meeting.key,
    title: 'Sample: City Council',
    startsAt: instant(startsAt),
    timezone: ZONE,
    location: 'Sample: Council Chamber, 1 Example Plaza',
    status: meeting.status,
    sourceUrl,
  });
  if (meeting.items.length === 0) return [record];
  return [
    record,
    upsert('agendas', agendaId, {
      meetingId,
      documentId,
      stage: 'posted',
      publishedAt: instant(startsAt.minus({ days: 4 })),
      itemCount: meeting.items.length,
      textEvidence: 'readable',
      sourceUrl,
    }),
    upsert('documents', documentId, {
      meetingId,
      kind: 'agenda',
      title: 'Sample: Agenda',
      url: `${sourceUrl}/agenda.pdf`,
      mediaType: 'application/pdf',
      textEvidence: 'readable',
    }),
    ...meeting.items.map((item, index) =>
      upsert('agenda_items', id('agenda_item', meeting.key, String(index + 1)), {
        meetingId,
        agendaId,
        sourceRecordId: `${meeting.key}-${index + 1}`,
        sequence: index + 1,
        agendaNumber: `${index + 1}.`,
        title: item.title,
        outcome: item.outcome ?? null,
        sourceUrl: `${sourceUrl}#item-${index + 1}`,
      }),
    ),
  ];
}

const permitRecords = (now: DateTime): RecordChange[] => [
  upsert('record_streams', SAMPLE_IDS.recordStream, {
    jurisdictionId: SAMPLE_IDS.jurisdiction,
    sourceId: SAMPLE_IDS.source,
    family: 'city.building_permits',
    name: 'Sample: Building permits',
    description: 'Sample: invented building permits that show what a record stream looks like',
    officialSourceUrl: `${SITE}/permits`,
    active: true,
  }),
  ...SAMPLE_PERMITS.map((permit) =>
    upsert('stream_records', id('stream_record', permit.number), {
      recordStreamId: SAMPLE_IDS.recordStream,
      sourceRecordId: permit.number,
      recordDate: now.setZone(ZONE).plus({ days: permit.days }).toISODate(),
      title: permit.work,
      status: permit.status,
      address: permit.address,
      sourceUrl: `${SITE}/permits/${permit.number}`,
      attributes: { sample: true, permitNumber: permit.number },
    }),
  ),
];

/**
 * The sample: one invented city with past, cancelled and upcoming meetings and a stream of permits. `now` is in milliseconds since the
 * epoch; ids are stable, and times lie around the local day of `now`.
 */
export function sampleRecords(now: number): readonly RecordChange[] {
  const time = DateTime.fromMillis(now, { zone: ZONE });
  return [...place(time), ...SAMPLE_MEETINGS.flatMap((meeting) => meetingRecords(meeting, time)), ...permitRecords(time)];
}

/** A remove of each record of the sample, the last written first. */
export const sampleRemovals = (now: number): readonly RecordChange[] =>
  sampleRecords(now)
    .toReversed()
    .map((change) => ({ op: 'remove', resource: change.resource, id: change.id, reason: 'the sample was removed' }));

/** An invented meeting: days from today, a local hour, a status and the titles on its agenda. */
interface SampleMeeting {
  readonly key: string;
  readonly days: number;
  readonly hour: number;
  readonly status: 'scheduled' | 'held' | 'cancelled';
  readonly items: readonly SampleItem[];
}

interface SampleItem {
  readonly title: string;
  readonly outcome?: 'approved' | 'denied' | 'continued';
}

const SAMPLE_MEETINGS: readonly SampleMeeting[] = [
  {
    key: 'past-3',
    days: -42,
    hour: 18,
    status: 'held',
    items: [
      { title: 'Sample: Call to order' },
      { title: 'Sample: Appointment of two members to the parks board', outcome: 'approved' },
      { title: 'Sample: Lease of the old fire station', outcome: 'approved' },
      { title: 'Sample: Speed limit on Example Boulevard', outcome: 'continued' },
    ],
  },
  {
    key: 'past-2',
    days: -28,
    hour: 18,
    status: 'held',
    items: [
      { title: 'Sample: Call to order' },
      { title: 'Sample: Contract for the resurfacing of Example Street', outcome: 'approved' },
      { title: 'Sample: Rezoning of two acres at 100 Example Avenue from residential to retail', outcome: 'continued' },
    ],
  },
  {
    key: 'past-1',
    days: -14,
    hour: 18,
    status: 'held',
    items: [
      { title: 'Sample: Call to order' },
      { title: 'Sample: Public hearing on the proposed annual budget' },
      { title: 'Sample: Rezoning of two acres at 100 Example Avenue from residential to retail', outcome: 'denied' },
      { title: 'Sample: Purchase of two electric buses', outcome: 'approved' },
    ],
  },
  { key: 'cancelled', days: 7, hour: 9, status: 'cancelled', items: [] },
  {
    key: 'next-1',
    days: 14,
    hour: 18,
    status: 'scheduled',
    items: [
      { title: 'Sample: Call to order' },
      { title: 'Sample: Ordinance on short-term rentals, first reading' },
      { title: 'Sample: Plat of the Example Meadows subdivision' },
      { title: 'Sample: Request for proposals for a new library roof' },
    ],
  },
  {
    key: 'next-2',
    days: 28,
    hour: 18,
    status: 'scheduled',
    items: [{ title: 'Sample: Call to order' }, { title: 'Sample: Ordinance on short-term rentals, final reading' }],
  },
];

/** Building permits of the sample's record stream; `days` counts from today. */
const SAMPLE_PERMITS = [
  { number: 'SAMPLE-0001', days: -21, status: 'issued', work: 'Sample: Kitchen remodel', address: '12 Example Avenue' },
  { number: 'SAMPLE-0002', days: -9, status: 'issued', work: 'Sample: New garage', address: '34 Example Street' },
  { number: 'SAMPLE-0003', days: -2, status: 'in review', work: 'Sample: Solar panels', address: '56 Example Court' },
] as const;
