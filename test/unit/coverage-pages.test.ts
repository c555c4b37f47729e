import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CoverageInput,
  type CoveragePage,
  listDfwResearchCoverage,
} from '../../queries/coverage/list-dfw-research-coverage.ts';
import {
  type CoverageCatalogue,
  decodeCoverageCursor,
  encodeCoverageCursor,
  MAX_COVERAGE_CURSOR_LENGTH,
} from '../../domain/coverage.ts';
import { cursorText, encodeFeedCursor } from '../../domain/cursor.ts';
import { FAMILIES } from '../../domain/records/schemas.ts';
import { Rejection } from '../../domain/rejections.ts';
import { COUNTIES } from '../../src/sources/catalogue/catalogue-records.ts';
import { COVERAGE_CATALOGUE } from '../../src/sources/coverage/coverage-catalogue.ts';

const PLAIN = { includeInactive: false, limit: 20 };
const list = (input: Partial<CoverageInput>, catalogue: CoverageCatalogue = COVERAGE_CATALOGUE): CoveragePage =>
  listDfwResearchCoverage(catalogue, { ...PLAIN, ...input });
const slugs = ({ data }: CoveragePage): string[] => data.map((row) => row.jurisdictionSlug);

function walk(input: Partial<CoverageInput>): CoveragePage[] {
  const pages: CoveragePage[] = [];
  for (let cursor: string | null | undefined; cursor !== null && pages.length < 300; ) {
    const page = list({ ...input, ...(cursor === undefined ? {} : { cursor }) });
    pages.push(page);
    cursor = page.meta.pagination.nextCursor;
  }
  return pages;
}

function expectRefused(work: () => unknown, why: string): void {
  let thrown: unknown;
  try {
    work();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(Rejection);
  expect((thrown as Rejection).code).toBe('invalid_parameter');
  expect((thrown as Rejection).message).toContain(why);
}

describe('the pages of the coverage catalogue', () => {
  const filters: Partial<CoverageInput>[] = [
    {},
    { includeInactive: true },
    ...COUNTIES.map(({ slug }) => ({ county: slug })),
    ...FAMILIES.map((family) => ({ family })),
    { county: 'navarro', includeInactive: true },
    { county: 'tarrant', family: 'city.procurement' },
    { county: 'dallas', family: 'county.elections' },
    { jurisdictionSlug: 'dallas' },
  ];

  it('contain exactly the matches of any filter, each jurisdiction once and in the order of slugs', () => {
    for (const filter of filters) {
      for (const limit of [1, 7, 20]) {
        const pages = walk({ ...filter, limit });
        const expected = COVERAGE_CATALOGUE.jurisdictions.filter(
          (row) =>
            (row.active || filter.includeInactive === true) &&
            (filter.jurisdictionSlug === undefined || row.jurisdictionSlug === filter.jurisdictionSlug) &&
            (filter.county === undefined || row.countySlugs.includes(filter.county)) &&
            (filter.family === undefined || filter.family.startsWith(`${row.level}.`)),
        );
        expect(expected.length).toBeGreaterThan(0);
        expect(pages.flatMap(slugs)).toEqual(expected.map((row) => row.jurisdictionSlug).toSorted());
        for (const { data, meta } of pages) {
          expect(meta.pagination).toMatchObject({ limit, returned: data.length, total: expected.length });
          expect(data.length).toBeGreaterThan(0);
          expect(data.length).toBeLessThanOrEqual(limit);
        }
      }
    }
  });

  it('have 254 jurisdictions without the inactive one and 255 with it', () => {
    expect(list({}).meta.pagination.total).toBe(254);
    expect(list({ includeInactive: true }).meta.pagination.total).toBe(255);
    expect(slugs(list({ jurisdictionSlug: 'mustang' }))).toEqual([]);
    expect(slugs(list({ jurisdictionSlug: 'mustang', includeInactive: true }))).toEqual(['mustang']);
  });

  it('contain a jurisdiction for each county that holds any part of it', () => {
    for (const county of ['dallas', 'collin', 'denton', 'kaufman', 'rockwall']) {
      expect(slugs(list({ jurisdictionSlug: 'dallas', county }))).toEqual(['dallas']);
    }
    expect(slugs(list({ jurisdictionSlug: 'dallas', county: 'tarrant' }))).toEqual([]);
    expect(slugs(list({ jurisdictionSlug: 'dallas-county', county: 'dallas' }))).toEqual(['dallas-county']);
  });

  it('contain only the requested family of each jurisdiction, or all families without a filter', () => {
    for (const family of FAMILIES) {
      for (const row of list({ family }).data) expect(row.families.map((covered) => covered.family)).toEqual([family]);
    }
    expect(list({ jurisdictionSlug: 'dallas' }).data[0]!.families).toHaveLength(11);
    expect(list({ jurisdictionSlug: 'dallas-county' }).data[0]!.families).toHaveLength(10);
  });

  it('are one empty page for an unknown jurisdiction, also if only case or a part of the slug differs', () => {
    for (const jurisdictionSlug of ['atlantis', 'Dallas', 'dalla', '']) {
      const page = list({ jurisdictionSlug });
      expect(page.data).toEqual([]);
      expect(page.meta.pagination).toEqual({ limit: 20, returned: 0, total: 0, nextCursor: null });
      expect(page.meta.catalogVersion).toBe(COVERAGE_CATALOGUE.catalogVersion);
    }
  });
});

describe('a coverage cursor', () => {
  const cursor = list({}).meta.pagination.nextCursor!;

  it('is refused under any other filter or limit', () => {
    const others: Partial<CoverageInput>[] = [
      { county: 'dallas' },
      { family: 'city.ordinances' },
      { jurisdictionSlug: 'dallas' },
      { includeInactive: true },
      { limit: 19 },
    ];
    expect(list({ cursor }).data).toHaveLength(20);
    for (const other of others) expectRefused(() => list({ ...other, cursor }), 'other filters or another limit');
    const filtered = { county: 'tarrant', family: 'city.ordinances' };
    const bound = list(filtered).meta.pagination.nextCursor!;
    expect(list({ ...filtered, cursor: bound }).data).toHaveLength(20);
    expectRefused(() => list({ county: 'tarrant', cursor: bound }), 'other filters');
    expectRefused(() => list({ ...filtered, family: 'city.procurement', cursor: bound }), 'other filters');
  });

  it('is refused by another version of the catalogue', () => {
    const next = { ...COVERAGE_CATALOGUE, catalogVersion: '2027-01-01.000000000000' };
    expectRefused(() => list({ cursor }, next), 'another version');
  });

  it('that names a place beyond the end is refused', () => {
    const decoded = decodeCoverageCursor(cursor);
    if (typeof decoded === 'string') throw new Error(decoded);
    expect(list({ cursor: encodeCoverageCursor({ ...decoded, offset: 253 }) }).data).toHaveLength(1);
    expectRefused(() => list({ cursor: encodeCoverageCursor({ ...decoded, offset: 254 }) }), 'beyond the last match');
  });

  it('of another kind, and any invalid text, is refused', () => {
    const feed = encodeFeedCursor({
      feedId: '00000000-0000-4000-8000-000000000000',
      position: 20,
      fingerprint: null,
      binding: 'nothing',
    });
    expectRefused(() => list({ cursor: feed }), 'cursor is not');
    for (const text of ['', '20', cursor.slice(0, -1), `${cursor}A`, 'A'.repeat(MAX_COVERAGE_CURSOR_LENGTH + 1)]) {
      expectRefused(() => list({ cursor: text }), 'does not decode');
    }
    for (const json of ['', 'null', '{}', '[]', '["2026-11-21.000000000000",null,null,null,false,20,0]']) {
      expectRefused(() => list({ cursor: cursorText('coverage', Buffer.from(json, 'utf8')) }), 'does not decode');
    }
  });

  it('decodes to its values, has one text for one value, and has at most the allowed length', () => {
    const filter = fc.option(
      fc.string({ unit: 'grapheme', maxLength: 80 }).filter((text) => text.length <= 80 && text.isWellFormed()),
    );
    const cursors = fc.record({
      catalogVersion: fc.constant(COVERAGE_CATALOGUE.catalogVersion),
      binding: fc.record({
        jurisdictionSlug: filter,
        county: fc.constantFrom(null, 'palo-pinto'),
        family: fc.constantFrom(null, ...FAMILIES),
        includeInactive: fc.boolean(),
        limit: fc.integer({ min: 1, max: 20 }),
      }),
      offset: fc.integer({ min: 1, max: 255 }),
    });
    fc.assert(
      fc.property(cursors, (cursor) => {
        const text = encodeCoverageCursor(cursor);
        expect(text.length).toBeLessThanOrEqual(MAX_COVERAGE_CURSOR_LENGTH);
        expect(decodeCoverageCursor(text)).toEqual(cursor);
      }),
    );
    const spaced = JSON.stringify(['v', null, null, null, false, 20, 20]).replace(',', ', ');
    expect(decodeCoverageCursor(cursorText('coverage', Buffer.from(spaced, 'utf8')))).toBe('damaged');
  });
});
