import type { RecordChange } from '../../../commands/records/write-records.ts';
import { dateOfDay, localDay } from '../../../domain/local-day.ts';
import { type EventDetails, type LegistarReader, SourceUnavailable } from '../../../domain/ports/source-ports.ts';
import type { RecordData } from '../../../domain/records/resources.ts';
import type { BatchedWriter } from '../batched-writer.ts';
import { type BodyPlace, type ClientPlace, mapBodies, placeOfClient } from './bodies.ts';
import type { CheckedSource } from './client-records.ts';
import { mapEvent } from './map-event.ts';
import { agendaItemId, meetingId, ownMeetings, ownRecordsOfEvent } from './own-records.ts';
import { bodyRow, eventItemRow, eventRow, type EventRow, parseRows, type Skipped } from './rows.ts';
import { neverCheckedSource } from './source-records.ts';
import { eventsToRead } from './poll-window.ts';
import { localDate, publicUrl } from './values.ts';
import { type OwnRecord, SyncRefused, type SyncRequest, type SyncTarget } from '../source.ts';

const READERS = 4;
const WHOLE_CLIENT = '';

/** Does the work for each input, a few at a time; the first error stops the rest from starting and is thrown once the running ones ended. */
async function concurrently<Input>(inputs: readonly Input[], work: (input: Input) => Promise<void>): Promise<void> {
  function* each() {
    yield* inputs;
  }
  const shared = each();
  const run = async (): Promise<void> => {
    // An error ends the loop, which closes the generator for the other loops too.
    for (const input of shared) await work(input);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: READERS }, run));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Removes are written last, without records that the pass published: an item may move. A failed or partial read removes nothing. */
export class SyncRun {
  readonly read = { bodies: 0, events: 0, items: 0 };
  failedEvents = 0;
  readonly skipped: Skipped[] = [];
  /** Events that are published without a stated time. */
  readonly degraded: Skipped[] = [];
  /** Of each source. */
  readonly #left = new Map<string, { skipped: number; degraded: number }>();
  /** The site of the source, where an event names it. */
  siteUrl: string | null = null;
  readonly failedSources = new Set<string>();
  #bodies: ReadonlyMap<number, BodyPlace> = new Map();
  #sources: ReadonlyMap<string, RecordData<'sources'>> = new Map();
  #published: ReadonlyMap<string, RecordData<'meetings'>> = new Map();
  readonly #upserted = new Set<string>();
  readonly #removals = new Map<string, RecordChange>();
  readonly place: ClientPlace;
  /** The local date `YYYY-MM-DD` from which every event is read; null for what was modified lately. */
  readonly #since: string | null;
  readonly #reader: LegistarReader;
  readonly #request: SyncRequest;
  readonly #target: SyncTarget;

  /** Throws `SyncRefused` for a request that cannot be carried out. */
  constructor(reader: LegistarReader, request: SyncRequest, target: SyncTarget) {
    const { since, jurisdiction } = request.options;
    this.place = placeOfClient(request.client, jurisdiction, request.place);
    this.#since = localDate(since);
    if (since !== undefined && this.#since === null) throw new SyncRefused(`"${since}" is no date; write it as YYYY-MM-DD`);
    this.#reader = reader;
    this.#request = request;
    this.#target = target;
  }

  /** Throws `SourceUnavailable` or `UnknownSourceClient` when the bodies or the list of events cannot be read. */
  async readAndWrite(writer: BatchedWriter): Promise<void> {
    const { client, progress, signal } = this.#request;
    await this.#readBodies(writer);
    const sourceIds = this.sources.map(({ sourceId }) => sourceId);
    this.#published = await ownMeetings(this.#target.known, client, sourceIds);

    const listed = parseRows(eventRow, 'EventId', 'event', await this.#reader.events(this.#since));
    this.read.events = listed.rows.length + listed.skipped.length;
    this.#skip(listed.skipped, null);
    if (this.read.events === 0 && this.#since === null && this.#published.size > 0) {
      throw new SourceUnavailable('the list of events came back empty although events of it are published; nothing was removed');
    }
    const seen = new Set([...listed.rows.map((row) => row.EventId), ...listed.undecodable].map(String));
    const returned = listed.unidentified ? [] : await this.#removeVanished(seen);

    const window = {
      now: this.#target.clock.now(),
      named: this.#since !== null,
      isUnstamped: this.#reader.platform.isUnstamped === true,
      lastSuccess: (event: EventRow) => this.#lastSuccess(event),
      isPublished: (event: EventRow) => this.#published.has(String(event.EventId)),
    };
    const events = [...eventsToRead(listed.rows, window), ...returned];
    let done = 0;
    await concurrently(events, async (event) => {
      signal?.throwIfAborted();
      await this.#readEvent(event, writer);
      done += 1;
      progress?.(done, events.length);
    });
    await writer.add([...this.#removals.values()].filter(({ id }) => !this.#upserted.has(id)));
  }

  get sources(): readonly CheckedSource[] {
    return [...this.#bodies.values()].map((body) => ({ ...body, current: this.#sources.get(body.sourceId) }));
  }

  /** Rows that were left out of a source's records, with those of the whole client, and events without a stated time. */
  leftOf(sourceId: string) {
    const { skipped, degraded } = this.#leftBy(sourceId);
    const shared = this.#leftBy(WHOLE_CLIENT).skipped;
    return { skipped: skipped + shared, shared, degraded };
  }

  #leftBy(sourceId: string) {
    const left = this.#left.get(sourceId) ?? { skipped: 0, degraded: 0 };
    this.#left.set(sourceId, left);
    return left;
  }

  /** `sourceId` is null for rows that belong to no known source: they count for each. */
  #skip(skipped: readonly Skipped[], sourceId: string | null): void {
    this.skipped.push(...skipped);
    this.#leftBy(sourceId ?? WHOLE_CLIENT).skipped += skipped.filter(({ isIntended }) => isIntended !== true).length;
  }

  async #readBodies(writer: BatchedWriter): Promise<void> {
    const parsed = parseRows(bodyRow, 'BodyId', 'body', await this.#reader.bodies());
    const { places, changes, skipped } = mapBodies(this.#request.client, this.place, parsed.rows, await this.#bodiesOfPlace());
    if (places.size === 0) throw new SourceUnavailable('the list of bodies came back without a body');
    this.read.bodies = parsed.rows.length + parsed.skipped.length;
    this.#skip([...parsed.skipped, ...skipped], null);
    this.#bodies = places;
    this.#sources = await this.#target.known.current(
      'sources',
      [...places.values()].map(({ sourceId }) => sourceId),
    );
    const added = new Map(this.sources.filter(({ current }) => current === undefined).map((source) => [source.publicBodyId, source]));
    for (const change of changes) {
      const source = added.get(change.id);
      // Precedes the body: a body without the record of a source belongs to another sender.
      if (source !== undefined) await writer.add([neverCheckedSource(source, this.place, this.#reader.platform)]);
      await writer.add([change]);
    }
  }

  async #bodiesOfPlace() {
    const { known } = this.#target;
    return known.current('public_bodies', await known.referring('public_bodies', 'jurisdictionId', [this.place.jurisdictionId]));
  }

  #lastSuccess(event: EventRow): number | null {
    const sourceId = this.#bodies.get(event.EventBodyId)?.sourceId ?? '';
    const at = this.#sources.get(sourceId)?.lastSuccessfulCheckAt ?? null;
    return at === null ? null : Date.parse(at);
  }

  #isInWindow({ startsAt }: RecordData<'meetings'>): boolean {
    return this.#since === null || dateOfDay(localDay(Date.parse(startsAt), this.place.timezone)) >= this.#since;
  }

  /** Marks unlisted events for removal once the source confirms that they are gone. Returns the others: moved, or missing in the list. */
  async #removeVanished(seen: ReadonlySet<string>): Promise<EventRow[]> {
    const { client } = this.#request;
    const returned: EventRow[] = [];
    const missing = [...this.#published].filter(([eventId, meeting]) => !seen.has(eventId) && this.#isInWindow(meeting));
    await concurrently(missing, async ([eventId, { sourceId }]) => {
      let row: unknown;
      try {
        row = await this.#reader.event(Number(eventId));
      } catch (error) {
        return this.#failEvent(eventId, sourceId, error);
      }
      if (row !== null) {
        const parsed = parseRows(eventRow, 'EventId', 'event', [row]);
        this.#skip(parsed.skipped, sourceId);
        returned.push(...parsed.rows.filter((event) => String(event.EventId) === eventId));
        return;
      }
      const own: readonly OwnRecord[] = await ownRecordsOfEvent(this.#target.known, client, eventId);
      this.#remove([...own, { resource: 'meetings', id: meetingId(client, eventId) }], `the source no longer has event ${eventId}`);
    });
    return returned;
  }

  #remove(records: readonly OwnRecord[], reason: string): void {
    for (const record of records) this.#removals.set(record.id, { op: 'remove', ...record, reason });
  }

  async #readEvent(event: EventRow, writer: BatchedWriter): Promise<void> {
    const { client } = this.#request;
    const eventId = String(event.EventId);
    const body = this.#bodies.get(event.EventBodyId);
    if (body === undefined) {
      this.#skip([{ what: 'event', id: eventId, reason: `its body ${event.EventBodyId} is not in the list of bodies` }], null);
      return;
    }
    const published = this.#published.get(eventId);
    let own: readonly OwnRecord[] = [];
    let source: readonly unknown[];
    let details: EventDetails | undefined;
    try {
      source = await this.#reader.eventItems(event.EventId);
      details = await this.#reader.details?.(event.EventId);
      if (published !== undefined) own = await ownRecordsOfEvent(this.#target.known, client, eventId);
      if (source.length === 0 && own.some(({ resource }) => resource === 'agenda_items'))
        source = await this.#reader.eventItems(event.EventId);
    } catch (error) {
      return this.#failEvent(eventId, body.sourceId, error);
    }
    this.read.items += source.length;
    const parsed = parseRows(eventItemRow, 'EventItemId', 'item', source);
    this.#skip(parsed.skipped, body.sourceId);
    const row = { ...event, ...details };
    const place = { client, timezone: this.place.timezone, body, known: published ?? null };
    const mapped = mapEvent(row, parsed.rows, place);
    if (mapped.kind === 'skipped') return this.#skip([mapped.skipped], body.sourceId);
    this.#skip(mapped.skipped, body.sourceId);
    if (mapped.startTime?.status === 'not_stated') {
      const reason = `states no time that can be read (${JSON.stringify(mapped.startTime.sourceText)})`;
      this.degraded.push({ what: 'event', id: eventId, reason });
      this.#leftBy(body.sourceId).degraded += 1;
    }
    const url = publicUrl(row.EventInSiteURL);
    if (url !== null) this.siteUrl ??= `${new URL(url).origin}/`;
    for (const change of mapped.changes) this.#upserted.add(change.id);
    await writer.add(mapped.changes);

    const kept = new Set([...parsed.undecodable].map((id) => agendaItemId(client, id)));
    const partial = parsed.unidentified || parsed.undecodable.size > 0;
    const isGone = ({ resource, id }: OwnRecord): boolean => {
      if (resource === 'agenda_items') return !parsed.unidentified && !kept.has(id);
      return !partial && !(resource === 'documents' && mapped.documentsUncertain);
    };
    this.#remove(own.filter(isGone), `event ${eventId} of the source no longer has it`);
  }

  #failEvent(eventId: string, sourceId: string | null, error: unknown): void {
    if (!(error instanceof SourceUnavailable)) throw error;
    this.failedEvents += 1;
    if (sourceId !== null) this.failedSources.add(sourceId);
    this.#skip([{ what: 'event', id: eventId, reason: `could not be read: ${error.message}` }], sourceId);
  }
}
