import type { PublishedRecords } from '../../../domain/ports/projection.ts';
import type { RecordContent, RecordData } from '../../../domain/records/resources.ts';
import { runInTurns } from '../../../domain/text/steps.ts';
import { type EventPlace, mapEvent } from './map-event.ts';
import { fileId, twinFileId } from './own-records.ts';
import type { EventRow } from './rows.ts';
import { oneLine, publicUrl } from './values.ts';

type Status = RecordData<'meetings'>['status'];

/** True if the row proves another status. A notice among the items, which are not read here, can be the reason for the published one. */
const isNewStatus = (listed: Status, published: Status): boolean =>
  listed !== published && listed !== 'scheduled' && (listed !== 'held' || published === 'scheduled');

/** Compares rows of the list of events with what is published, so that an old event is read again where its row states more. */
export class ListedChanges {
  /** Addresses of published files, by the id of the document. */
  #addresses: ReadonlyMap<string, string> = new Map();

  /** Loads the published addresses of the files that the rows name. */
  async load(known: PublishedRecords, client: string, events: readonly EventRow[]): Promise<void> {
    function* fileIds() {
      const ids: string[] = [];
      for (const { EventId, EventAgendaFile, EventPacketFile, EventMinutesFile, EventOtherFiles } of events) {
        yield;
        if (oneLine(EventAgendaFile) !== null) ids.push(fileId(client, EventId, 'agenda'));
        if (oneLine(EventPacketFile) !== null) ids.push(fileId(client, EventId, 'packet'));
        if (oneLine(EventMinutesFile) !== null) ids.push(fileId(client, EventId, 'minutes'));
        for (const address of EventOtherFiles ?? []) {
          const url = publicUrl(address);
          if (url !== null) ids.push(twinFileId(client, EventId, 'other', url));
        }
      }
      return ids;
    }
    const documents = await known.current('documents', await runInTurns(fileIds()));
    this.#addresses = new Map([...documents].map(([id, { url }]) => [id, url]));
  }

  /** True if the row states a status, an agenda or minutes that are not published. */
  isIn(event: EventRow, place: EventPlace, meeting: RecordData<'meetings'>): boolean {
    const mapped = mapEvent(event, [], place);
    if (mapped.kind === 'skipped') return false;
    return mapped.changes.some((change) => {
      if (change.op !== 'upsert') return false;
      if (change.resource === 'documents')
        return this.#addresses.get(change.id) !== (change.content as RecordContent<'documents'>).url;
      return (
        change.resource === 'meetings' &&
        isNewStatus((change.content as RecordContent<'meetings'>).status, meeting.status)
      );
    });
  }
}
