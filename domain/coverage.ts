import { z } from 'zod';
import { type CursorDamage, cursorPayload, cursorText } from './cursor.ts';
import type { FAMILIES } from './records/schemas.ts';

/**
 * Research on where one record family of one jurisdiction publishes its records. It does not cover completeness or
 * ingestion.
 */
export const COVERAGE_STATUSES = ['M', 'D', 'P', 'R', 'U', 'N'] as const;
export type CoverageStatus = (typeof COVERAGE_STATUSES)[number];
export type Family = (typeof FAMILIES)[number];

export interface CoveredFamily {
  readonly family: Family;
  readonly status: CoverageStatus;
  readonly officialSourceUrl?: string;
  /** Latest day on which the address is known to have answered. */
  readonly checkedOn?: string;
  readonly note?: string;
}

export interface CoverageJurisdiction {
  readonly jurisdictionSlug: string;
  readonly jurisdictionName: string;
  readonly level: 'city' | 'county';
  readonly kind: 'city' | 'town' | 'village' | 'county';
  /** All counties of the region that contain any part of it. */
  readonly countySlugs: readonly string[];
  readonly active: boolean;
  /** The 11 families of a city or the 10 of a county, in the order of the families. */
  readonly families: readonly CoveredFamily[];
}

export interface CoverageCatalogue {
  /** Research date, a dot, the first 12 hex digits of the SHA-256 of everything else here as canonical JSON. */
  readonly catalogVersion: string;
  readonly researchDate: string;
  readonly ingestionVerified: boolean;
  readonly statusDefinitions: Readonly<Record<CoverageStatus, string>>;
  readonly scope: {
    readonly region: string;
    readonly counties: number;
    readonly activeMunicipalities: number;
    readonly inactiveMunicipalities: number;
    readonly families: number;
    readonly statement: string;
  };
  /** Keyed by slug. */
  readonly jurisdictions: readonly CoverageJurisdiction[];
}

export interface CoveredBodySlugs {
  readonly jurisdictionSlug: string;
  readonly slug: string;
}

export const MAX_COVERAGE_CURSOR_LENGTH = 4096;

/** The filters of a coverage cursor, besides the catalog. Null: not filtered. */
export interface CoverageBinding {
  readonly jurisdictionSlug: string | null;
  readonly county: string | null;
  readonly family: string | null;
  readonly includeInactive: boolean;
  readonly limit: number;
}

interface CoverageCursor {
  readonly catalogVersion: string;
  readonly binding: CoverageBinding;
  /** Number of matching jurisdictions on earlier pages, at least one. */
  readonly offset: number;
}

const filter = z.string().nullable();
const payload = z.tuple([z.string(), filter, filter, filter, z.boolean(), z.int().min(1), z.int().min(1)]);

export function encodeCoverageCursor({ catalogVersion, binding, offset }: CoverageCursor): string {
  const { jurisdictionSlug, county, family, includeInactive, limit } = binding;
  const values: z.input<typeof payload> = [
    catalogVersion,
    jurisdictionSlug,
    county,
    family,
    includeInactive,
    limit,
    offset,
  ];
  return cursorText('coverage', Buffer.from(JSON.stringify(values), 'utf8'));
}

/** Never throws. The reader checks whether binding, version and offset fit. */
export function decodeCoverageCursor(text: string): CoverageCursor | CursorDamage {
  const bytes = cursorPayload('coverage', text, MAX_COVERAGE_CURSOR_LENGTH);
  if (typeof bytes === 'string') return bytes;
  const values = payload.safeParse(parsed(bytes.toString('utf8')));
  if (!values.success) return 'damaged';
  const [catalogVersion, jurisdictionSlug, county, family, includeInactive, limit, offset] = values.data;
  const cursor = { catalogVersion, binding: { jurisdictionSlug, county, family, includeInactive, limit }, offset };
  // One value has many JSON texts, but a cursor has only one.
  return encodeCoverageCursor(cursor) === text ? cursor : 'damaged';
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
