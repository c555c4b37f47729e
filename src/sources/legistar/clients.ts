import { catalogueBodyId, catalogueJurisdictionId, catalogueSourceId, REGION_TIME_ZONE } from '../catalogue/catalogue-records.ts';
import { COVERED_BODIES, JURISDICTIONS } from '../catalogue/data-files.ts';
import { SyncRefused } from '../source.ts';

/** A body of the source that the catalogue has: the sync uses the catalogue's records. */
export interface AdoptedBody {
  /** The source's name for the body; case does not matter. */
  readonly bodyName: string;
  readonly publicBodyId: string;
  readonly sourceId: string;
}

export interface ClientPlace {
  readonly jurisdictionId: string;
  readonly jurisdictionSlug: string;
  readonly timezone: string;
  readonly adopted: readonly AdoptedBody[];
  /** Slugs that the catalogue's bodies of this jurisdiction have taken. */
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
    adopted: Object.entries(shipped?.bodies ?? {}).map(([bodyName, bodySlug]) => ({
      bodyName,
      publicBodyId: catalogueBodyId(slug, bodySlug),
      sourceId: catalogueSourceId(slug, bodySlug),
    })),
    takenSlugs: COVERED_BODIES.filter((row) => row.jurisdictionSlug === slug).map((row) => row.slug),
  };
}
