import { z } from 'zod';
import type { RecordChange } from '../../../commands/records/write-records.ts';
import { derivedId } from '../../../domain/identifiers.ts';
import type { RecordContent } from '../../../domain/records/resources.ts';
import counties from './data/counties.json' with { type: 'json' };
import coveredBodies from './data/covered-bodies.json' with { type: 'json' };
import municipalities from './data/municipalities.json' with { type: 'json' };
import { upsert } from '../source.ts';

/** The shipped data files, checked once when they are loaded. Unknown values are null. */
const municipality = z.strictObject({
  slug: z.string(),
  name: z.string(),
  kind: z.enum(['city', 'town', 'village']),
  active: z.boolean(),
  /** Counties of the region that contain any part of it; the one with most of its people first. */
  countySlugs: z.array(z.string()).min(1),
  /** Counties outside the region that contain a part of it. */
  outsideCounties: z.array(z.string()),
  population: z.int().min(0).nullable(),
  populationYear: z.int().nullable(),
  geoid: z.string(),
});

const county = z.strictObject({
  slug: z.string(),
  name: z.string(),
  population: z.int().min(0),
  populationYear: z.int(),
  geoid: z.string(),
});

const coveredBody = z.strictObject({
  jurisdictionSlug: z.string(),
  slug: z.string(),
  name: z.string(),
  sourceType: z.enum(['legistar', 'other']),
  sourceTypeLabel: z.string(),
  officialSourceUrl: z.string().nullable(),
});

export const MUNICIPALITIES = z.array(municipality).parse(municipalities);
export const COUNTIES = z.array(county).parse(counties);

/** Cities and counties in one form. A county's slug ends in `-county`, because six names belong to a city and a county. */
export const jurisdictionsOf = (municipalities: typeof MUNICIPALITIES, counties: typeof COUNTIES) => [
  ...municipalities.map(({ outsideCounties: _outside, populationYear: _year, ...city }) => ({
    ...city,
    level: 'city' as const,
  })),
  ...counties.map(({ slug, name, population, geoid }) => ({
    slug: `${slug}-county`,
    name,
    level: 'county' as const,
    kind: 'county' as const,
    countySlugs: [slug],
    active: true,
    population,
    geoid,
  })),
];
export const JURISDICTIONS = jurisdictionsOf(MUNICIPALITIES, COUNTIES);
/** The seven bodies that have a cadence. */
export const COVERED_BODIES = z.array(coveredBody).parse(coveredBodies);
type CoveredBody = z.output<typeof coveredBody>;

/** Raise it when the data files change. */
export const CATALOGUE_SEED = { name: 'catalogue', version: 1 } as const;
export const REGION_TIME_ZONE = 'America/Chicago';

const body = (row: CoveredBody): RecordChange =>
  upsert('public_bodies', catalogueBodyId(row.jurisdictionSlug, row.slug), {
    jurisdictionId: catalogueJurisdictionId(row.jurisdictionSlug),
    slug: row.slug,
    name: row.name,
    bodyType: 'governing_body',
    actingBodyRole: 'final_decision_maker',
    timezone: REGION_TIME_ZONE,
    active: true,
  });

export const NEVER_CHECKED = { active: true, status: 'unknown', consecutiveFailures: 0 } as const;

/** The content of a covered body's `sources` record before its first sync. */
export const catalogueSource = ({
  jurisdictionSlug,
  slug,
  name: _name,
  ...source
}: CoveredBody): RecordContent<'sources'> => ({
  jurisdictionId: catalogueJurisdictionId(jurisdictionSlug),
  publicBodyId: catalogueBodyId(jurisdictionSlug, slug),
  ...source,
  ...NEVER_CHECKED,
});

/** 239 municipalities, one inactive, 16 counties, seven bodies with sources. A partial write leaves no body without its jurisdiction. */
export const catalogueRecords = (): readonly RecordChange[] => [
  ...JURISDICTIONS.map((row) =>
    upsert('jurisdictions', catalogueJurisdictionId(row.slug), {
      ...row,
      timezone: REGION_TIME_ZONE,
      officialWebsiteUrl: null,
    }),
  ),
  ...COVERED_BODIES.map(body),
  ...COVERED_BODIES.map((row) =>
    upsert('sources', catalogueSourceId(row.jurisdictionSlug, row.slug), catalogueSource(row)),
  ),
];

/** Ids of the catalogue's records, from their slugs: the same in every deployment. */
export const catalogueJurisdictionId = (jurisdictionSlug: string): string =>
  derivedId('catalogue', 'jurisdiction', jurisdictionSlug);

export const catalogueBodyId = (jurisdictionSlug: string, bodySlug: string): string =>
  derivedId('catalogue', 'public_body', jurisdictionSlug, bodySlug);

export const catalogueSourceId = (jurisdictionSlug: string, bodySlug: string): string =>
  derivedId('catalogue', 'source', jurisdictionSlug, bodySlug);
