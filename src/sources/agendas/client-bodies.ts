import type { RecordChange } from '../../../commands/records/write-records.ts';
import type { AgendaReader } from '../../../domain/ports/source-ports.ts';
import { dateOfDay, localDay } from '../../../domain/local-day.ts';
import type { RecordData } from '../../../domain/records/resources.ts';
import type { BatchedWriter } from '../batched-writer.ts';
import { type OwnRecord, type SyncTarget, upsert } from '../source.ts';
import { adoptedIds, type BodyPlace, type ClientPlace, mapBodies, unlistedBodies } from './bodies.ts';
import type { CheckedSource, UnreadSource } from './client-records.ts';
import { derivedBodyId, derivedSourceId, ownMeetings } from './own-records.ts';
import type { BodyRow, EventRow, ParsedRows, Skipped } from './rows.ts';
import { neverCheckedSource } from './source-records.ts';

interface ClientBodiesParts {
  readonly client: string;
  readonly place: ClientPlace;
  readonly target: SyncTarget;
  readonly platform: AgendaReader['platform'];
}

type SourceOfBody = Pick<CheckedSource, 'sourceId' | 'publicBodyId'>;
type PublishedBodies = ReadonlyMap<string, RecordData<'public_bodies'>>;

/** The records of a place before the run. */
interface Published {
  readonly bodies: PublishedBodies;
  /** Sources of adopted bodies and of published ones. */
  readonly sourceIds: readonly string[];
}

/** The bodies of a client in one run: those that it lists, those that only its events name, and those that it no longer has. */
export class ClientBodies {
  readonly #parts: ClientBodiesParts;
  #mapped: Pick<ReturnType<typeof mapBodies>, 'places' | 'hidden' | 'unread'> = {
    places: new Map(),
    hidden: new Map(),
    unread: new Set(),
  };
  #meetings: ReadonlyMap<string, RecordData<'meetings'>> = new Map();
  /** Published bodies that the source no longer has. */
  #gone: readonly SourceOfBody[] = [];
  /** Published bodies without events at a source that has no list of bodies. */
  #silent: readonly SourceOfBody[] = [];
  #sources: ReadonlyMap<string, RecordData<'sources'>> = new Map();

  constructor(parts: ClientBodiesParts) {
    this.#parts = parts;
  }

  /** The client's published meetings, by the source's event id. */
  get meetings(): ReadonlyMap<string, RecordData<'meetings'>> {
    return this.#meetings;
  }

  place(bodyId: number): BodyPlace | undefined {
    return this.#mapped.places.get(bodyId);
  }

  /** Reason why a body is not public; undefined if it is. */
  whyHidden(bodyId: number): string | undefined {
    return this.#mapped.hidden.get(bodyId);
  }

  /** Time of the last successful check before the run, in milliseconds; null without one. */
  lastSuccess(bodyId: number): number | null {
    const at = this.#sourceBefore(bodyId)?.lastSuccessfulCheckAt ?? null;
    return at === null ? null : Date.parse(at);
  }

  /** Version of the rules that the source was last read by as a whole. */
  readingVersion(bodyId: number): number | undefined {
    return this.#sourceBefore(bodyId)?.readingVersion;
  }

  #sourceBefore(bodyId: number): RecordData<'sources'> | undefined {
    return this.#sources.get(this.place(bodyId)?.sourceId ?? '');
  }

  /** The sources that the run checks. */
  get sources(): readonly CheckedSource[] {
    const { places, unread } = this.#mapped;
    const read = [...places].filter(([bodyId]) => !unread.has(bodyId)).map(([, body]) => body);
    return [...read, ...this.#silent].map((body) => this.#checked(body));
  }

  /** The client's other sources: of bodies that only past events name, or that the source no longer has. */
  unread(hasFailed: (sourceId: string) => boolean): readonly UnreadSource[] {
    const { target, place } = this.#parts;
    const { places, unread } = this.#mapped;
    const at = new Date(target.clock.now()).toISOString();
    const past = [...unread].map((bodyId) => this.#checked(places.get(bodyId)!));
    const sourceIds = new Set([...places.values()].map(({ sourceId }) => sourceId));
    const missing = place.adopted.filter(({ sourceId }) => !sourceIds.has(sourceId));
    return [
      ...past.map((source) => ({ ...source, readAt: hasFailed(source.sourceId) ? null : at })),
      ...[...missing, ...this.#gone].map((body) => ({ ...this.#checked(body), readAt: null })),
    ];
  }

  /** Published records of bodies that are not public. */
  hiddenRecords(): readonly OwnRecord[] {
    return [...this.#mapped.hidden.keys()].flatMap((bodyId): OwnRecord[] => {
      const { sourceId, publicBodyId } = this.#sourceOf(derivedBodyId(this.#parts.client, bodyId));
      if (!this.#sources.has(sourceId)) return [];
      return [
        { resource: 'sources', id: sourceId },
        { resource: 'public_bodies', id: publicBodyId },
      ];
    });
  }

  /** Publishes the bodies and returns the skipped ones. `events` is null if none could be listed: then no body is retired. */
  async write(
    writer: BatchedWriter,
    listed: ParsedRows<BodyRow>,
    events: readonly EventRow[] | null,
  ): Promise<readonly Skipped[]> {
    const published = await this.#readPublished();
    const listedIds = new Set([...listed.rows.map(({ BodyId }) => BodyId), ...listed.undecodable]);
    const { changes, skipped } = await this.#map(listed.rows, listedIds, events ?? [], published);
    await this.#writeChanges(writer, changes);
    if (events !== null && !listed.unidentified) await this.#retireMissing(writer, published.bodies, listedIds);
    return skipped;
  }

  async #readPublished(): Promise<Published> {
    const { client, place, target } = this.#parts;
    const ids = await target.known.referring('public_bodies', 'jurisdictionId', [place.jurisdictionId]);
    const bodies = await target.known.current('public_bodies', ids);
    const all = [...place.adopted, ...[...bodies.keys()].map((id) => this.#sourceOf(id))];
    const sourceIds = all.map(({ sourceId }) => sourceId);
    this.#meetings = await ownMeetings(target.known, client, sourceIds);
    return { bodies, sourceIds };
  }

  /** Maps the rows and loads the sources of all bodies. */
  async #map(
    rows: readonly BodyRow[],
    listedIds: ReadonlySet<number>,
    events: readonly EventRow[],
    { bodies, sourceIds }: Published,
  ): Promise<ReturnType<typeof mapBodies>> {
    const { client, place, target } = this.#parts;
    const today = dateOfDay(localDay(target.clock.now(), place.timezone));
    const mapped = mapBodies(client, place, rows, bodies, {
      unlisted: unlistedBodies(events, listedIds, today),
      adoptedIds: adoptedIds(events, this.#meetings, place),
      slugs: (await target.known.bodySlugs?.(place.jurisdictionId)) ?? new Map(),
    });
    this.#mapped = mapped;
    const mappedIds = [...mapped.places.values()].map(({ sourceId }) => sourceId);
    this.#sources = await target.known.current('sources', [...new Set([...sourceIds, ...mappedIds])]);
    return mapped;
  }

  async #writeChanges(writer: BatchedWriter, changes: readonly RecordChange[]): Promise<void> {
    const { place, platform } = this.#parts;
    const withoutSource = [...this.#mapped.places.values()].filter(({ sourceId }) => !this.#sources.has(sourceId));
    const added = new Map(withoutSource.map((body) => [body.publicBodyId, body]));
    for (const change of changes) {
      const body = added.get(change.id);
      // The source precedes its body: a body without the record of a source belongs to another sender.
      if (body !== undefined) await writer.add([neverCheckedSource(this.#checked(body), place, platform)]);
      await writer.add([change]);
    }
  }

  async #retireMissing(
    writer: BatchedWriter,
    published: PublishedBodies,
    listedIds: ReadonlySet<number>,
  ): Promise<void> {
    const { client, platform } = this.#parts;
    const { places, hidden } = this.#mapped;
    const present = new Set(
      [...listedIds, ...places.keys(), ...hidden.keys()].map((bodyId) => derivedBodyId(client, bodyId)),
    );
    const missing = [...published].filter(([id]) => !present.has(id) && this.#sources.has(this.#sourceOf(id).sourceId));
    const sources = missing.map(([id]) => this.#sourceOf(id));
    if (platform.listsNoBodies) {
      this.#silent = sources;
      return;
    }
    this.#gone = sources;
    for (const [publicBodyId, body] of missing) {
      const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...content } = body;
      await writer.add([upsert('public_bodies', publicBodyId, { ...content, active: false })]);
    }
  }

  #sourceOf(publicBodyId: string): SourceOfBody {
    return { sourceId: derivedSourceId(this.#parts.client, publicBodyId), publicBodyId };
  }

  #checked({ sourceId, publicBodyId }: SourceOfBody): CheckedSource {
    return { sourceId, publicBodyId, current: this.#sources.get(sourceId) };
  }
}
