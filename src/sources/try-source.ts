import { DateTime } from 'luxon';
import type { RecordChange, RecordWriter } from '../../commands/records/write-records.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { DocumentReader, StoredDocuments } from '../../domain/ports/documents.ts';
import type { PublishedRecords } from '../../domain/ports/projection.ts';
import { RECORD_SCHEMAS, type RecordContent, type Resource } from '../../domain/records/resources.ts';
import { issueText } from '../../domain/text/plain-issues.ts';
import { TRIED_PLACE } from './place.ts';
import type { Connector, SyncReport, SyncRequest } from './source.ts';

/** Records that a sync would write, by resource and id. Nothing is stored. */
class CollectedRecords implements RecordWriter {
  readonly #contents = new Map<Resource, Map<string, unknown>>();

  write: RecordWriter['write'] = async (changes) => changes.map((change) => this.#collect(change));

  #collect(change: RecordChange): Awaited<ReturnType<RecordWriter['write']>>[number] {
    const ofResource = this.#contents.get(change.resource) ?? new Map<string, unknown>();
    this.#contents.set(change.resource, ofResource);
    if (change.op === 'remove') {
      ofResource.delete(change.id);
      return { kind: 'unchanged' };
    }
    const parsed = RECORD_SCHEMAS[change.resource].safeParse(change.content);
    if (!parsed.success) return { kind: 'rejected', reason: parsed.error.issues.map(issueText).join('; ') };
    ofResource.set(change.id, parsed.data);
    return { kind: 'unchanged' };
  }

  of<R extends Resource>(resource: R): ReadonlyMap<string, RecordContent<R>> {
    return (this.#contents.get(resource) ?? new Map()) as ReadonlyMap<string, RecordContent<R>>;
  }
}

const NOTHING_PUBLISHED: PublishedRecords = { referring: async () => [], current: async () => new Map() };

interface TriedMeeting {
  readonly id: string | null;
  readonly body: string | null;
  readonly title: string;
  /** Local day, `YYYY-MM-DD`. */
  readonly date: string;
  /** Local time, `HH:MM`; null if the source states none. */
  readonly time: string | null;
  readonly status: string;
  readonly location: string | null;
  readonly sourceUrl: string;
}

function meetingOf(
  meeting: RecordContent<'meetings'>,
  bodies: ReadonlyMap<string, { readonly name: string }>,
): TriedMeeting {
  const { sourceRecordId, publicBodyId, title, startsAt, startTime, timezone, status, location, sourceUrl } = meeting;
  const local = DateTime.fromISO(startsAt, { zone: timezone });
  return {
    id: sourceRecordId ?? null,
    body: bodies.get(publicBodyId)?.name ?? null,
    title,
    date: local.toFormat('yyyy-MM-dd'),
    time: startTime?.status === 'not_stated' ? null : local.toFormat('HH:mm'),
    status,
    location: location ?? null,
    sourceUrl,
  };
}

/** Records that one sync of a client would read if nothing were published; they have no place. */
export interface Trial {
  readonly meetings: readonly TriedMeeting[];
  readonly documents: readonly object[];
  readonly items: readonly object[];
  readonly skipped: SyncReport['skipped'];
  readonly degraded: SyncReport['degraded'];
  /** Reason why the source could not be read as a whole; null when it could. */
  readonly failure: string | null;
}

const NOTHING_STORED: StoredDocuments = {
  find: async () => null,
  put: async () => undefined,
  confirm: async () => undefined,
  link: async () => undefined,
  forget: async () => undefined,
  texts: async () => [],
};

/**
 * Reads a client as a sync does, and writes nothing. Only the `limit` meetings that are closest to today are read in
 * full.
 */
export async function trySource(
  connector: Connector,
  request: Omit<SyncRequest, 'place' | 'limit'> & { readonly limit: number },
  { clock, reader }: { readonly clock: Clock; readonly reader: DocumentReader },
): Promise<Trial> {
  const collected = new CollectedRecords();
  const documents = { reader, stored: NOTHING_STORED };
  const target = { writer: collected, known: NOTHING_PUBLISHED, clock, documents };
  const report = await connector.sync({ ...request, place: TRIED_PLACE }, target);
  const meetings = collected.of('meetings');
  const meetingIds = new Map([...meetings].map(([id, { sourceRecordId }]) => [id, sourceRecordId]));
  return {
    meetings: [...meetings.values()]
      .map((meeting) => meetingOf(meeting, collected.of('public_bodies')))
      .toSorted((left, right) => (left.date < right.date ? 1 : -1)),
    documents: documentRows(collected, meetingIds),
    items: itemRows(collected, meetingIds),
    skipped: report.skipped,
    degraded: report.degraded,
    failure: report.failure,
  };
}

/** Ids of meetings at the source, by the ids of their records. */
type MeetingIds = ReadonlyMap<string, string | null | undefined>;

function documentRows(collected: CollectedRecords, meetingIds: MeetingIds): readonly object[] {
  const items = collected.of('agenda_items');
  return [...collected.of('documents').values()].map(({ meetingId, agendaItemId, kind, title, url, mediaType }) => ({
    meeting: meetingIds.get(meetingId ?? '') ?? null,
    item: items.get(agendaItemId ?? '')?.agendaNumber ?? null,
    kind,
    title,
    url,
    mediaType,
  }));
}

function itemRows(collected: CollectedRecords, meetingIds: MeetingIds): readonly object[] {
  const items = [...collected.of('agenda_items').values()].toSorted((left, right) =>
    left.meetingId < right.meetingId ? -1 : left.meetingId > right.meetingId ? 1 : left.sequence - right.sequence,
  );
  return items.map(({ meetingId, agendaNumber, section, title, kind, text, sourceUrl }) => ({
    meeting: meetingIds.get(meetingId) ?? null,
    number: agendaNumber,
    section: section ?? null,
    title,
    kind,
    text,
    sourceUrl,
  }));
}
