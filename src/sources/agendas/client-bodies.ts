import type { RecordChange } from '../../../commands/records/write-records.ts';
import type { AgendaReader } from '../../../domain/ports/source-ports.ts';
import { dateOfDay, localDay } from '../../../domain/local-day.ts';
import type { RecordData } from '../../../domain/records/resources.ts';
import type { BatchedWriter } from '../batched-writer.ts';
import type { OwnRecord, SyncTarget } from '../source.ts';
import { adoptedIds, type BodyPlace, bodyWith, type ClientPlace, mapBodies, unlistedBodies } from './bodies.ts';
import { type CheckedSource, sourcesOfPlace, type UnreadSource } from './client-records.ts';
import { derivedBodyId, derivedSourceId, ownMeetings } from './own-records.ts';
import type { BodyRow, EventRow, ParsedRows, Skipped } from './rows.ts';
import { SECONDARY_LABELS } from './secondary-labels.ts';
import { SharedBodies } from './shared-bodies.ts';
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
  /** All sources of the place. */
  readonly sources: ReadonlyMap<string, RecordData<'sources'>>;
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
  /** Published bodies of the place before the run. */
  #bodies: PublishedBodies = new Map();
  #shared: SharedBodies;

  constructor(parts: ClientBodiesParts) {
    this.#parts = parts;
    this.#shared = this.#sharedOf(new Map(), new Map());
  }

  #sharedOf(bodies: PublishedBodies, sources: Published['sources']): SharedBodies {
    const { client, place, target } = this.#parts;
    const { jurisdictionSlug } = place;
    return new SharedBodies({ client, jurisdictionSlug, bodies, sources, now: target.clock.now() });
  }

  /** The client's published meetings, by the source's event id. */
  get meetings(): ReadonlyMap<string, RecordData<'meetings'>> {
    return this.#meetings;
  }

  place(bodyId: number): BodyPlace | undefined {
    return this.#mapped.places.get(bodyId);
  }

  /** The client's bodies that other sources name too. */
  shared(): readonly BodyPlace[] {
    return [...this.#mapped.places.values()].filter(({ publicBodyId }) => this.#shared.isNamedByOthers(publicBodyId));
  }

  /** Ids of the client's sources that were published before the run. */
  sourceIds(): readonly string[] {
    return [...this.#sources.values()].filter((source) => this.#isOwn(source)).map(({ id }) => id);
  }

  /**
   * Sources of other clients that publish agendas of the same bodies, now or before the run, with the older ones marked:
   * the meetings of the oldest source are the published ones.
   */
  otherAgendas(): readonly { readonly sourceId: string; readonly isOlder: boolean }[] {
    const before = [...this.#sources.values()].filter((source) => this.#isOwn(source));
    const own = new Map<string, RecordData<'sources'> | undefined>(before.map((each) => [each.publicBodyId!, each]));
    for (const { publicBodyId, sourceId } of this.#mapped.places.values())
      own.set(publicBodyId, this.#sources.get(sourceId));
    const ageOf = ({ createdAt, id }: RecordData<'sources'>): string => `${createdAt} ${id}`;
    return [...this.#sources.values()].flatMap((source) => {
      const { id, publicBodyId, sourceTypeLabel, lastCheckedAt } = source;
      const isOther = publicBodyId !== null && own.has(publicBodyId) && own.get(publicBodyId)?.id !== id;
      if (!isOther || this.#isOwn(source) || lastCheckedAt === null || SECONDARY_LABELS.has(sourceTypeLabel)) return [];
      const mine = own.get(publicBodyId);
      return [{ sourceId: id, isOlder: mine === undefined || ageOf(source) < ageOf(mine) }];
    });
  }

  /** Name of a published body; empty without one. */
  nameOf(publicBodyId: string): string {
    return this.#bodies.get(publicBodyId)?.name ?? '';
  }

  /** Label of the platform of any source of the place; undefined for an unknown source. */
  labelOf(sourceId: string | null): string | undefined {
    return this.#sources.get(sourceId ?? '')?.sourceTypeLabel;
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
    const listed = [...places].filter(([bodyId]) => !unread.has(bodyId)).map(([, body]) => body);
    return [...listed, ...this.#silent].map((body) => this.#checked(body));
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
      return [{ resource: 'sources', id: sourceId }, ...this.#bodyRecord(publicBodyId)];
    });
  }

  /**
   * Bodies of this client that moved to the body of another client, and sources of bodies that are gone, unless a meeting
   * still refers to them.
   */
  outdatedRecords(isRewritten: (eventId: string) => boolean): readonly OwnRecord[] {
    const { client } = this.#parts;
    const { places } = this.#mapped;
    const ids = new Set([...places.values()].map(({ publicBodyId }) => publicBodyId));
    const isUnused = ({ sourceId, publicBodyId }: SourceOfBody): boolean =>
      !ids.has(publicBodyId) &&
      [...this.#meetings].every(([id, meeting]) => meeting.sourceId !== sourceId || isRewritten(id));
    const moved = [...places]
      .filter(([bodyId, body]) => body.publicBodyId !== derivedBodyId(client, bodyId))
      .map(([bodyId]) => this.#sourceOf(derivedBodyId(client, bodyId)))
      .filter(({ publicBodyId }) => this.#bodies.has(publicBodyId) && !this.#shared.isNamedByOthers(publicBodyId));
    const stray = [...this.#sources.values()]
      .filter((source) => this.#isOwn(source) && !this.#bodies.has(source.publicBodyId!))
      .map(({ publicBodyId }) => this.#sourceOf(publicBodyId!));
    return [
      ...moved.filter(isUnused).flatMap(({ sourceId, publicBodyId }): OwnRecord[] => [
        { resource: 'sources', id: sourceId },
        { resource: 'public_bodies', id: publicBodyId },
      ]),
      ...stray.filter(isUnused).map(({ sourceId }): OwnRecord => ({ resource: 'sources', id: sourceId })),
    ];
  }

  /** A body that other sources name stays. */
  #bodyRecord(id: string): readonly OwnRecord[] {
    return this.#shared.isNamedByOthers(id) ? [] : [{ resource: 'public_bodies', id }];
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
    const sources = await sourcesOfPlace(target.known, place.jurisdictionId);
    const all = [...place.adopted, ...[...bodies.keys()].map((id) => this.#sourceOf(id))];
    const ofGone = [...sources.values()].filter(
      (source) => !bodies.has(source.publicBodyId ?? '') && this.#isOwn(source),
    );
    const sourceIds = [...all.map(({ sourceId }) => sourceId), ...ofGone.map(({ id }) => id)];
    this.#meetings = await ownMeetings(target.known, client, sourceIds);
    this.#shared = this.#sharedOf(bodies, sources);
    this.#bodies = bodies;
    return { bodies, sourceIds, sources };
  }

  /** Maps the rows and loads the sources of all bodies. */
  async #map(
    rows: readonly BodyRow[],
    listedIds: ReadonlySet<number>,
    events: readonly EventRow[],
    { bodies, sourceIds, sources }: Published,
  ): Promise<ReturnType<typeof mapBodies>> {
    const { client, place, target } = this.#parts;
    const today = dateOfDay(localDay(target.clock.now(), place.timezone));
    const mapped = mapBodies(client, place, rows, bodies, {
      shared: this.#shared,
      ofMeetings: this.#bodiesOfMeetings(events),
      unlisted: unlistedBodies(events, listedIds, today),
      adoptedIds: adoptedIds(events, this.#meetings, place),
      slugs: (await target.known.bodySlugs?.(place.jurisdictionId)) ?? new Map(),
    });
    this.#mapped = mapped;
    const mappedIds = [...mapped.places.values()].map(({ sourceId }) => sourceId);
    const unknown = [...sourceIds, ...mappedIds].filter((id) => !sources.has(id));
    this.#sources = new Map([...sources, ...(await target.known.current('sources', [...new Set(unknown)]))]);
    return mapped;
  }

  /** Bodies of published meetings, by the id of the body at the source. */
  #bodiesOfMeetings(events: readonly EventRow[]): ReadonlyMap<number, ReadonlySet<string>> {
    const bodies = new Map<number, Set<string>>();
    for (const { EventId, EventBodyId } of events) {
      const publicBodyId = this.#meetings.get(String(EventId))?.publicBodyId;
      if (publicBodyId === undefined) continue;
      bodies.set(EventBodyId, (bodies.get(EventBodyId) ?? new Set()).add(publicBodyId));
    }
    return bodies;
  }

  async #writeChanges(writer: BatchedWriter, changes: readonly RecordChange[]): Promise<void> {
    const { place, platform } = this.#parts;
    const withoutSource = [...this.#mapped.places.values()].filter(({ sourceId }) => !this.#sources.has(sourceId));
    const added = new Map(withoutSource.map((body) => [body.publicBodyId, body]));
    const changed = new Set(changes.map(({ id }) => id));
    for (const body of withoutSource) {
      const isShared = body.sourceId === this.#sourceOf(body.publicBodyId).sourceId && !changed.has(body.publicBodyId);
      if (isShared) await writer.add([neverCheckedSource(this.#checked(body), place, platform)]);
    }
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
    for (const { publicBodyId } of places.values()) present.add(publicBodyId);
    const missing = [...published].filter(([id]) => !present.has(id) && this.#sources.has(this.#sourceOf(id).sourceId));
    const sources = missing.map(([id]) => this.#sourceOf(id));
    if (platform.listsNoBodies) {
      this.#silent = sources;
      return;
    }
    this.#gone = sources;
    for (const [publicBodyId, body] of missing)
      if (!this.#shared.isStatedByOthers(publicBodyId)) await writer.add([bodyWith(body, { active: false })]);
  }

  #isOwn({ id, publicBodyId }: RecordData<'sources'>): boolean {
    return publicBodyId !== null && id === this.#sourceOf(publicBodyId).sourceId;
  }

  #sourceOf(publicBodyId: string): SourceOfBody {
    return { sourceId: derivedSourceId(this.#parts.client, publicBodyId), publicBodyId };
  }

  #checked({ sourceId, publicBodyId }: SourceOfBody): CheckedSource {
    return { sourceId, publicBodyId, current: this.#sources.get(sourceId) };
  }
}
