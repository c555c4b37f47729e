import { createHash } from 'node:crypto';
import { canonicalJson } from '../../domain/canonical-json.ts';
import type { CoverageCatalogue, CoverageJurisdiction, CoveredFamily, Family } from '../../domain/coverage.ts';
import { CITY_FAMILIES, COUNTY_FAMILIES, FAMILIES } from '../../domain/records/families.ts';
import { countyJurisdictionSlug } from '../catalogue/catalogue-records.ts';
import { COUNTIES, MUNICIPALITIES } from '../catalogue/data-files.ts';
import { type Finding, RESEARCH, type Research } from './findings.ts';
import { REGION, SCOPE_STATEMENT, STATUS_DEFINITIONS } from './statements.ts';

export interface CoverageSources {
  readonly municipalities: typeof MUNICIPALITIES;
  readonly counties: typeof COUNTIES;
  readonly research: Research;
}

/**
 * The coverage catalogue of these places and findings, `U` wherever there is no finding (decisions, section 3). Throws for a finding about
 * a place or family that the catalogue does not have, for two about one, and for a day after the research date.
 */
export const coverageCatalogue = ({ municipalities, counties, research }: CoverageSources): CoverageCatalogue => {
  const unused = new Map(research.findings.map((finding) => [keyOf(finding.jurisdictionSlug, finding.family), finding]));
  if (unused.size < research.findings.length) throw new Error('two findings are about the same family of the same jurisdiction');

  const familiesOf = (jurisdictionSlug: string, families: readonly Family[]): readonly CoveredFamily[] =>
    families.map((family) => {
      const key = keyOf(jurisdictionSlug, family);
      const found = unused.get(key);
      unused.delete(key);
      return found === undefined ? { family, status: 'U' } : coveredFamily(found, research.researchDate);
    });

  const jurisdictions: CoverageJurisdiction[] = [
    ...municipalities.map((row) => ({
      jurisdictionSlug: row.slug,
      jurisdictionName: row.name,
      level: 'city' as const,
      kind: row.kind,
      countySlugs: row.countySlugs,
      active: row.active,
      families: familiesOf(row.slug, CITY_FAMILIES),
    })),
    ...counties.map((row) => ({
      jurisdictionSlug: countyJurisdictionSlug(row.slug),
      jurisdictionName: row.name,
      level: 'county' as const,
      kind: 'county' as const,
      countySlugs: [row.slug],
      active: true,
      families: familiesOf(countyJurisdictionSlug(row.slug), COUNTY_FAMILIES),
    })),
  ].sort((left, right) => (left.jurisdictionSlug < right.jurisdictionSlug ? -1 : 1));
  if (unused.size > 0) throw new Error(`findings about what the catalogue does not have: ${[...unused.keys()].join(', ')}`);

  const active = municipalities.filter((row) => row.active).length;
  return versioned({
    researchDate: research.researchDate,
    ingestionVerified: false,
    statusDefinitions: STATUS_DEFINITIONS,
    scope: {
      region: REGION,
      counties: counties.length,
      activeMunicipalities: active,
      inactiveMunicipalities: municipalities.length - active,
      families: FAMILIES.length,
      statement: SCOPE_STATEMENT,
    },
    jurisdictions,
  });
};

const keyOf = (jurisdictionSlug: string, family: Family): string => `${jurisdictionSlug} ${family}`;

const coveredFamily = ({ jurisdictionSlug, ...found }: Finding, researchDate: string): CoveredFamily => {
  if (found.status !== 'U' && found.checkedOn > researchDate) {
    throw new Error(`${keyOf(jurisdictionSlug, found.family)} was checked after the research date ${researchDate}`);
  }
  return found;
};

const versioned = (content: Omit<CoverageCatalogue, 'catalogVersion'>): CoverageCatalogue => {
  const digest = createHash('sha256').update(canonicalJson(content), 'utf8').digest('hex');
  return { catalogVersion: `${content.researchDate}.${digest.slice(0, 12)}`, ...content };
};

/** The shipped catalogue. */
export const COVERAGE_CATALOGUE: CoverageCatalogue = coverageCatalogue({
  municipalities: MUNICIPALITIES,
  counties: COUNTIES,
  research: RESEARCH,
});
