import {
  type CoverageBinding,
  type CoverageCatalogue,
  type CoverageJurisdiction,
  decodeCoverageCursor,
  encodeCoverageCursor,
} from '../../domain/coverage.ts';
import { Rejection } from '../../domain/rejections.ts';
import { decodedCursor } from '../decoded-cursor.ts';

/**
 * Filters and the cursor as received. An unknown jurisdiction returns an empty page. The slug of a county selects the
 * county and every jurisdiction with a part in it. A family selects the jurisdictions of its level, and shows no other
 * families.
 */
export type CoverageInput = Pick<CoverageBinding, 'includeInactive' | 'limit'> & {
  readonly [Name in 'jurisdictionSlug' | 'county' | 'family' | 'cursor']?: string;
};

/**
 * Returns a page of the catalogue, ordered by jurisdiction slug. Throws `invalid_parameter` for a cursor that does not
 * decode, or was issued for other filters, another limit or another version of the catalogue.
 */
export function listDfwResearchCoverage(catalogue: CoverageCatalogue, input: CoverageInput) {
  const { jurisdictions, ...about } = catalogue;
  const binding = bindingOf(input);
  const matching = jurisdictions.filter(isAskedFor(binding));
  const offset =
    input.cursor === undefined ? 0 : offsetOf(input.cursor, about.catalogVersion, binding, matching.length);
  const data = matching.slice(offset, offset + input.limit).map(withRequestedFamilies(binding.family));
  const end = offset + data.length;
  const nextCursor =
    end < matching.length ? encodeCoverageCursor({ catalogVersion: about.catalogVersion, binding, offset: end }) : null;
  return {
    data,
    meta: { ...about, pagination: { limit: input.limit, returned: data.length, total: matching.length, nextCursor } },
  };
}

export type CoveragePage = ReturnType<typeof listDfwResearchCoverage>;

/** Returns the cursor after a number of rows of the page, from 1, for a truncated answer. */
export function coverageCursorAfter(
  { meta: { catalogVersion } }: CoveragePage,
  input: CoverageInput,
  rows: number,
): string {
  const before = input.cursor === undefined ? undefined : decodeCoverageCursor(input.cursor);
  const offset = typeof before === 'object' ? before.offset : 0;
  return encodeCoverageCursor({ catalogVersion, binding: bindingOf(input), offset: offset + rows });
}

const bindingOf = ({ jurisdictionSlug, county, family, includeInactive, limit }: CoverageInput): CoverageBinding => ({
  jurisdictionSlug: jurisdictionSlug ?? null,
  county: county ?? null,
  family: family ?? null,
  includeInactive,
  limit,
});

const isAskedFor =
  ({ jurisdictionSlug, county, family, includeInactive }: CoverageBinding) =>
  (row: CoverageJurisdiction): boolean =>
    (includeInactive || row.active) &&
    (jurisdictionSlug === null || row.jurisdictionSlug === jurisdictionSlug) &&
    (county === null || row.countySlugs.includes(county)) &&
    (family === null || row.families.some((covered) => covered.family === family));

// If all families were shown, `city.ordinances` would return the same as `city.procurement`.
const withRequestedFamilies =
  (family: string | null) =>
  (row: CoverageJurisdiction): CoverageJurisdiction =>
    family === null ? row : { ...row, families: row.families.filter((covered) => covered.family === family) };

function offsetOf(text: string, catalogVersion: string, binding: CoverageBinding, total: number): number {
  const cursor = decodedCursor(decodeCoverageCursor(text), 'a coverage cursor');
  if (cursor.catalogVersion !== catalogVersion)
    throw refused('was minted for another version of the catalogue; start again without it');
  const keys = Object.keys(binding) as (keyof CoverageBinding)[];
  if (keys.some((key) => cursor.binding[key] !== binding[key]))
    throw refused('was minted for other filters or another limit');
  if (cursor.offset >= total) throw refused('is beyond the last match');
  return cursor.offset;
}

const refused = (why: string): Rejection => new Rejection('invalid_parameter', `cursor ${why}`);
