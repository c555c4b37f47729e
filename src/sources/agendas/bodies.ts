import type { RecordChange } from '../../../commands/records/write-records.ts';
import type { RecordContent, RecordData } from '../../../domain/records/resources.ts';
import type { SourcePlace } from '../../../domain/events/source-events.ts';
import { catalogueBodyId, catalogueSourceId } from '../catalogue/catalogue-records.ts';
import { cataloguePlace, type Place, placeOfAdded, TRIED_PLACE } from '../place.ts';
import { derivedBodyId, derivedSourceId } from './own-records.ts';
import { standingOf } from './body-names.ts';
import type { BodyRow, EventRow, Skipped } from './rows.ts';
import type { SharedBodies } from './shared-bodies.ts';
import { localDate, oneLine, shortLine, type Text } from './values.ts';
import { SyncRefused, upsert } from '../source.ts';

export interface BodyPlace {
  /** The source's name for it. */
  readonly name: string;
  readonly publicBodyId: string;
  readonly sourceId: string;
}

export interface ClientPlace extends Place {
  /** The catalogue's bodies among the source's; the sync uses the catalogue's records. */
  readonly adopted: readonly BodyPlace[];
}

/** The shipped clients: their jurisdiction, and the catalogue's body for a body name. */
const CLIENTS: Readonly<
  Record<string, { readonly jurisdictionSlug: string; readonly bodies: Readonly<Record<string, string>> }>
> = {
  cityofdallas: { jurisdictionSlug: 'dallas', bodies: { 'City Council': 'city-council' } },
  fortworthgov: { jurisdictionSlug: 'fort-worth', bodies: { 'City Council': 'city-council' } },
  'civicweb:dallascounty': {
    jurisdictionSlug: 'dallas-county',
    bodies: { 'Commissioners Court': 'commissioners-court' },
  },
  'techshare:tarrant-fe6aa5cc-7448-4194-ac6e-08dc95f79ccc': { jurisdictionSlug: 'tarrant-county', bodies: {} },
  // The calendars of its boards and of its council.
  'opencities:788ffb59-05d1-457d-b9dd-423d4b95a06e': { jurisdictionSlug: 'fort-worth', bodies: {} },
  'opencities:8a8add9a-3fd0-4b39-9a3e-d58e98e27acc': { jurisdictionSlug: 'fort-worth', bodies: {} },
};

/** Throws `SyncRefused` for a text that cannot be the name of a client at its platform. */
export function requireClientName(client: string): string {
  if (/^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/.test(client)) return client;
  throw new SyncRefused(`client "${client}" is no client name: letters, digits, hyphens and dots between them only`);
}

/** Returns the place of a client's records. Throws `SyncRefused` for a client that is neither shipped nor added and has no place of the catalogue. */
export function placeOfClient(client: string, jurisdictionSlug: string | undefined, added?: SourcePlace): ClientPlace {
  requireClientName(client.replace(/^[a-z][a-z-]*:/, ''));
  const shipped = Object.hasOwn(CLIENTS, client) ? CLIENTS[client] : undefined;
  if (shipped !== undefined && added === TRIED_PLACE) return placeOfClient(client, undefined);
  const own = shipped?.jurisdictionSlug ?? added?.slug;
  const slug = jurisdictionSlug ?? added?.slug ?? own;
  if (slug === undefined) {
    throw new SyncRefused(
      `client "${client}" is neither shipped (${Object.keys(CLIENTS).join(', ')}) nor added: add it with civic sources add, ` +
        'or name its place with --jurisdiction SLUG',
    );
  }
  if (own !== undefined && slug !== own)
    throw new SyncRefused(`client "${client}" belongs to ${own}, not to ${slug}; leave --jurisdiction out`);
  const place = added?.slug === slug ? placeOfAdded(added) : cataloguePlace(slug);
  if (place === undefined) {
    throw new SyncRefused(
      `jurisdiction "${slug}" is not in the catalogue: a county's slug ends in -county, and another place is added with civic sources add`,
    );
  }
  const adopted = Object.entries(shipped?.bodies ?? {}).map(([name, bodySlug]) => ({
    name,
    publicBodyId: catalogueBodyId(slug, bodySlug),
    sourceId: catalogueSourceId(slug, bodySlug),
  }));
  return { ...place, adopted };
}

type Kind = Pick<RecordContent<'public_bodies'>, 'bodyType' | 'actingBodyRole'>;
const COUNCIL: Kind = { bodyType: 'governing_body', actingBodyRole: 'final_decision_maker' };
const COMMITTEE: Kind = { bodyType: 'committee', actingBodyRole: 'recommending' };
const ADVISORY: Kind = { bodyType: 'advisory_board', actingBodyRole: 'recommending' };

/** Kinds by the source's own type names; every other name is `other`. A planning commission decides some cases and recommends on others. */
const KINDS: Readonly<Record<string, Kind>> = {
  'primary legislative body': COUNCIL,
  'planning commission': { bodyType: 'planning_commission', actingBodyRole: 'unknown' },
  'board of adjustment': { bodyType: 'board_of_adjustment', actingBodyRole: 'final_decision_maker' },
  'advisory board': ADVISORY,
  'advisory committee': ADVISORY,
  authority: { bodyType: 'authority', actingBodyRole: 'unknown' },
  committee: COMMITTEE,
  'standing committee': COMMITTEE,
  'council committee': COMMITTEE,
  'special committee': COMMITTEE,
  'select committee': COMMITTEE,
  subcommittee: COMMITTEE,
};
const OTHER: Kind = { bodyType: 'other', actingBodyRole: 'unknown' };

function kindOf(typeName: Text): Kind {
  const name = oneLine(typeName)?.toLowerCase() ?? '';
  return Object.hasOwn(KINDS, name) ? KINDS[name]! : OTHER;
}

/** Slugs for a name, the preferred one first. */
function* slugsFor(name: string, bodyId: number): Generator<string> {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
    .replace(/(?<!-)-+$/, '');
  if (plain !== '') yield plain;
  for (let n = 1; ; n += 1) {
    const suffix = n === 1 ? `-${bodyId}` : `-${bodyId}-${n}`;
    yield `${plain === '' ? 'body' : plain.slice(0, 64 - suffix.length)}${suffix}`;
  }
}

type PublishedBodies = ReadonlyMap<string, RecordData<'public_bodies'>>;

/** A body that has events and is not in the list of bodies: some clients leave out those that no longer meet. */
export interface UnlistedBody {
  readonly bodyId: number;
  readonly name: string | null;
  readonly hasUpcoming: boolean;
}

/** `today` is the local date `YYYY-MM-DD`. */
export function unlistedBodies(
  events: readonly EventRow[],
  listed: ReadonlySet<number>,
  today: string,
): readonly UnlistedBody[] {
  const byBody = Map.groupBy(
    events.filter(({ EventBodyId }) => !listed.has(EventBodyId)),
    ({ EventBodyId }) => EventBodyId,
  );
  return [...byBody].map(([bodyId, ofBody]) => {
    const newestFirst = ofBody.toSorted((left, right) => (left.EventDate < right.EventDate ? 1 : -1));
    const names = newestFirst.flatMap(({ EventBodyName }) => shortLine(EventBodyName) ?? []);
    return {
      bodyId,
      name: names[0] ?? null,
      hasUpcoming: ofBody.some(({ EventDate }) => (localDate(EventDate) ?? '') >= today),
    };
  });
}

/**
 * Ids of catalogue bodies at the source, by the id of their source: a renamed body is known by its published meetings.
 * `published` holds the client's meetings by the id of their event.
 */
export function adoptedIds(
  events: readonly EventRow[],
  published: ReadonlyMap<string, RecordData<'meetings'>>,
  { adopted }: ClientPlace,
) {
  const ids = new Map<string, number>();
  for (const { EventId, EventBodyId } of events) {
    const sourceId = published.get(String(EventId))?.sourceId;
    if (adopted.some((body) => body.sourceId === sourceId)) ids.set(sourceId!, EventBodyId);
  }
  return ids;
}

interface MoreOfBodies {
  readonly unlisted?: readonly UnlistedBody[];
  /** Ids of bodies at the source, by the id of their source record. */
  readonly adoptedIds?: ReadonlyMap<string, number>;
  /** Every slug that bodies of the place have had, by the id of the body. */
  readonly slugs?: ReadonlyMap<string, readonly string[]>;
  readonly shared?: SharedBodies;
  /** Bodies of the client's published meetings, by the id at the source. */
  readonly ofMeetings?: ReadonlyMap<number, ReadonlySet<string>>;
}

/** Slugs of the bodies of a place. A published body keeps its slug, and no body gets a slug that another one has or had. */
class Slugs {
  readonly #place: ClientPlace;
  readonly #published: PublishedBodies;
  readonly #owners = new Map<string, Set<string>>();
  /** Lowest id of the published bodies with a slug, by slug. */
  readonly #lowest = new Map<string, string>();

  constructor(place: ClientPlace, published: PublishedBodies, history: ReadonlyMap<string, readonly string[]>) {
    this.#place = place;
    this.#published = published;
    for (const [id, { slug }] of published) {
      for (const each of [slug, ...(history.get(id) ?? [])]) this.#addOwner(each, id);
      const lowest = this.#lowest.get(slug);
      if (lowest === undefined || id < lowest) this.#lowest.set(slug, id);
    }
  }

  slugOf(publicBodyId: string, name: string, bodyId: number): string {
    const current = this.#published.get(publicBodyId)?.slug;
    if (current !== undefined && this.#isOwner(publicBodyId, current)) return current;
    for (const slug of slugsFor(name, bodyId)) {
      const owners = this.#owners.get(slug) ?? new Set();
      if (this.#place.takenSlugs.includes(slug) || [...owners].some((owner) => owner !== publicBodyId)) continue;
      this.#addOwner(slug, publicBodyId);
      return slug;
    }
    throw new Error('unreachable: there is always another slug');
  }

  /** If two bodies have the same slug, the record with the lower id keeps it. */
  #isOwner(publicBodyId: string, slug: string): boolean {
    return this.#lowest.get(slug) === publicBodyId && !this.#place.takenSlugs.includes(slug);
  }

  #addOwner(slug: string, publicBodyId: string): void {
    this.#owners.set(slug, (this.#owners.get(slug) ?? new Set()).add(publicBodyId));
  }
}

/** A body of the source, whether it is listed or known by its events. */
interface SourceBody {
  readonly bodyId: number;
  readonly name: string | null;
  readonly kind: Kind | null;
  readonly isListed: boolean;
  readonly isActive: boolean;
}

const bodyOfRow = ({ BodyId, BodyName, BodyTypeName, BodyActiveFlag }: BodyRow): SourceBody => ({
  bodyId: BodyId,
  name: shortLine(BodyName),
  kind: kindOf(BodyTypeName),
  isListed: true,
  isActive: BodyActiveFlag !== 0,
});
const bodyOfEvents = ({ bodyId, name, hasUpcoming }: UnlistedBody): SourceBody => ({
  bodyId,
  name,
  kind: null,
  isListed: false,
  isActive: hasUpcoming,
});

/** Finds the catalogue's bodies among those of the source: by name, else by their published meetings. */
function adoptionOf(bodies: readonly SourceBody[], { adopted }: ClientPlace, ids: ReadonlyMap<string, number>) {
  const adoptions = new Map<number, BodyPlace>();
  for (const body of adopted) {
    const sameName = bodies.find(({ name }) => name?.toLowerCase() === body.name.toLowerCase());
    const row = sameName ?? bodies.find(({ bodyId }) => bodyId === ids.get(body.sourceId));
    if (row !== undefined) adoptions.set(row.bodyId, body);
  }
  return adoptions;
}

interface MappedBodies {
  /** Keyed by body id. */
  readonly places: Map<number, BodyPlace>;
  readonly changes: RecordChange[];
  readonly skipped: Skipped[];
  /** Reasons why bodies are not public, by body id. */
  readonly hidden: Map<number, string>;
  /** Ids of bodies that occur only in past events. */
  readonly unread: Set<number>;
}

/**
 * Maps the bodies of a client to places, and to the changes that publish them. The catalogue's bodies are not changed. `published` are the
 * bodies of the place, including those of other senders.
 */
export function mapBodies(
  client: string,
  place: ClientPlace,
  rows: readonly BodyRow[],
  published: PublishedBodies,
  { unlisted = [], adoptedIds: ids = new Map(), slugs: history = new Map(), ...more }: MoreOfBodies = {},
): MappedBodies {
  const changes = place.jurisdiction === null ? [] : [place.jurisdiction];
  const mapped: MappedBodies = { places: new Map(), changes, skipped: [], hidden: new Map(), unread: new Set() };
  const slugs = new Slugs(place, published, history);
  const bodies = [...rows.map(bodyOfRow), ...unlisted.map(bodyOfEvents)].toSorted(
    (left, right) => left.bodyId - right.bodyId,
  );
  const adoptions = adoptionOf(bodies, place, ids);
  const unadopted = bodies.filter(({ bodyId }) => !adoptions.has(bodyId));
  const shared = more.shared?.find(unadopted, more.ofMeetings ?? new Map()) ?? new Map<number, string>();
  for (const body of bodies) {
    const sharedId = shared.get(body.bodyId);
    const publicBodyId = sharedId ?? derivedBodyId(client, body.bodyId);
    const before = published.get(publicBodyId);
    const name = publishedName(body, before?.name);
    const adopted = adoptions.get(body.bodyId);
    const standing = standingOf(body.name ?? name ?? '');
    if (name === null) skipUnnamed(body, mapped);
    else if (adopted !== undefined) mapped.places.set(body.bodyId, { ...adopted, name });
    else if (standing === 'hidden') hideBody(body.bodyId, body.name ?? name, mapped);
    else {
      mapped.places.set(body.bodyId, { name, publicBodyId, sourceId: derivedSourceId(client, publicBodyId) });
      if (!body.isListed && !body.isActive) mapped.unread.add(body.bodyId);
      const isPresent = standing === 'present';
      if (sharedId === undefined) {
        const slug = slugs.slugOf(publicBodyId, name, body.bodyId);
        const content = contentOf(place, body, { name, slug, before, isPresent });
        mapped.changes.push(upsert('public_bodies', publicBodyId, content));
      } else if (more.shared?.isStatedByOthers(sharedId) === false) {
        mapped.changes.push(bodyWith(published.get(sharedId)!, { active: body.isActive && isPresent }));
      }
    }
  }
  return mapped;
}

/** The change of a published body in one respect. */
export function bodyWith(body: RecordData<'public_bodies'>, changed: { readonly active: boolean }): RecordChange {
  const { id, createdAt: _createdAt, updatedAt: _updatedAt, ...content } = body;
  return upsert('public_bodies', id, { ...content, ...changed });
}

interface PublishedBody {
  readonly name: string;
  readonly slug: string;
  /** The body as it was published; undefined for a new one. */
  readonly before: Pick<RecordContent<'public_bodies'>, 'bodyType' | 'actingBodyRole'> | undefined;
  readonly isPresent: boolean;
}

function contentOf(
  { jurisdictionId, timezone }: ClientPlace,
  { kind, isActive }: SourceBody,
  { name, slug, before, isPresent }: PublishedBody,
): RecordContent<'public_bodies'> {
  const { bodyType, actingBodyRole } = kind ?? before ?? OTHER;
  return { jurisdictionId, slug, name, bodyType, actingBodyRole, timezone, active: isActive && isPresent };
}

/** Events may write the name of their body in another way than the list, so the name of an unlisted body does not change. */
const publishedName = ({ name, isListed }: SourceBody, nameBefore: string | undefined): string | null =>
  (isListed ? (name ?? nameBefore) : (nameBefore ?? name)) ?? null;

function skipUnnamed({ bodyId, isListed }: SourceBody, { skipped }: MappedBodies): void {
  if (isListed) skipped.push({ what: 'body', id: String(bodyId), reason: 'has no name' });
}

function hideBody(bodyId: number, name: string, { hidden, skipped }: MappedBodies): void {
  hidden.set(bodyId, `its body is not for the public (${JSON.stringify(name)})`);
  const reason = 'its name says that it is not for the public';
  skipped.push({ what: 'body', id: String(bodyId), reason, isIntended: true });
}
