import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSearchContext } from '../../queries/search/search-context.ts';
import { searchQuery } from '../../queries/search/search-query.ts';
import { at, meetingWithItems, openTestSearch, type TestSearch } from '../support/agenda-search.ts';

let search: TestSearch;

beforeAll(async () => {
  search = await openTestSearch();
  const { events, fold } = search;
  await fold([
    ...events.place('dallas'),
    events.topic('zoning'),
    ...meetingWithItems(events, 'm', 'dallas', at(0), ['one Orchard levy', 'two Orchard']),
  ]);
});
afterAll(async () => search?.close());

const contextOf = (query: string, filters: { jurisdictionSlug?: string; topicSlug?: string } = {}) =>
  readSearchContext(search.reads, searchQuery(query, 2026), { jurisdictionSlug: null, topicSlug: null, ...filters });

test('PostgreSQL makes a query of each part, and the parts are composed', async () => {
  expect(await contextOf('orchard -levy or "elm street"')).toMatchObject({
    query: "( 'orchard' ) & !( 'levi' ) | ( 'elm' <-> 'street' )",
    units: [],
    pairs: [],
  });
  expect((await contextOf('orchard the levy')).units).toEqual(["'orchard'", "'levi'"]);
  expect(await contextOf('the of')).toMatchObject({ query: '', anyWord: '', units: [] });
});

test('any word of the query is matched without marks', async () => {
  const { anyWord } = await contextOf('"elm street" I-35 245-177 trash');
  expect(anyWord.split(' | ')).toEqual(expect.arrayContaining(["'elm'", "'street'", "'trash'"]));
  expect(anyWord).not.toMatch(/' [nd]/);
  expect((await contextOf('elm-street')).anyWord).toBe("'elm' | 'elm-street' | 'street'");
  expect((await contextOf('I-35')).anyWord).toBe('');
});

test('words are counted, known or unknown, and those of a whole name of a place name it', async () => {
  const context = await contextOf('the orchard zzyzx city of dallas');
  expect(context.records).toMatchObject({ orchard: 2 });
  expect(context.unknown).toContain('zzyzx');
  expect(context.places).toEqual(['dalla']);
  expect((await contextOf('orchard city')).places).toEqual([]);
});

test('filters are the marks of the bodies and of the topic, or null if unknown', async () => {
  const context = await contextOf('orchard', { jurisdictionSlug: 'dallas', topicSlug: 'zoning' });
  expect([context.bodies, context.topic]).toEqual([expect.stringMatching(/^' b/), expect.stringMatching(/^' t/)]);
  const unknown = await contextOf('orchard', { jurisdictionSlug: 'nowhere', topicSlug: 'nothing' });
  expect([unknown.bodies, unknown.topic]).toEqual([null, null]);
});
