import { describe, expect, it } from 'vitest';
import type { RecordChange } from '../../commands/records/write-records.ts';
import { RECORD_SCHEMAS } from '../../domain/records/resources.ts';
import { CATALOGUE_SEED, catalogueRecords, MUNICIPALITIES } from '../../src/sources/catalogue/catalogue-records.ts';

const contents = (resource: RecordChange['resource']): Record<string, unknown>[] =>
  catalogueRecords().flatMap((change) =>
    change.op === 'upsert' && change.resource === resource
      ? [RECORD_SCHEMAS[resource].parse(change.content) as Record<string, unknown>]
      : [],
  );

describe('the catalogue', () => {
  it('holds exactly 238 active municipalities, 16 counties and one inactive municipality, Mustang', () => {
    const jurisdictions = contents('jurisdictions');
    const cities = jurisdictions.filter((row) => row.level === 'city');
    expect(cities.filter((row) => row.active)).toHaveLength(238);
    expect(cities.filter((row) => !row.active).map((row) => row.name)).toEqual(['Mustang']);
    expect(jurisdictions.filter((row) => row.level === 'county')).toHaveLength(16);
  });

  it("ends every county's own slug in -county and leaves no two jurisdictions with one slug", () => {
    const jurisdictions = contents('jurisdictions');
    for (const row of jurisdictions) expect(String(row.slug).endsWith('-county')).toBe(row.level === 'county');
    expect(new Set(jurisdictions.map((row) => row.slug)).size).toBe(jurisdictions.length);
  });

  it('names for every municipality only counties of the region', () => {
    const counties = new Set(
      contents('jurisdictions').flatMap((row) => (row.level === 'county' ? (row.countySlugs as string[]) : [])),
    );
    expect(counties.size).toBe(16);
    for (const row of MUNICIPALITIES) expect(row.countySlugs.filter((slug) => !counties.has(slug))).toEqual([]);
  });

  it("has the seven bodies of the specification's cadence list, each with one unverified source", () => {
    const slugOf = new Map(
      catalogueRecords().map((change) => [
        change.id,
        change.op === 'upsert' ? (change.content as { slug?: string }).slug : '',
      ]),
    );
    const pairs = contents('public_bodies').map(
      (row) => `${slugOf.get(String(row.jurisdictionId))}/${String(row.slug)}`,
    );
    expect(pairs).toEqual([
      'dallas/city-council',
      'dallas-county/commissioners-court',
      'ellis-county/commissioners-court',
      'fort-worth/city-council',
      'kaufman-county/commissioners-court',
      'parker-county/commissioners-court',
      'wise-county/commissioners-court',
    ]);
    const sources = contents('sources');
    expect(sources.map((row) => row.status)).toEqual(Array.from({ length: 7 }, () => 'unknown'));
    expect(new Set(sources.map((row) => row.publicBodyId)).size).toBe(7);
  });

  it('gives every record an id of its own, the same on every call', () => {
    const ids = catalogueRecords().map((change) => change.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(catalogueRecords().map((change) => change.id)).toEqual(ids);
    expect(ids).toHaveLength(239 + 16 + 7 + 7);
  });

  it('is a seed with a name and a version', () => {
    expect(CATALOGUE_SEED).toEqual({ name: 'catalogue', version: 1 });
  });
});
