import { z } from 'zod';
import counties from './data/counties.json' with { type: 'json' };
import coveredBodies from './data/covered-bodies.json' with { type: 'json' };
import municipalities from './data/municipalities.json' with { type: 'json' };

/** The shipped data files, checked once when they are loaded. Unknown values are null. */
const municipality = z.strictObject({
  slug: z.string(),
  name: z.string(),
  kind: z.enum(['city', 'town', 'village']),
  active: z.boolean(),
  /** Counties of the region that hold any part of it; the one with most of its people first. */
  countySlugs: z.array(z.string()).min(1),
  /** Counties beyond the region's sixteen that hold a part of it. */
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
  ...municipalities.map(({ outsideCounties: _outside, populationYear: _year, ...city }) => ({ ...city, level: 'city' as const })),
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

export type CoveredBody = z.output<typeof coveredBody>;
