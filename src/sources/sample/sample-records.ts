import { DateTime } from 'luxon';
import { z } from 'zod';
import type { RecordChange } from '../../../commands/records/write-records.ts';
import { derivedId } from '../../../domain/identifiers.ts';
import { NEVER_CHECKED } from '../catalogue/catalogue-records.ts';
import { upsert } from '../source.ts';
import data from './data/sample.json' with { type: 'json' };

/** Raised whenever the sample's records change. */
export const SAMPLE_SEED = { name: 'sample', version: 1 } as const;
export const SAMPLE_JURISDICTION_SLUG = 'sample-city';
export const SAMPLE_BODY_SLUG = 'city-council';
const ZONE = 'America/Chicago';
const BODY_NAME = 'Sample: City Council (invented)';
const SITE = 'https://example.org/sample-city';
const id = (...parts: readonly string[]): string => derivedId('sample', ...parts);

export const SAMPLE_IDS = {
  jurisdiction: id('jurisdiction'),
  publicBody: id('public_body'),
  source: id('source'),
  recordStream: id('record_stream'),
} as const;

/** The invented meetings and permits: days from today, a local hour, a status, and the titles on an agenda. */
const { meetings, permits } = z
  .strictObject({
    meetings: z.array(
      z.strictObject({
        key: z.string(),
        days: z.int(),
        hour: z.int(),
        status: z.enum(['scheduled', 'held', 'cancelled']),
        items: z.array(
          z.strictObject({ title: z.string(), outcome: z.enum(['approved', 'denied', 'continued']).optional() }),
        ),
      }),
    ),
    permits: z.array(
      z.strictObject({ number: z.string(), days: z.int(), status: z.string(), work: z.string(), address: z.string() }),
    ),
  })
  .parse(data);

const instant = (time: DateTime): string => new Date(time.toMillis()).toISOString();

const place = (): RecordChange[] => [
  upsert('jurisdictions', SAMPLE_IDS.jurisdiction, {
    slug: SAMPLE_JURISDICTION_SLUG,
    name: 'Sample City (invented)',
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
    name: BODY_NAME,
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
    ...NEVER_CHECKED,
  }),
];

type Meeting = (typeof meetings)[number];

const meetingUrl = ({ key }: Meeting): string => `${SITE}/meetings/${key}`;

function meetingRecords(meeting: Meeting, now: DateTime): RecordChange[] {
  const startsAt = now.setZone(ZONE).startOf('day').plus({ days: meeting.days }).set({ hour: meeting.hour });
  const record = upsert('meetings', id('meeting', meeting.key), {
    publicBodyId: SAMPLE_IDS.publicBody,
    sourceId: SAMPLE_IDS.source,
    sourceRecordId: meeting.key,
    title: BODY_NAME,
    startsAt: instant(startsAt),
    timezone: ZONE,
    location: 'Sample: Council Chamber, 1 Example Plaza',
    status: meeting.status,
    sourceUrl: meetingUrl(meeting),
  });
  return meeting.items.length === 0 ? [record] : [record, ...agendaRecords(meeting, startsAt)];
}

function agendaRecords(meeting: Meeting, startsAt: DateTime): RecordChange[] {
  const meetingId = id('meeting', meeting.key);
  const agendaId = id('agenda', meeting.key);
  const documentId = id('document', meeting.key);
  const sourceUrl = meetingUrl(meeting);
  return [
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
  ...permits.map((permit) =>
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

/** An invented city. `now` is in milliseconds since the epoch; ids are stable, and times lie around the local day of `now`. */
export function sampleRecords(now: number): readonly RecordChange[] {
  const time = DateTime.fromMillis(now, { zone: ZONE });
  return [...place(), ...meetings.flatMap((meeting) => meetingRecords(meeting, time)), ...permitRecords(time)];
}

export const sampleRemovals = (): readonly RecordChange[] =>
  sampleRecords(0)
    .toReversed()
    .map((change) => ({ op: 'remove', resource: change.resource, id: change.id, reason: 'the sample was removed' }));
