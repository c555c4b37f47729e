import type { RecordChange } from '../../../commands/records/write-records.ts';
import { derivedId } from '../../../domain/identifiers.ts';
import type { PublishedRecords } from '../../../domain/ports/projection.ts';
import type { RecordContent } from '../../../domain/records/resources.ts';
import { type OwnRecord, upsert } from '../source.ts';
import { attachmentId } from './own-records.ts';

/**
 * An event that another source publishes as a meeting has no separate meeting. Its address is a document of that
 * meeting, and its agenda and items belong to that meeting too. The ids derive from the source of the event, so that
 * every client can attribute the records.
 */
type PartOfJoined = 'recording' | 'agenda' | FileOfJoined;
/** Files of a source of agendas that stay in addition to the address of the event. */
type FileOfJoined = 'packet' | 'minutes';
const FILES: readonly FileOfJoined[] = ['packet', 'minutes'];
const idOf = (sourceId: string, kind: PartOfJoined, eventId: number | string): string =>
  derivedId('joined', sourceId, kind, eventId);
export const recordingId = (sourceId: string, eventId: number | string): string => idOf(sourceId, 'recording', eventId);
export const joinedAgendaId = (sourceId: string, eventId: number | string): string => idOf(sourceId, 'agenda', eventId);

const MARK = ' (event ';

/** Reads the event from the title of a recording; the id of the document proves it. */
const eventIn = (title: string): string => title.slice(title.lastIndexOf(MARK) + MARK.length, -1);

export interface JoinedEvent {
  readonly eventId: string;
  readonly sourceId: string;
  readonly meetingId: string;
  readonly url: string;
}

/** Returns the events of these sources that are joined to the meetings. */
export async function eventsJoinedTo(
  known: PublishedRecords,
  meetingIds: readonly string[],
  sourceIds: readonly string[],
): Promise<readonly JoinedEvent[]> {
  if (sourceIds.length === 0 || meetingIds.length === 0) return [];
  const ids = await known.referring('documents', 'meetingId', meetingIds);
  return [...(await known.current('documents', ids)).values()].flatMap(({ id, kind, meetingId, title, url }) => {
    if (kind !== 'other' || meetingId === null || !title.includes(MARK)) return [];
    const eventId = eventIn(title);
    const sourceId = sourceIds.find((each) => recordingId(each, eventId) === id);
    return sourceId === undefined ? [] : { eventId, sourceId, meetingId, url };
  });
}

/** Returns the published records of a joined event, children first. */
export async function recordsOfJoined(
  known: PublishedRecords,
  { eventId, sourceId, meetingId }: Omit<JoinedEvent, 'url'>,
): Promise<readonly OwnRecord[]> {
  const agenda = joinedAgendaId(sourceId, eventId);
  const agendas = await known.referring('agendas', 'meetingId', [meetingId]);
  const fileIds = FILES.map((kind) => idOf(sourceId, kind, eventId));
  const files = await known.current('documents', fileIds);
  const items = await known.referring('agenda_items', 'agendaId', [agenda]);
  const documents = await known.current('documents', await known.referring('documents', 'agendaItemId', items));
  const attachments = [...documents.values()].filter(
    ({ id, agendaItemId, url }) => id === attachmentId(agendaItemId!, url),
  );
  return [
    ...attachments.map(({ id }): OwnRecord => ({ resource: 'documents', id })),
    ...items.map((id): OwnRecord => ({ resource: 'agenda_items', id })),
    ...agendas.filter((id) => id === agenda).map((id): OwnRecord => ({ resource: 'agendas', id })),
    ...[...files.keys()].map((id): OwnRecord => ({ resource: 'documents', id })),
    { resource: 'documents', id: recordingId(sourceId, eventId) },
  ];
}

/** Returns the records that other sources of the same bodies have joined to these meetings. */
export async function recordsJoinedTo(
  known: PublishedRecords,
  meetingIds: readonly string[],
): Promise<readonly OwnRecord[]> {
  const meetings = await known.current('meetings', meetingIds);
  const bodies = new Set([...meetings.values()].map(({ publicBodyId }) => publicBodyId));
  const sources = await known.current('sources', await known.referring('sources', 'publicBodyId', [...bodies]));
  const ofBody = Map.groupBy(sources.values(), ({ publicBodyId }) => publicBodyId!);
  const shared = [...meetings].filter(([, { publicBodyId }]) => (ofBody.get(publicBodyId)?.length ?? 0) > 1);
  const ids = shared.map(([id]) => id);
  const records: OwnRecord[] = [];
  for (const event of await eventsJoinedTo(known, ids, [...sources.keys()]))
    for (const record of await recordsOfJoined(known, event)) records.push(record);
  return records;
}

interface JoinedTo extends JoinedEvent {
  readonly title: string;
  /** Label of the platform of the event; null for a recording. */
  readonly label: string | null;
  /** True if the other source states items of the meeting. */
  readonly hasItems: boolean;
  /** Local date of the meeting. */
  readonly day: string;
}

/**
 * Returns the changes of an event as those of a meeting of another source: the address, packet and minutes of a source
 * of agendas, and the items if the other source states none.
 */
export function changesOfJoined(changes: readonly RecordChange[], joined: JoinedTo): readonly RecordChange[] {
  const { eventId, sourceId, meetingId, url, title, label, day } = joined;
  const agendaId = joinedAgendaId(sourceId, eventId);
  const hasItems = changes.some(({ resource }) => resource === 'agenda_items') && !joined.hasItems;
  const recording = upsert('documents', recordingId(sourceId, eventId), {
    meetingId,
    kind: 'other',
    title: `${title} ${label === null ? 'recording' : `on ${label}`}, ${day}${MARK}${eventId})`,
    url,
  });
  const files = label === null ? [] : filesOf(changes, joined);
  const moved = changes.flatMap((change): RecordChange[] => {
    if (change.op !== 'upsert') return [];
    const content = change.content as RecordContent<'agendas' | 'agenda_items' | 'documents'>;
    if (change.resource === 'agendas')
      return [{ ...change, id: agendaId, content: { ...content, meetingId, documentId: null } }];
    if (change.resource === 'agenda_items') return [{ ...change, content: { ...content, meetingId, agendaId } }];
    const isOfItem = change.resource === 'documents' && 'agendaItemId' in content && content.agendaItemId != null;
    return isOfItem ? [{ ...change, content: { ...content, meetingId } }] : [];
  });
  return [recording, ...files, ...(hasItems ? moved : [])];
}

/** Returns the packet and the minutes of the event. */
function filesOf(
  changes: readonly RecordChange[],
  { eventId, sourceId, meetingId, url }: JoinedEvent,
): readonly RecordChange[] {
  return FILES.flatMap((kind) => {
    const contents = changes.flatMap((change) =>
      change.op === 'upsert' && change.resource === 'documents' ? [change.content as RecordContent<'documents'>] : [],
    );
    const file = contents.find((each) => each.kind === kind && each.agendaItemId == null && each.url !== url);
    return file === undefined ? [] : [upsert('documents', idOf(sourceId, kind, eventId), { ...file, meetingId })];
  });
}
