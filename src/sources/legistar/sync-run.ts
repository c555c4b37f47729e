import { dateOfDay, localDay } from '../../../domain/local-day.ts';
import type { RecordChange } from '../../../commands/records/record-writer.ts';
import { SourceUnavailable, type LegistarReader } from '../../../domain/ports/source-ports.ts';
import type { RecordData } from '../../../domain/records/resources.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { PublishedRecords } from '../../../domain/ports/published-records.ts';
import type { BatchedWriter } from '../batched-writer.ts';
import type { ClientPlace } from './clients.ts';
import { agendaItemId, meetingId } from './legistar-ids.ts';
import { type BodyPlace, mapBodies } from './map-bodies.ts';
import { mapEvent } from './map-event.ts';
import { type OwnRecord, ownMeetings, ownRecordsOfEvent } from './own-records.ts';
import { eventsToRead } from './poll-window.ts';
import { publicUrl } from './public-url.ts';
import { bodyRow, eventItemRow, type EventRow, eventRow, parseRows, type Skipped } from './rows.ts';
import { sourceCheckChange } from './source-checks.ts';

/** Does the work for each input, at most `width` at a time; the first error stops the rest from starting and is thrown. */
async function concurrently<Input>(width: number, inputs: Iterable<Input>, work: (input: Input) => Promise<void>): Promise<void> {
  const iterator = inputs[Symbol.iterator]();
  let failed = false;
  const run = async (): Promise<void> => {
    while (!failed) {
      const next = iterator.next();
      if (next.done === true) return;
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: width }, run));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

const READERS = 4;

interface RunOptions {
  readonly client: string;
  readonly reader: LegistarReader;
  readonly known: PublishedRecords;
  readonly clock: Clock;
  readonly progress?: ((done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One pass over a client. Removes are written last, except those of records that the same pass published: an item that moved to another
 * event is an upsert. A read that failed or was partial removes nothing.
 */
export class SyncRun {
  read = { bodies: 0, events: 0, items: 0 };
  failedEvents = 0;
  readonly skipped: Skipped[] = [];
  #places: ReadonlyMap<number, BodyPlace> = new Map();
  #sources: ReadonlyMap<string, RecordData<'sources'>> = new Map();
  #published: ReadonlyMap<string, RecordData<'meetings'>> = new Map();
  #siteUrl: string | null = null;
  readonly #failedSources = new Set<string>();
  readonly #upserted = new Set<string>();
  readonly #removals = new Map<string, { readonly record: OwnRecord; readonly reason: string }>();
  readonly #options: RunOptions;
  readonly #place: ClientPlace;
  readonly #since: string | null;
  readonly #writer: BatchedWriter;

  constructor(options: RunOptions, place: ClientPlace, since: string | null, writer: BatchedWriter) {
    this.#options = options;
    this.#place = place;
    this.#since = since;
    this.#writer = writer;
  }

  /** Throws `SourceUnavailable` or `UnknownSourceClient` when the bodies or the list of events cannot be read. */
  async readAndWrite(): Promise<void> {
    const { client, reader, known, clock } = this.#options;
    await this.#readBodies();
    const sourceIds = [...this.#places.values()].map((place) => place.sourceId);
    this.#sources = await known.current('sources', sourceIds);
    this.#published = await ownMeetings(known, client, sourceIds);

    const listed = parseRows(eventRow, 'EventId', 'event', await reader.events(this.#since));
    this.read = { ...this.read, events: listed.rows.length + listed.skipped.length };
    this.skipped.push(...listed.skipped);
    if (this.read.events === 0 && this.#since === null && this.#published.size > 0) {
      throw new SourceUnavailable('the list of events came back empty although events of it are published; nothing was removed');
    }
    const seen = new Set([...listed.rows.map((row) => row.EventId), ...listed.undecodable].map(String));
    const returned = listed.unidentified ? [] : await this.#removeVanished(seen);

    const events = [
      ...eventsToRead(listed.rows, {
        now: clock.now(),
        named: this.#since !== null,
        lastSuccess: (event) => this.#lastSuccess(event),
        isPublished: (event) => this.#published.has(String(event.EventId)),
      }),
      ...returned,
    ];
    let done = 0;
    await concurrently(READERS, events, async (event) => {
      this.#options.signal?.throwIfAborted();
      await this.#readEvent(event);
      done += 1;
      this.#options.progress?.(done, events.length);
    });
    await this.#writer.add(
      [...this.#removals.values()]
        .filter(({ record }) => !this.#upserted.has(record.id))
        .map(({ record, reason }): RecordChange => ({ op: 'remove', resource: record.resource, id: record.id, reason })),
    );
  }

  /** Adds the check of each of the client's sources: failing where any of its events could not be read. */
  async recordChecks(writer: BatchedWriter): Promise<void> {
    const at = new Date(this.#options.clock.now()).toISOString();
    for (const { sourceId, publicBodyId } of this.#places.values()) {
      await writer.add([
        sourceCheckChange({
          sourceId,
          publicBodyId,
          jurisdictionId: this.#place.jurisdictionId,
          current: this.#sources.get(sourceId),
          siteUrl: this.#siteUrl,
          succeeded: !this.#failedSources.has(sourceId),
          at,
        }),
      ]);
    }
  }

  async #readBodies(): Promise<void> {
    const parsed = parseRows(bodyRow, 'BodyId', 'body', await this.#options.reader.bodies());
    const mapped = mapBodies(this.#options.client, this.#place, parsed.rows);
    if (mapped.places.size === 0) throw new SourceUnavailable('the list of bodies came back without a body');
    this.read = { ...this.read, bodies: parsed.rows.length + parsed.skipped.length };
    this.skipped.push(...parsed.skipped, ...mapped.skipped);
    this.#places = mapped.places;
    await this.#writer.add(mapped.changes);
  }

  #lastSuccess(event: EventRow): number | null {
    const sourceId = this.#places.get(event.EventBodyId)?.sourceId ?? '';
    const at = this.#sources.get(sourceId)?.lastSuccessfulCheckAt ?? null;
    return at === null ? null : Date.parse(at);
  }

  /** Event ids of published meetings that the list of events should name. */
  #inWindow(): string[] {
    return [...this.#published]
      .filter(
        ([, meeting]) => this.#since === null || dateOfDay(localDay(Date.parse(meeting.startsAt), this.#place.timezone)) >= this.#since,
      )
      .map(([eventId]) => eventId);
  }

  /**
   * Marks the events that the list no longer has for removal, once the source confirms for each that it is gone. Returns those that it still
   * has: they moved out of the window, or the list left them out.
   */
  async #removeVanished(seen: ReadonlySet<string>): Promise<EventRow[]> {
    const { client, known, reader } = this.#options;
    const returned: EventRow[] = [];
    await concurrently(
      READERS,
      this.#inWindow().filter((eventId) => !seen.has(eventId)),
      async (eventId) => {
        let row: unknown;
        try {
          row = await reader.event(Number(eventId));
        } catch (error) {
          this.#failEvent(eventId, this.#published.get(eventId)?.sourceId ?? null, error);
          return;
        }
        if (row !== null) {
          const parsed = parseRows(eventRow, 'EventId', 'event', [row]);
          this.skipped.push(...parsed.skipped);
          returned.push(...parsed.rows.filter((event) => String(event.EventId) === eventId));
          return;
        }
        const reason = `the source no longer has event ${eventId}`;
        for (const record of await ownRecordsOfEvent(known, client, eventId)) this.#removals.set(record.id, { record, reason });
        const id = meetingId(client, eventId);
        this.#removals.set(id, { record: { resource: 'meetings', id }, reason });
      },
    );
    return returned;
  }

  async #readEvent(event: EventRow): Promise<void> {
    const { client, reader, known } = this.#options;
    const eventId = String(event.EventId);
    const body = this.#places.get(event.EventBodyId);
    if (body === undefined) {
      this.skipped.push({ what: 'event', id: eventId, reason: `its body ${event.EventBodyId} is not in the list of bodies` });
      return;
    }
    const published = this.#published.get(eventId) ?? null;
    let own: readonly OwnRecord[] = [];
    let source: readonly unknown[];
    try {
      source = await reader.eventItems(event.EventId);
      own = published === null ? [] : await ownRecordsOfEvent(known, client, eventId);
      if (source.length === 0 && own.some((record) => record.resource === 'agenda_items')) source = await reader.eventItems(event.EventId);
    } catch (error) {
      this.#failEvent(eventId, body.sourceId, error);
      return;
    }
    this.read = { ...this.read, items: this.read.items + source.length };
    const parsed = parseRows(eventItemRow, 'EventItemId', 'item', source);
    this.skipped.push(...parsed.skipped);
    const mapped = mapEvent(event, parsed.rows, { client, timezone: this.#place.timezone, body, knownStart: published?.startsAt ?? null });
    if (mapped.kind === 'skipped') {
      this.skipped.push(mapped.skipped);
      return;
    }
    this.skipped.push(...mapped.skipped);
    this.#siteUrl ??= this.#siteOf(event);
    for (const change of mapped.changes) this.#upserted.add(change.id);
    await this.#writer.add(mapped.changes);

    const kept = new Set([...parsed.undecodable].map((id) => agendaItemId(client, id)));
    const partial = parsed.unidentified || parsed.undecodable.size > 0;
    for (const record of own) {
      if (record.resource === 'agenda_items' && (parsed.unidentified || kept.has(record.id))) continue;
      if (record.resource === 'documents' && (partial || mapped.documentsUncertain)) continue;
      if (record.resource === 'agendas' && partial) continue;
      this.#removals.set(record.id, { record, reason: `event ${eventId} of the source no longer has it` });
    }
  }

  #siteOf(event: EventRow): string | null {
    const url = publicUrl(event.EventInSiteURL);
    return url === null ? null : `${new URL(url).origin}/`;
  }

  #failEvent(eventId: string, sourceId: string | null, error: unknown): void {
    if (!(error instanceof SourceUnavailable)) throw error;
    this.failedEvents += 1;
    if (sourceId !== null) this.#failedSources.add(sourceId);
    this.skipped.push({ what: 'event', id: eventId, reason: `could not be read: ${error.message}` });
  }
}
