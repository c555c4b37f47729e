import { JURISDICTIONS } from '../catalogue/catalogue-records.ts';
import { SyncRefused } from '../source.ts';

export interface RegistryScope {
  /** Slug of a county, with or without `-county`. */
  readonly county?: string | undefined;
  /** Slug of a city, or of a county with `-county`. */
  readonly place?: string | undefined;
}

/**
 * Returns the slugs of the places of a county, which include the county itself, or of one place; of all places without
 * either. Throws `SyncRefused` for a slug that the catalogue does not have.
 */
export function placesIn({ county, place }: RegistryScope): ReadonlySet<string> {
  const countySlug = county?.replace(/-county$/, '');
  const places = JURISDICTIONS.filter(
    ({ slug, countySlugs }) =>
      (place === undefined || slug === place) && (countySlug === undefined || countySlugs.includes(countySlug)),
  );
  if (places.length > 0) return new Set(places.map(({ slug }) => slug));
  const requested = [place, county].filter((name) => name !== undefined).join(' in ');
  throw new SyncRefused(
    `the catalogue has no place ${requested}: a slug is in lower case, that of a county's court ends in -county`,
  );
}
