import type { PublishedRecords } from '../../../domain/ports/projection.ts';
import type { RecordData } from '../../../domain/records/resources.ts';
import type { OwnRecord } from '../source.ts';
import type { ClientPlace } from './bodies.ts';
import { eventsJoinedTo, recordsJoinedTo, recordsOfJoined } from './joined-records.ts';
import { derivedSourceId, meetingId, ownMeetings, ownRecordsOfEvent } from './own-records.ts';

export interface CheckedSource {
  readonly sourceId: string;
  readonly publicBodyId: string;
  /** The `sources` record as it is published; undefined when it is not. */
  readonly current: RecordData<'sources'> | undefined;
}

/** A source that a run did not check. */
export interface UnreadSource extends CheckedSource {
  /** Time at which its past events were read, in ISO 8601; null if none were. */
  readonly readAt: string | null;
}

/** The `sources` records of a place, of all clients. */
export async function sourcesOfPlace(known: PublishedRecords, jurisdictionId: string) {
  return known.current('sources', await known.referring('sources', 'jurisdictionId', [jurisdictionId]));
}

/** The client's `sources` records, adopted ones included. */
export async function publishedSources(known: PublishedRecords, client: string, place: ClientPlace) {
  return ownSources(await sourcesOfPlace(known, place.jurisdictionId), client, place);
}

function ownSources(sources: ReadonlyMap<string, RecordData<'sources'>>, client: string, place: ClientPlace) {
  return [...sources].flatMap(([sourceId, current]) => {
    const adopted = place.adopted.find((body) => body.sourceId === sourceId);
    const publicBodyId = adopted?.publicBodyId ?? current.publicBodyId;
    if (publicBodyId === null) return [];
    return adopted !== undefined || sourceId === derivedSourceId(client, publicBodyId)
      ? [{ sourceId, publicBodyId, current }]
      : [];
  });
}

/**
 * Returns the records that the sync of a client has published, children first, without those of the catalogue and of
 * other sources. A body stays if another source names it.
 */
export async function recordsOfClient(
  known: PublishedRecords,
  client: string,
  place: ClientPlace,
): Promise<readonly OwnRecord[]> {
  const allSources = await sourcesOfPlace(known, place.jurisdictionId);
  const sources = ownSources(allSources, client, place);
  const ofPlace = await known.referring('public_bodies', 'jurisdictionId', [place.jurisdictionId]);
  const records: OwnRecord[] = [];
  // A sync that was cut off has published meetings of sources without a record.
  const sourceIds = [
    ...place.adopted.map(({ sourceId }) => sourceId),
    ...ofPlace.map((body) => derivedSourceId(client, body)),
  ];
  const meetings = await ownMeetings(known, client, sourceIds);
  for (const record of await joinedRecords(known, client, sources, [...meetings.keys()])) records.push(record);
  for (const eventId of meetings.keys()) {
    for (const record of await ownRecordsOfEvent(known, client, eventId)) records.push(record);
    records.push({ resource: 'meetings', id: meetingId(client, eventId) });
  }
  const isOwn = (sourceId: string | null, publicBodyId: string) => sourceId === derivedSourceId(client, publicBodyId);
  const own = sources.filter(({ sourceId, publicBodyId }) => isOwn(sourceId, publicBodyId));
  const withMeetings = [...meetings.values()].filter(({ sourceId, publicBodyId }) => isOwn(sourceId, publicBodyId));
  const bodies = new Set([...own, ...withMeetings].map(({ publicBodyId }) => publicBodyId));
  for (const [sourceId, { publicBodyId }] of allSources)
    if (publicBodyId !== null && !isOwn(sourceId, publicBodyId)) bodies.delete(publicBodyId);
  for (const { sourceId } of own) records.push({ resource: 'sources', id: sourceId });
  for (const id of bodies) records.push({ resource: 'public_bodies', id });
  const isLast = place.jurisdiction !== null && ofPlace.every((id) => bodies.has(id));
  if (isLast && (await known.current('jurisdictions', [place.jurisdictionId])).size > 0) {
    records.push({ resource: 'jurisdictions', id: place.jurisdictionId });
  }
  return records;
}

/** Returns the records that are joined to meetings: those of this client to meetings of others, and the reverse. */
async function joinedRecords(
  known: PublishedRecords,
  client: string,
  sources: readonly CheckedSource[],
  eventIds: readonly string[],
): Promise<readonly OwnRecord[]> {
  const bodyIds = sources.map(({ publicBodyId }) => publicBodyId);
  const sourceIds = sources.map(({ sourceId }) => sourceId);
  const meetings = await known.referring('meetings', 'publicBodyId', bodyIds);
  const records: OwnRecord[] = [];
  for (const event of await eventsJoinedTo(known, meetings, sourceIds))
    for (const record of await recordsOfJoined(known, event)) records.push(record);
  const own = eventIds.map((eventId) => meetingId(client, eventId));
  for (const record of await recordsJoinedTo(known, own)) records.push(record);
  return records;
}
