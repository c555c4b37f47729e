import { describe, expect, it } from 'vitest';
import { RECORD_SCHEMAS, type RecordData } from '../../domain/records/resources.ts';
import { catalogueBodyId, catalogueSourceId } from '../../src/sources/catalogue/catalogue-records.ts';
import { mapBodies, placeOfClient, unlistedBodies } from '../../src/sources/agendas/bodies.ts';
import { standingOf } from '../../src/sources/agendas/body-names.ts';
import { derivedBodyId } from '../../src/sources/agendas/own-records.ts';
import { bodyRow, eventRow } from '../../src/sources/agendas/rows.ts';
import { bodyNameKey } from '../../src/sources/agendas/shared-bodies.ts';
import { SyncRefused } from '../../src/sources/source.ts';

const CLIENT = 'fortworthgov';

describe('clients', () => {
  it('are refused if they are outside the shipped table and have no place', () => {
    expect(() => placeOfClient('elsewhere', undefined)).toThrow(SyncRefused);
    expect(() => placeOfClient('elsewhere', 'atlantis')).toThrow(/not in the catalogue/);
    expect(() => placeOfClient('constructor', undefined)).toThrow(SyncRefused);
    expect(() => placeOfClient('../etc', 'dallas')).toThrow(SyncRefused);
    expect(() => placeOfClient('cityofdallas', 'fort-worth')).toThrow(/belongs to dallas/);
    expect(placeOfClient('elsewhere', 'addison').jurisdictionSlug).toBe('addison');
  });

  it('that were added have a place of their own, with its time zone', () => {
    const added = { slug: 'new-york', name: 'New York', timezone: 'America/New_York' };
    const place = placeOfClient('nyc', undefined, added);
    expect(place).toMatchObject({
      jurisdictionSlug: 'new-york',
      timezone: 'America/New_York',
      takenSlugs: [],
      adopted: [],
    });
    expect(place.jurisdiction).toMatchObject({
      resource: 'jurisdictions',
      content: { slug: 'new-york', level: 'city', countySlugs: [] },
    });
    expect(() => placeOfClient('nyc', 'addison', added)).toThrow(/belongs to new-york/);
    expect(() => placeOfClient('cityofdallas', undefined, added)).toThrow(/belongs to dallas/);
    expect(
      placeOfClient('elsewhere', undefined, { slug: 'addison', name: 'Addison', timezone: 'America/Chicago' })
        .jurisdiction,
    ).toBeNull();
    expect(placeOfClient('x', undefined, { ...added, slug: 'kings-county' }).jurisdiction).toMatchObject({
      content: { level: 'county' },
    });
  });
});

describe('bodies', () => {
  const rows = [
    { BodyId: 9, BodyName: 'Parks  Board', BodyTypeName: 'Advisory Board', BodyActiveFlag: 0 },
    { BodyId: 7, BodyName: 'CITY COUNCIL', BodyTypeName: 'Primary Legislative Body', BodyActiveFlag: 1 },
    { BodyId: 8, BodyName: 'Parks Board', BodyTypeName: 'Something Else', BodyActiveFlag: 1 },
    { BodyId: 6, BodyName: '  ', BodyTypeName: null, BodyActiveFlag: 1 },
  ].map((row) => bodyRow.parse(row));
  const mapped = mapBodies(CLIENT, placeOfClient(CLIENT, undefined), rows, new Map());

  it('are those of the catalogue for its records, and none is written twice', () => {
    expect(mapped.places.get(7)).toMatchObject({
      publicBodyId: catalogueBodyId('fort-worth', 'city-council'),
      sourceId: catalogueSourceId('fort-worth', 'city-council'),
    });
    expect(mapped.changes.map((change) => change.id)).not.toContain(catalogueBodyId('fort-worth', 'city-council'));
  });

  it('of two clients with one slug in one place have it by who has it already, else by the lower id', () => {
    const place = placeOfClient(CLIENT, undefined);
    const row = [bodyRow.parse({ BodyId: 8, BodyName: 'Parks Board' })];
    const bodyOf = (slug: string) => ({ slug }) as RecordData<'public_bodies'>;
    const own = derivedBodyId(CLIENT, 8);
    const slugWith = (published: Readonly<Record<string, string>>) => {
      const bodies = new Map(Object.entries(published).map(([id, slug]) => [id, bodyOf(slug)]));
      const [change] = mapBodies(CLIENT, place, row, bodies).changes;
      return RECORD_SCHEMAS.public_bodies.parse(change!.op === 'upsert' ? change!.content : null).slug;
    };
    const [lower, higher] = ['00000000-0000-4000-8000-000000000000', 'ffffffff-0000-4000-8000-000000000000'];
    expect(slugWith({})).toBe('parks-board');
    for (const other of [lower, higher]) {
      expect(slugWith({ [other]: 'parks-board' })).toBe('parks-board-8');
      expect(slugWith({ [other]: 'parks-board', [own]: 'parks-board-8' })).toBe('parks-board-8');
      expect(slugWith({ [other]: 'parks-board-3', [own]: 'parks-board' })).toBe('parks-board');
    }
    expect(slugWith({ [lower]: 'parks-board', [own]: 'parks-board' })).toBe('parks-board-8');
    expect(slugWith({ [higher]: 'parks-board', [own]: 'parks-board' })).toBe('parks-board');
  });

  it.each([
    ['Commissioners Court', 'ellis-county'],
    ['Ellis County Commissioners’ Court', 'ellis-county'],
    ['The Commissioners Court of Ellis County', 'ellis-county'],
    ['County of Ellis - COMMISSIONERS COURT', 'ellis-county'],
    ['Ellis County Commissioners Court Agenda', 'ellis-county'],
    ['Commissioners Court Agendas & Minutes', 'ellis-county'],
    ['City of Fort Worth Commissioners Court', 'fort-worth'],
    ['Commissioners Court, Fort Worth', 'fort-worth'],
  ])('named %j in %s have the key of their name alone', (name, slug) => {
    expect(bodyNameKey(name, slug)).toBe('commissioners court');
  });

  it('named after their place alone, or in other words, have other keys', () => {
    expect(bodyNameKey('Ellis County', 'ellis-county')).toBe('ellis county');
    expect(bodyNameKey('Agendas', 'ellis-county')).toBe('agendas');
    expect(bodyNameKey('Dallas County Commissioners Court', 'ellis-county')).toBe('dallas county commissioners court');
    expect(bodyNameKey('Parks & Recreation', 'dallas')).toBe(bodyNameKey('Parks and Recreation', 'dallas'));
  });

  const place = placeOfClient(CLIENT, undefined);
  const rowOf = (BodyId: number, BodyName: string) => bodyRow.parse({ BodyId, BodyName });
  const publishedAs = (slugs: Readonly<Record<number, string>>) =>
    new Map(
      Object.entries(slugs).map(([id, slug]) => [
        derivedBodyId(CLIENT, Number(id)),
        { slug } as RecordData<'public_bodies'>,
      ]),
    );
  const slugsOf = (...args: Parameters<typeof mapBodies>) =>
    mapBodies(...args).changes.map((change) =>
      change.op === 'upsert' ? (change.content as { slug: string }).slug : null,
    );

  it('keep their slug when they are renamed, and no other body gets it', () => {
    const published = publishedAs({ 8: 'parks-board' });
    expect(slugsOf(CLIENT, place, [rowOf(8, 'Park Commission'), rowOf(9, 'Parks Board')], published)).toEqual([
      'parks-board',
      'parks-board-9',
    ]);
    // One that has left the list, or was renamed by an earlier version.
    expect(slugsOf(CLIENT, place, [rowOf(9, 'Parks Board')], published)).toEqual(['parks-board-9']);
    const slugs = new Map([[derivedBodyId(CLIENT, 8), ['parks-board', 'park-commission', 'parks-board-9']]]);
    const renamed = publishedAs({ 8: 'park-commission' });
    expect(slugsOf(CLIENT, place, [rowOf(8, 'Parks'), rowOf(9, 'Parks Board')], renamed, { slugs })).toEqual([
      'park-commission',
      'parks-board-9-2',
    ]);
  });

  it('of the catalogue are known by their published meetings where they are renamed', () => {
    const sourceId = catalogueSourceId('fort-worth', 'city-council');
    const renamed = [rowOf(7, 'Common Council'), rowOf(8, 'Parks Board')];
    const { places } = mapBodies(CLIENT, place, renamed, new Map(), { adoptedIds: new Map([[sourceId, 7]]) });
    expect(places.get(7)).toEqual({
      sourceId,
      publicBodyId: catalogueBodyId('fort-worth', 'city-council'),
      name: 'Common Council',
    });
    const other = mapBodies(CLIENT, place, [...renamed, rowOf(9, 'City Council')], new Map(), {
      adoptedIds: new Map([[sourceId, 7]]),
    });
    expect([other.places.get(9)?.sourceId, other.places.get(7)?.publicBodyId]).toEqual([
      sourceId,
      derivedBodyId(CLIENT, 7),
    ]);
  });

  it('that are not in the list and have events are active while one is still to come', () => {
    const event = (EventBodyId: number, EventDate: string, EventBodyName: string | null) =>
      eventRow.parse({ EventId: 1, EventBodyId, EventBodyName, EventDate });
    const events = [
      event(7, '2026-05-01T00:00:00', 'City Council'),
      event(8, '2025-05-01T00:00:00', 'Old name'),
      event(8, '2026-03-01T00:00:00', 'Parks Board'),
      event(9, '2026-03-10T00:00:00', 'Art Board'),
      event(10, '2026-03-11T00:00:00', null),
    ];
    const unlisted = unlistedBodies(events, new Set([7]), '2026-03-10');
    expect(unlisted).toEqual([
      { bodyId: 8, name: 'Parks Board', hasUpcoming: false },
      { bodyId: 9, name: 'Art Board', hasUpcoming: true },
      { bodyId: 10, name: null, hasUpcoming: true },
    ]);
    const mapped = mapBodies(CLIENT, place, [rowOf(7, 'City Council')], new Map(), { unlisted });
    expect(new Set(mapped.places.keys())).toEqual(new Set([7, 8, 9]));
    expect(mapped.unread).toEqual(new Set([8]));
    expect(
      mapped.changes.map((change) => (change.op === 'upsert' ? (change.content as { active: boolean }).active : null)),
    ).toEqual([false, true]);
  });

  it.each([
    ['TO BE REMOVED', 'hidden'],
    ['Library Board - to be deleted', 'hidden'],
    ['DO NOT USE - Library Board', 'hidden'],
    ["Don't Use", 'hidden'],
    ['DELETE', 'hidden'],
    ['(Deleted) Library Board', 'hidden'],
    ['Library Board - REMOVED', 'hidden'],
    ['TEST', 'hidden'],
    ['Test Committee 2', 'hidden'],
    ['zzTest', 'hidden'],
    ['Library Board (TEST)', 'hidden'],
    ['zz Library Board', 'former'],
    ['zzzLibrary Board', 'former'],
    ['ZZ-Library Board', 'former'],
    ['OBSOLETE - Library Board', 'former'],
    ['Library Board (Inactive)', 'former'],
    ['Water Testing Board', 'present'],
    ['Board of Test Standards', 'present'],
    ['Zzyzx Road Authority', 'present'],
    ['Inactive Landfill Committee', 'present'],
    ['Committee to Remove Barriers', 'present'],
    ['Voids and Deletions Committee', 'present'],
    ['City Council', 'present'],
  ])('named %j are %s', (name, standing) => {
    expect(standingOf(name)).toBe(standing);
  });

  it('that are not in the catalogue have an id and a slug of their own', () => {
    const contents = mapped.changes.map((change) =>
      RECORD_SCHEMAS.public_bodies.parse(change.op === 'upsert' ? change.content : null),
    );
    expect(contents.map(({ slug, bodyType, active }) => ({ slug, bodyType, active }))).toEqual([
      { slug: 'parks-board', bodyType: 'other', active: true },
      { slug: 'parks-board-9', bodyType: 'advisory_board', active: false },
    ]);
    expect(mapped.skipped).toEqual([{ what: 'body', id: '6', reason: 'has no name' }]);
  });
});
