import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '../../../domain/digests.ts';
import type {
  CoverageCatalogue,
  CoverageJurisdiction,
  CoverageStatus,
  CoveredFamily,
  Family,
} from '../../../domain/coverage.ts';
import { CITY_FAMILIES, COUNTY_FAMILIES, FAMILIES } from '../../../domain/records/schemas.ts';
import { COUNTIES, jurisdictionsOf, MUNICIPALITIES } from '../catalogue/catalogue-records.ts';
import { date, text, url } from '../../../domain/records/fields.ts';
import findings from './data/findings.json' with { type: 'json' };

const STATUS_DEFINITIONS: Readonly<Record<CoverageStatus, string>> = {
  M: 'A machine-readable official endpoint for this family was located.',
  D: 'Official documents for this family (PDF files or pages) were located.',
  P: 'Only an interactive official portal for this family was located.',
  R: 'The records of this family were found to be available on request only.',
  U: 'Not yet verified: nothing is claimed about this family.',
  N: 'Researched, and no official source of this family was found.',
};

const SCOPE_STATEMENT =
  'A status says what research located for the named family of the named jurisdiction and nothing else: not full coverage, not current ' +
  'completeness, not permission to reuse, and not that this service ingests it. A date says that the address is known to have answered on ' +
  'that day or later. An address that belongs to a supplier of the government is named where the government publishes through it.';

const about = { jurisdictionSlug: text, family: z.enum(FAMILIES) };

/** A located source has an address, a day and a note; an unverified family has a note only. */
const finding = z.discriminatedUnion('status', [
  z.strictObject({ ...about, status: z.enum(['M', 'D', 'P']), officialSourceUrl: url, checkedOn: date, note: text }),
  z.strictObject({ ...about, status: z.enum(['R', 'N']), checkedOn: date, note: text }),
  z.strictObject({ ...about, status: z.literal('U'), note: text }),
]);
type Finding = z.output<typeof finding>;

const research = z.strictObject({ researchDate: date, findings: z.array(finding) });
export type Research = z.output<typeof research>;

/** Throws for a finding with other fields than its status has. */
export const parseResearch = (value: unknown): Research => research.parse(value);
export const RESEARCH: Research = parseResearch(findings);

export interface CoverageSources {
  readonly municipalities: typeof MUNICIPALITIES;
  readonly counties: typeof COUNTIES;
  readonly research: Research;
}

/** The places with a status of each family, which is `U` without a finding. */
function coveredJurisdictions({ municipalities, counties, research }: CoverageSources): CoverageJurisdiction[] {
  const unused = new Map(
    research.findings.map((finding) => [keyOf(finding.jurisdictionSlug, finding.family), finding]),
  );
  if (unused.size < research.findings.length)
    throw new Error('two findings are about the same family of the same jurisdiction');

  const familiesOf = (jurisdictionSlug: string, families: readonly Family[]): readonly CoveredFamily[] =>
    families.map((family) => {
      const key = keyOf(jurisdictionSlug, family);
      const finding = unused.get(key);
      unused.delete(key);
      return finding === undefined ? { family, status: 'U' } : coveredFamily(finding, research.researchDate);
    });

  const jurisdictions = jurisdictionsOf(municipalities, counties)
    .map(
      ({ slug, name, level, kind, countySlugs, active }): CoverageJurisdiction => ({
        jurisdictionSlug: slug,
        jurisdictionName: name,
        level,
        kind,
        countySlugs,
        active,
        families: familiesOf(slug, level === 'city' ? CITY_FAMILIES : COUNTY_FAMILIES),
      }),
    )
    .sort((left, right) => (left.jurisdictionSlug < right.jurisdictionSlug ? -1 : 1));
  if (unused.size > 0)
    throw new Error(`findings about what the catalogue does not have: ${[...unused.keys()].join(', ')}`);
  return jurisdictions;
}

function describeScope({ municipalities, counties }: CoverageSources): CoverageCatalogue['scope'] {
  const active = municipalities.filter((row) => row.active).length;
  return {
    region: 'North-central Texas',
    counties: counties.length,
    activeMunicipalities: active,
    inactiveMunicipalities: municipalities.length - active,
    families: FAMILIES.length,
    statement: SCOPE_STATEMENT,
  };
}

/** Throws for an unknown place or family, for two findings about one, and for a day after the research date. */
export function coverageCatalogue(sources: CoverageSources): CoverageCatalogue {
  const { researchDate } = sources.research;
  const content = {
    researchDate,
    ingestionVerified: false,
    statusDefinitions: STATUS_DEFINITIONS,
    scope: describeScope(sources),
    jurisdictions: coveredJurisdictions(sources),
  };
  const digest = createHash('sha256').update(canonicalJson(content), 'utf8').digest('hex');
  return { catalogVersion: `${researchDate}.${digest.slice(0, 12)}`, ...content };
}

const keyOf = (jurisdictionSlug: string, family: Family): string => `${jurisdictionSlug} ${family}`;

function coveredFamily({ jurisdictionSlug, ...finding }: Finding, researchDate: string): CoveredFamily {
  if (finding.status !== 'U' && finding.checkedOn > researchDate) {
    throw new Error(`${keyOf(jurisdictionSlug, finding.family)} was checked after the research date ${researchDate}`);
  }
  return finding;
}

export const COVERAGE_CATALOGUE = coverageCatalogue({
  municipalities: MUNICIPALITIES,
  counties: COUNTIES,
  research: RESEARCH,
});
