import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../domain/digests.ts';
import { COVERAGE_STATUSES } from '../../domain/coverage.ts';
import { CITY_FAMILIES, COUNTY_FAMILIES } from '../../domain/records/schemas.ts';
import { url } from '../../domain/records/fields.ts';
import { COUNTIES, MUNICIPALITIES } from '../../src/sources/catalogue/catalogue-records.ts';
import {
  COVERAGE_CATALOGUE,
  coverageCatalogue,
  type CoverageSources,
  parseResearch,
  type Research,
  RESEARCH,
} from '../../src/sources/coverage/coverage-catalogue.ts';

const { jurisdictions, statusDefinitions, scope } = COVERAGE_CATALOGUE;
const shipped: CoverageSources = { municipalities: MUNICIPALITIES, counties: COUNTIES, research: RESEARCH };
const withResearch = (research: Partial<Research>): string =>
  coverageCatalogue({ ...shipped, research: { ...RESEARCH, ...research } }).catalogVersion;
const hashOf = (version: string): string => version.slice(version.indexOf('.'));

describe('the coverage catalogue', () => {
  it('covers exactly 238 active municipalities, 16 counties and one inactive municipality, Mustang', () => {
    const cities = jurisdictions.filter((row) => row.level === 'city');
    expect(cities.filter((row) => row.active)).toHaveLength(238);
    expect(cities.filter((row) => !row.active).map((row) => row.jurisdictionSlug)).toEqual(['mustang']);
    expect(jurisdictions.filter((row) => row.level === 'county' && row.active)).toHaveLength(16);
    expect(new Set(jurisdictions.map((row) => row.jurisdictionSlug)).size).toBe(255);
    expect(scope).toMatchObject({ counties: 16, activeMunicipalities: 238, inactiveMunicipalities: 1, families: 21 });
  });

  it('has the 11 city families for a city and the 10 county families for a county, in their order', () => {
    for (const row of jurisdictions) {
      expect(row.families.map(({ family }) => family)).toEqual(row.level === 'city' ? CITY_FAMILIES : COUNTY_FAMILIES);
    }
  });

  it('gives every family one of the six statuses, and defines exactly these', () => {
    expect(Object.keys(statusDefinitions).toSorted()).toEqual([...COVERAGE_STATUSES].toSorted());
    for (const { status } of jurisdictions.flatMap((row) => row.families)) expect(COVERAGE_STATUSES).toContain(status);
  });

  it('has an address and a day for each located finding, and neither for an unverified one', () => {
    for (const row of jurisdictions.flatMap(({ families }) => families)) {
      if (row.status === 'U') {
        expect(row).not.toHaveProperty('officialSourceUrl');
        expect(row).not.toHaveProperty('checkedOn');
      } else {
        expect(url.parse(row.officialSourceUrl)).toBe(row.officialSourceUrl);
        expect(row.checkedOn! <= COVERAGE_CATALOGUE.researchDate).toBe(true);
        expect(row.note).not.toBe('');
      }
    }
  });

  it('contains no place and family without a finding', () => {
    const families = new Set(RESEARCH.findings.map((row) => `${row.jurisdictionSlug} ${row.family}`));
    for (const row of jurisdictions) {
      for (const covered of row.families) {
        if (!families.has(`${row.jurisdictionSlug} ${covered.family}`))
          expect(covered).toEqual({ family: covered.family, status: 'U' });
      }
    }
    const verified = jurisdictions.flatMap((row) => row.families).filter((covered) => covered.status !== 'U');
    expect(verified).toHaveLength(RESEARCH.findings.filter((row) => row.status !== 'U').length);
  });

  it('claims no more than was observed: no interface behind a table of others, no agenda behind a video page', () => {
    const statusOf = (slug: string, family: string) =>
      jurisdictions.find((row) => row.jurisdictionSlug === slug)?.families.find((covered) => covered.family === family)
        ?.status;
    expect(statusOf('dallas', 'city.council_agendas')).toBe('D');
    for (const county of ['ellis', 'kaufman', 'parker'])
      expect(statusOf(`${county}-county`, 'county.commissioners_agendas')).toBe('U');
  });

  it('has the findings of the research, by status', () => {
    const counts = Object.groupBy(RESEARCH.findings, ({ status }) => status);
    expect(Object.fromEntries(Object.entries(counts).map(([status, rows]) => [status, rows.length]))).toEqual({
      D: 19,
      M: 4,
      U: 223,
    });
  });

  it('leaves what only lists of third parties name unverified, with its note', () => {
    const listed = RESEARCH.findings.filter(({ note }) => note.startsWith('Only in records of third parties'));
    expect(listed.length).toBeGreaterThan(100);
    expect(listed.filter(({ status }) => status !== 'U')).toEqual([]);
  });

  it('does not claim that production ingestion was verified', () => {
    expect(COVERAGE_CATALOGUE.ingestionVerified).toBe(false);
  });
});

describe('the catalogue version', () => {
  it('is the research date and the first twelve hex digits of the hash of everything else', () => {
    expect(COVERAGE_CATALOGUE.catalogVersion).toMatch(/^\d{4}-\d{2}-\d{2}\.[0-9a-f]{12}$/);
    const { catalogVersion, ...content } = COVERAGE_CATALOGUE;
    const digest = createHash('sha256').update(canonicalJson(content)).digest('hex');
    expect(catalogVersion).toBe(`${RESEARCH.researchDate}.${digest.slice(0, 12)}`);
  });

  it('is the same when the content comes in another order or is built again', () => {
    const shuffled = coverageCatalogue({
      municipalities: MUNICIPALITIES.toReversed(),
      counties: COUNTIES.toReversed(),
      research: { ...RESEARCH, findings: RESEARCH.findings.toReversed() },
    });
    expect(shuffled).toEqual(COVERAGE_CATALOGUE);
  });

  it('changes with every removed finding and with any word of a note', () => {
    const versions = RESEARCH.findings.map((_, index) =>
      withResearch({ findings: RESEARCH.findings.toSpliced(index, 1) }),
    );
    versions.push(
      ...RESEARCH.findings.map((row, index) =>
        withResearch({ findings: RESEARCH.findings.with(index, { ...row, note: `${row.note} More.` }) }),
      ),
    );
    expect(new Set([COVERAGE_CATALOGUE.catalogVersion, ...versions]).size).toBe(1 + 2 * RESEARCH.findings.length);
  });

  it('changes with a place that is renamed or becomes inactive, and with the research date', () => {
    const [first, ...rest] = MUNICIPALITIES;
    const renamed = coverageCatalogue({ ...shipped, municipalities: [{ ...first!, name: 'Elsewhere' }, ...rest] });
    const closed = coverageCatalogue({ ...shipped, municipalities: [{ ...first!, active: false }, ...rest] });
    const versions = [renamed.catalogVersion, closed.catalogVersion, withResearch({ researchDate: '2027-01-01' })];
    expect(new Set([COVERAGE_CATALOGUE.catalogVersion, ...versions].map(hashOf)).size).toBe(4);
  });
});

describe('a finding', () => {
  const [finding] = RESEARCH.findings;

  it('about an unknown place or family is refused', () => {
    expect(() => withResearch({ findings: [{ ...finding!, jurisdictionSlug: 'atlantis' }] })).toThrow(
      'atlantis city.council_agendas',
    );
    expect(() => withResearch({ findings: [{ ...finding!, jurisdictionSlug: 'tarrant-county' }] })).toThrow(
      'tarrant-county city.',
    );
  });

  it('that is a second one for its family and place, or is later than the research date, is refused', () => {
    expect(() => withResearch({ findings: [finding!, finding!] })).toThrow('two findings');
    expect(() => withResearch({ researchDate: '2020-01-01' })).toThrow('after the research date');
  });

  it('that is located without address, day or note, or has an address without a status, is refused', () => {
    const full = {
      jurisdictionSlug: 'dallas',
      family: 'city.ordinances',
      officialSourceUrl: 'https://example.org/',
      checkedOn: '2026-01-01',
      note: 'Seen.',
    };
    const parse = (row: object) => () => parseResearch({ researchDate: '2026-01-02', findings: [row] });
    for (const status of ['M', 'D', 'P']) {
      expect(parse({ ...full, status })).not.toThrow();
      for (const key of ['officialSourceUrl', 'checkedOn', 'note'])
        expect(parse({ ...full, status, [key]: undefined })).toThrow();
    }
    expect(parse({ ...full, status: 'U' })).toThrow();
    expect(parse({ ...full, status: 'X' })).toThrow();
    expect(parse({ ...full, status: 'M', checkedOn: '2026-02-30' })).toThrow();
  });
});
