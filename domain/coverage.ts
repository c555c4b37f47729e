import type { FAMILIES } from './records/families.ts';

/** What research says about one record family of one jurisdiction: only what was located, nothing about completeness or ingestion. */
export const COVERAGE_STATUSES = ['M', 'D', 'P', 'R', 'U', 'N'] as const;
export type CoverageStatus = (typeof COVERAGE_STATUSES)[number];

export type Family = (typeof FAMILIES)[number];

export interface CoveredFamily {
  readonly family: Family;
  readonly status: CoverageStatus;
  readonly officialSourceUrl?: string;
  /** The address is known to have answered on this day or later. */
  readonly checkedOn?: string;
  readonly note?: string;
}

export interface CoverageJurisdiction {
  readonly jurisdictionSlug: string;
  readonly jurisdictionName: string;
  readonly level: 'city' | 'county';
  readonly kind: 'city' | 'town' | 'village' | 'county';
  /** Every county of the region that holds any part of it. */
  readonly countySlugs: readonly string[];
  readonly active: boolean;
  /** The 11 families of a city or the 10 of a county, in the order of the families. */
  readonly families: readonly CoveredFamily[];
}

export interface CoverageScope {
  readonly region: string;
  readonly counties: number;
  readonly activeMunicipalities: number;
  readonly inactiveMunicipalities: number;
  readonly families: number;
  readonly statement: string;
}

export interface CoverageCatalogue {
  /** Research date, a dot, the first 12 hex digits of the SHA-256 of everything else here as canonical JSON. */
  readonly catalogVersion: string;
  readonly researchDate: string;
  readonly ingestionVerified: boolean;
  readonly statusDefinitions: Readonly<Record<CoverageStatus, string>>;
  readonly scope: CoverageScope;
  /** By slug. */
  readonly jurisdictions: readonly CoverageJurisdiction[];
}

export interface CoveredBodySlugs {
  readonly jurisdictionSlug: string;
  readonly slug: string;
}
