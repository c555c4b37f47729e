import type { RecordChange } from '../../../commands/records/write-records.ts';
import type { RecordContent } from '../../../domain/records/resources.ts';
import {
  catalogueBodyId,
  catalogueJurisdictionId,
  catalogueSourceId,
  COVERED_BODIES,
  JURISDICTIONS,
  REGION_TIME_ZONE,
} from '../catalogue/catalogue-records.ts';
import { legistarBodyId, legistarSourceId } from './own-records.ts';
import type { BodyRow, Skipped } from './rows.ts';
import { oneLine } from './values.ts';
import { SyncRefused, upsert } from '../source.ts';

export interface BodyPlace {
  /** The source's name for it. */
  readonly name: string;
  readonly publicBodyId: string;
  readonly sourceId: string;
}

export interface ClientPlace {
  readonly jurisdictionId: string;
  readonly jurisdictionSlug: string;
  readonly timezone: string;
  /** The catalogue's bodies among the source's; the sync uses the catalogue's records. */
  readonly adopted: readonly BodyPlace[];
  readonly takenSlugs: readonly string[];
}

/** The shipped clients: their jurisdiction, and the catalogue's body for a body name. */
const CLIENTS: Readonly<Record<string, { readonly jurisdictionSlug: string; readonly bodies: Readonly<Record<string, string>> }>> = {
  cityofdallas: { jurisdictionSlug: 'dallas', bodies: { 'City Council': 'city-council' } },
  fortworthgov: { jurisdictionSlug: 'fort-worth', bodies: { 'City Council': 'city-council' } },
};

/** Where a client's records belong. Throws `SyncRefused` for a client outside the table that comes without a jurisdiction of the catalogue. */
export function placeOfClient(client: string, jurisdictionSlug: string | undefined): ClientPlace {
  if (!/^[A-Za-z0-9-]+$/.test(client)) throw new SyncRefused(`client "${client}" is no client name: letters, digits and hyphens only`);
  const shipped = Object.hasOwn(CLIENTS, client) ? CLIENTS[client] : undefined;
  const slug = jurisdictionSlug ?? shipped?.jurisdictionSlug;
  if (slug === undefined) {
    throw new SyncRefused(
      `client "${client}" is not in the shipped table (${Object.keys(CLIENTS).join(', ')}); name its place with --jurisdiction SLUG`,
    );
  }
  if (shipped !== undefined && slug !== shipped.jurisdictionSlug) {
    throw new SyncRefused(`client "${client}" belongs to ${shipped.jurisdictionSlug}, not to ${slug}; leave --jurisdiction out`);
  }
  if (!JURISDICTIONS.some((row) => row.slug === slug))
    throw new SyncRefused(`jurisdiction "${slug}" is not in the catalogue; a county's slug ends in -county`);
  return {
    jurisdictionId: catalogueJurisdictionId(slug),
    jurisdictionSlug: slug,
    timezone: REGION_TIME_ZONE,
    adopted: Object.entries(shipped?.bodies ?? {}).map(([name, bodySlug]) => ({
      name,
      publicBodyId: catalogueBodyId(slug, bodySlug),
      sourceId: catalogueSourceId(slug, bodySlug),
    })),
    takenSlugs: COVERED_BODIES.filter((row) => row.jurisdictionSlug === slug).map((row) => row.slug),
  };
}

/** Body types by the source's own type names; every other name is `other`. */
const BODY_TYPES: Readonly<Record<string, RecordContent<'public_bodies'>['bodyType']>> = {
  'primary legislative body': 'governing_body',
  'planning commission': 'planning_commission',
  'board of adjustment': 'board_of_adjustment',
  'advisory board': 'advisory_board',
  'advisory committee': 'advisory_board',
  authority: 'authority',
  committee: 'committee',
  'standing committee': 'committee',
  'council committee': 'committee',
};

function slugOf(name: string, bodyId: number, taken: Set<string>): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
    .replace(/-+$/, '');
  const suffix = `-${bodyId}`;
  const slug = plain === '' ? `body${suffix}` : taken.has(plain) ? `${plain.slice(0, 64 - suffix.length)}${suffix}` : plain;
  taken.add(slug);
  return slug;
}

/** Places by body id, and changes that publish them. The catalogue's bodies stay as they are; of two with one slug the lower id has it. */
export function mapBodies(client: string, place: ClientPlace, rows: readonly BodyRow[]) {
  const places = new Map<number, BodyPlace>();
  const changes: RecordChange[] = [];
  const skipped: Skipped[] = [];
  const adopted = new Map(place.adopted.map((body) => [body.name.toLowerCase(), body]));
  const taken = new Set(place.takenSlugs);
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
    places.set(row.BodyId, { name, publicBodyId, sourceId: legistarSourceId(client, publicBodyId) });
    changes.push(
      upsert('public_bodies', publicBodyId, {
        jurisdictionId: place.jurisdictionId,
        slug: slugOf(name, row.BodyId, taken),
        name,
        bodyType: BODY_TYPES[oneLine(row.BodyTypeName)?.toLowerCase() ?? ''] ?? 'other',
        actingBodyRole: 'unknown',
        timezone: place.timezone,
        active: row.BodyActiveFlag !== 0,
      }),
    );
  }
  return { places, changes, skipped };
}
