import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { agendaId } from '../support/agenda-events.ts';
import { at, itemIds, meetingWithItems, openTestSearch, type TestSearch } from '../support/agenda-search.ts';
import { TEST_TIME } from '../support/civic.ts';

let search: TestSearch;
let events: TestSearch['events'];

beforeAll(async () => {
  search = await openTestSearch();
  ({ events } = search);
});
afterAll(async () => search?.close());
beforeEach(async () => {
  await search.clear();
  search.clock.time = TEST_TIME;
});

const meeting = (name: string, body: string, startsAt: string, titles: readonly string[]) =>
  meetingWithItems(events, name, body, startsAt, titles);
const found = async (query: string): Promise<readonly string[]> =>
  (await search.search({ query })).results.map(({ title }) => title.split(' ')[0]!).toSorted();

describe('a hostile query', () => {
  beforeEach(async () => {
    await search.fold([
      ...events.place('dallas'),
      ...meeting('m', 'dallas', at(0), ['one Levy']),
      events.item('two', 'm', { title: 'two 👩 C++' }),
    ]);
  });

  test.each([
    '!!!',
    '"'.repeat(200),
    '-'.repeat(200),
    '- '.repeat(100),
    '-"'.repeat(100),
    '-" '.repeat(66),
    'or -'.repeat(50),
    'or or or',
    '""',
    '-',
    '👩👩👩',
    'the of and',
    '& | ! ( ) <-> :*',
    '\0',
    ' \t\n ',
    "'; drop table x; --",
    '\\',
    '\u{d800}',
    '%_%',
    '🙈'.repeat(100),
  ])('without a word finds nothing and gives the reason, or finds what it can: %j', async (query) => {
    const { results, guidance, nextCursor } = await search.search({ query });
    expect([results, nextCursor]).toEqual([[], null]);
    expect(guidance).toContain('An empty result does not prove that no government activity occurred.');
  });

  test.each([
    ['levy\0tax', ['one']],
    ['levy:* & one', ['one']],
    ['"levy', ['one']],
    ['levy"', ['one']],
    ['LEVY!!!', ['one']],
    ["levy' or 'x", ['one']],
    ['levy the', ['one']],
    ['\u{dc00}levy', ['one']],
    ["' b' or levy", ['one']],
    [`levy ${'-xyzzy '.repeat(27)}`, ['one']],
    [`levy ${'or levy '.repeat(24)}`, ['one']],
    [`"${'levy '.repeat(39)}"`, []],
  ])('with a word still finds it: %j', async (query, expected) => {
    expect(await found(query.slice(0, 200))).toEqual(expected);
  });

  test('of two hundred different letters or marks of the index is answered', async () => {
    const letters = Array.from({ length: 200 }, (_, n) => String.fromCodePoint(0x4e00 + n));
    expect(await found(letters.join(''))).toEqual([]);
    expect(await found(letters.slice(0, 100).join(' '))).toEqual([]);
    expect(await found(agendaId('public_bodies', 'dallas'))).toEqual([]);
    expect(await found(`" b${agendaId('public_bodies', 'dallas')}"`)).toEqual([]);
    expect(await found('zzzz yyyy xxxx wwww vvvv uuuu tttt ssss rrrr qqqq pppp oooo nnnn mmmm')).toEqual([]);
  });
});

describe('a hostile record', () => {
  test.each([
    ['different words', () => Array.from({ length: 200_000 }, (_, n) => n.toString(36)).join(' ')],
    ['signs that fall apart into many', () => '\ufdfa '.repeat(150_000)],
    ['one word of a megabyte', () => 'x'.repeat(900_000)],
    ['hyphens', () => 'a-'.repeat(400_000)],
    ['slashes', () => '/'.repeat(800_000)],
    ['addresses', () => 'a@b.c/'.repeat(100_000)],
    ['tags', () => '<a '.repeat(200_000)],
    ['letters of four bytes', () => Array.from({ length: 100_000 }, (_, n) => String.fromCodePoint(0x20000 + (n % 40_000))).join(' ')],
  ])('of a megabyte of %s is folded, found and shown', async (_, text) => {
    await search.fold([
      ...events.place('dallas'),
      events.meeting('m', 'dallas', at(0)),
      events.item('one', 'm', { title: 'one Levy', text: text() }),
      events.item('two', 'm', { title: `Levy ${text()}` }),
    ]);
    const { results } = await search.search({ query: 'levy' });
    expect(results.map(({ itemId }) => itemId).toSorted()).toEqual(itemIds('one', 'two').toSorted());
    for (const { excerpt } of results) expect(excerpt.length).toBeLessThanOrEqual(310);
    expect((await search.item('one'))!.text).toBe(text().trim());
  });
});
