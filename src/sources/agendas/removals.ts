import type { RecordChange } from '../../../commands/records/write-records.ts';
import type { PublishedRecords } from '../../../domain/ports/projection.ts';
import type { OwnRecord } from '../source.ts';
import { recordsJoinedTo } from './joined-records.ts';
import type { JoinedSources } from './joined-sources.ts';
import { meetingId, ownRecordsOfEvent } from './own-records.ts';

/** Collects the records that a run removes. A record that the run publishes stays: an item can move to another event. */
export class Removals {
  readonly #changes = new Map<string, RecordChange>();
  readonly #publishedIds = new Set<string>();
  readonly #known: PublishedRecords;
  readonly #client: string;

  readonly #joined: Pick<JoinedSources, 'recordsOf'>;

  constructor(known: PublishedRecords, client: string, joined: Pick<JoinedSources, 'recordsOf'>) {
    this.#known = known;
    this.#client = client;
    this.#joined = joined;
  }

  add(records: readonly OwnRecord[], reason: string): void {
    for (const record of records) this.#changes.set(record.id, { op: 'remove', ...record, reason });
  }

  /** Adds a meeting and the records of its event. */
  async addEvent(eventId: string, reason: string): Promise<void> {
    const own = await ownRecordsOfEvent(this.#known, this.#client, eventId);
    this.addMeeting(eventId, [...own, ...(await this.#joined.recordsOf(eventId))], reason);
  }

  /** Adds a meeting with these records of its event. */
  addMeeting(eventId: string, records: readonly OwnRecord[], reason: string): void {
    this.add([...records, { resource: 'meetings', id: meetingId(this.#client, eventId) }], reason);
  }

  markPublished(recordId: string): void {
    this.#publishedIds.add(recordId);
  }

  isPublished(recordId: string): boolean {
    return this.#publishedIds.has(recordId);
  }

  /** True if the run publishes or removes the record. */
  isHandled(recordId: string): boolean {
    return this.#publishedIds.has(recordId) || this.#changes.has(recordId);
  }

  /** Adds what other sources have joined to the meetings that are removed. Their next syncs publish it on its own. */
  async addJoinedRecords(): Promise<void> {
    const meetings = this.changes().filter(({ resource }) => resource === 'meetings');
    const ids = meetings.map(({ id }) => id);
    this.add(await recordsJoinedTo(this.#known, ids), 'the source no longer has the meeting');
  }

  /** Returns the changes to write at the end of the run. */
  changes(): readonly RecordChange[] {
    return [...this.#changes.values()].filter(({ id }) => !this.#publishedIds.has(id));
  }
}
