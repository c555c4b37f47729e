import type { RecordChange } from '../../commands/records/write-records.ts';
import type { SourcePlace } from '../../domain/events/source-events.ts';
import { derivedId } from '../../domain/identifiers.ts';
import {
  catalogueJurisdictionId,
  COVERED_BODIES,
  JURISDICTIONS,
  REGION_TIME_ZONE,
} from './catalogue/catalogue-records.ts';
import { SAMPLE_JURISDICTION_SLUG } from './sample/sample-records.ts';
import { SyncRefused, upsert } from './source.ts';

/** The place of a source's records. */
export interface Place {
  readonly jurisdictionId: string;
  readonly jurisdictionSlug: string;
  readonly timezone: string;
  /** The record of the jurisdiction; null for one of the catalogue, which already exists. */
  readonly jurisdiction: RecordChange | null;
  /** Slugs of bodies that the catalogue has. */
  readonly takenSlugs: readonly string[];
}

/** The place of a client that is only tried. */
export const TRIED_PLACE: SourcePlace = { slug: 'tried-source', name: 'Tried source', timezone: REGION_TIME_ZONE };

/** A place of the catalogue; undefined for another slug. */
export function cataloguePlace(slug: string): Place | undefined {
  if (!JURISDICTIONS.some((row) => row.slug === slug)) return undefined;
  return {
    jurisdictionId: catalogueJurisdictionId(slug),
    jurisdictionSlug: slug,
    timezone: REGION_TIME_ZONE,
    jurisdiction: null,
    takenSlugs: COVERED_BODIES.filter((row) => row.jurisdictionSlug === slug).map((row) => row.slug),
  };
}

/** The place of an added source. A slug that ends in `-county` is that of a county. */
export function placeOfAdded({ slug, name, timezone }: SourcePlace): Place {
  const catalogued = cataloguePlace(slug);
  if (catalogued !== undefined) return catalogued;
  const jurisdictionId = derivedId('added', 'jurisdiction', slug);
  const kind = slug.endsWith('-county') ? 'county' : 'city';
  const jurisdiction = upsert('jurisdictions', jurisdictionId, {
    slug,
    name,
    level: kind,
    kind,
    countySlugs: [],
    timezone,
    active: true,
  });
  return { jurisdictionId, jurisdictionSlug: slug, timezone, jurisdiction, takenSlugs: [] };
}

/** Throws `SyncRefused` for the place of the sample, and for another name or zone than a place of the catalogue has. */
export function requirePlace(place: SourcePlace): SourcePlace {
  const { slug, name, timezone } = place;
  if (slug === SAMPLE_JURISDICTION_SLUG)
    throw new SyncRefused(`${slug} is the place of the invented sample; choose another slug`);
  const catalogued = JURISDICTIONS.find((row) => row.slug === slug);
  if (catalogued !== undefined && (catalogued.name !== name || timezone !== REGION_TIME_ZONE)) {
    throw new SyncRefused(
      `${slug} is "${catalogued.name}" in ${REGION_TIME_ZONE} in the catalogue: give this name and time zone, or choose another slug`,
    );
  }
  return place;
}
