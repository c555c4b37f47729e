import type { RecordChange } from '../../../commands/records/write-records.ts';
import type { RecordContent, RecordData } from '../../../domain/records/resources.ts';
import type { SourcePlace } from '../../../domain/events/source-events.ts';
import { catalogueBodyId, catalogueSourceId } from '../catalogue/catalogue-records.ts';
import { cataloguePlace, type Place, placeOfAdded } from '../place.ts';
import { legistarBodyId, legistarSourceId } from './own-records.ts';
import type { BodyRow, Skipped } from './rows.ts';
import { oneLine, type Text } from './values.ts';
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
const CLIENTS: Readonly<Record<string, { readonly jurisdictionSlug: string; readonly bodies: Readonly<Record<string, string>> }>> = {
  cityofdallas: { jurisdictionSlug: 'dallas', bodies: { 'City Council': 'city-council' } },
  fortworthgov: { jurisdictionSlug: 'fort-worth', bodies: { 'City Council': 'city-council' } },
  'civicweb:dallascounty': { jurisdictionSlug: 'dallas-county', bodies: { 'Commissioners Court': 'commissioners-court' } },
  'techshare:tarrant-fe6aa5cc-7448-4194-ac6e-08dc95f79ccc': { jurisdictionSlug: 'tarrant-county', bodies: {} },
  // The calendars of its boards and of its council.
  'opencities:788ffb59-05d1-457d-b9dd-423d4b95a06e': { jurisdictionSlug: 'fort-worth', bodies: {} },
  'opencities:8a8add9a-3fd0-4b39-9a3e-d58e98e27acc': { jurisdictionSlug: 'fort-worth', bodies: {} },
};

/** Throws `SyncRefused` for a text that cannot be the name of a client at its platform. */
export function requireClientName(client: string): string {
  if (/^[A-Za-z0-9-]+$/.test(client)) return client;
  throw new SyncRefused(`client "${client}" is no client name: letters, digits and hyphens only`);
}

/** Where a client's records belong. Throws `SyncRefused` for one that is neither shipped nor added and comes without a place of the catalogue. */
export function placeOfClient(client: string, jurisdictionSlug: string | undefined, added?: SourcePlace): ClientPlace {
  requireClientName(client.replace(/^[a-z]+:/, ''));
  const shipped = Object.hasOwn(CLIENTS, client) ? CLIENTS[client] : undefined;
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

/** By the source's own type names; every other name is `other`. A planning commission decides some cases and recommends on others. */
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

function slugOf(name: string, bodyId: number, isTaken: (slug: string) => boolean): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
    .replace(/-+$/, '');
  const suffix = `-${bodyId}`;
  return plain === '' ? `body${suffix}` : isTaken(plain) ? `${plain.slice(0, 64 - suffix.length)}${suffix}` : plain;
}

type PublishedBodies = ReadonlyMap<string, RecordData<'public_bodies'>>;

/**
 * Places by body id, and changes that publish them. The catalogue's bodies stay as they are; of two of this client with one slug the lower id
 * has it. A slug of another sender's body in `published`, those of the place, is taken; where both have it, the record with the lower id.
 */
export function mapBodies(client: string, place: ClientPlace, rows: readonly BodyRow[], published: PublishedBodies) {
  const places = new Map<number, BodyPlace>();
  const changes: RecordChange[] = place.jurisdiction === null ? [] : [place.jurisdiction];
  const skipped: Skipped[] = [];
  const adopted = new Map(place.adopted.map((body) => [body.name.toLowerCase(), body]));
  const taken = new Set(place.takenSlugs);
  const own = new Set(rows.map(({ BodyId }) => legistarBodyId(client, BodyId)));
  const others = [...published].filter(([id]) => !own.has(id));
  const keeps = (id: string, other: string, slug: string): boolean => published.get(id)?.slug === slug && id < other;
  for (const row of rows.toSorted((left, right) => left.BodyId - right.BodyId)) {
    const name = oneLine(row.BodyName);
    if (name === null) {
      skipped.push({ what: 'body', id: String(row.BodyId), reason: 'has no name' });
      continue;
    }
    const existing = adopted.get(name.toLowerCase());
    if (existing !== undefined) {
      adopted.delete(name.toLowerCase());
      places.set(row.BodyId, { ...existing, name });
      continue;
    }
    const publicBodyId = legistarBodyId(client, row.BodyId);
    const slug = slugOf(
      name,
      row.BodyId,
      (wanted) => taken.has(wanted) || others.some(([id, other]) => other.slug === wanted && !keeps(publicBodyId, id, wanted)),
    );
    taken.add(slug);
    places.set(row.BodyId, { name, publicBodyId, sourceId: legistarSourceId(client, publicBodyId) });
    changes.push(
      upsert('public_bodies', publicBodyId, {
        jurisdictionId: place.jurisdictionId,
        slug,
        name,
        ...kindOf(row.BodyTypeName),
        timezone: place.timezone,
        active: row.BodyActiveFlag !== 0,
      }),
    );
  }
  return { places, changes, skipped };
}
