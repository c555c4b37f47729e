import { z } from 'zod';
import { MAX_COVERAGE_CURSOR_LENGTH } from '../domain/coverage-cursor.ts';
import { FAMILIES } from '../domain/records/families.ts';
import { date, url } from '../domain/records/fields.ts';
import { jurisdiction, recordStream } from '../domain/records/schemas.ts';

export const COVERAGE_STATUSES = {
  M: 'a machine-readable official endpoint was located',
  D: 'official documents (PDF or page) were located',
  P: 'an interactive portal only',
  R: 'on request only',
  U: 'not yet verified',
  N: 'researched, none found',
} as const;
export type CoverageStatus = keyof typeof COVERAGE_STATUSES;

export const coverageStatus = z.enum(Object.keys(COVERAGE_STATUSES) as [CoverageStatus, ...CoverageStatus[]]);
export const family = recordStream.shape.family;
/** The 16 counties of the region, by their bare slugs; a county's own jurisdiction slug adds `-county`. */
export const county = z.enum([
  'collin',
  'dallas',
  'denton',
  'ellis',
  'erath',
  'hood',
  'hunt',
  'johnson',
  'kaufman',
  'navarro',
  'palo-pinto',
  'parker',
  'rockwall',
  'somervell',
  'tarrant',
  'wise',
]);

export const MAX_COVERAGE_ITEMS = 20;
export const coverageCursor = z.string().min(1).max(MAX_COVERAGE_CURSOR_LENGTH);

const familyCoverage = z.strictObject({
  family,
  status: coverageStatus,
  officialSourceUrl: url.optional(),
  checkedOn: date.optional(),
  note: z.string().min(1).optional(),
});

/** A city has the 11 source families of cities, a county the 10 of counties. */
export const coveredJurisdiction = z.strictObject({
  jurisdictionSlug: jurisdiction.shape.slug,
  jurisdictionName: jurisdiction.shape.name,
  level: jurisdiction.shape.level,
  kind: jurisdiction.shape.kind,
  countySlugs: jurisdiction.shape.countySlugs,
  active: jurisdiction.shape.active,
  families: z.array(familyCoverage),
});
export type CoveredJurisdiction = z.output<typeof coveredJurisdiction>;

const count = z.int().min(0);
const definition = z.string();

const coverageScope = z.strictObject({
  region: z.string().min(1),
  counties: z.literal(county.options.length),
  activeMunicipalities: count,
  inactiveMunicipalities: count,
  families: z.literal(FAMILIES.length),
  statement: z.string().min(1),
});

export const researchCoverage = z.strictObject({
  data: z.array(coveredJurisdiction).max(MAX_COVERAGE_ITEMS),
  meta: z.strictObject({
    catalogVersion: z.string().regex(/^\d{4}-\d{2}-\d{2}\.[0-9a-f]{12}$/),
    researchDate: date,
    ingestionVerified: z.boolean(),
    statusDefinitions: z.strictObject({
      M: definition,
      D: definition,
      P: definition,
      R: definition,
      U: definition,
      N: definition,
    } satisfies Record<CoverageStatus, z.ZodString>),
    scope: coverageScope,
    pagination: z.strictObject({
      limit: z.int().min(1).max(MAX_COVERAGE_ITEMS),
      returned: count.max(MAX_COVERAGE_ITEMS),
      total: count,
      nextCursor: coverageCursor.nullable(),
    }),
  }),
});
export type ResearchCoverage = z.output<typeof researchCoverage>;
