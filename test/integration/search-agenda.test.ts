import { beforeEach, describe, expect, test } from 'vitest';
import { encodeUpcomingCursor } from '../../domain/cursor.ts';
import { agendaId } from '../support/agenda-events.ts';
import { at, itemIds, meetingWithItems, type SearchArguments, useTestSearch } from '../support/agenda-search.ts';
import { DAY_MS, TEST_TIME } from '../support/civic.ts';
import { MAX_CANDIDATES } from '../../queries/search/ranked-page.ts';

const search = await useTestSearch();
const { events } = search;

const meeting = (name: string, body: string, startsAt: string, titles: readonly string[]) =>
  meetingWithItems(events, name, body, startsAt, titles);

const titles = async (input: SearchArguments): Promise<readonly string[]> =>
  (await search.search(input)).results.map(({ title }) => title.split(' ')[0]!);

const titlesOf = async (query: string): Promise<readonly string[]> => (await titles({ query })).toSorted();

describe('words', () => {
  beforeEach(async () => {
    await search.fold([
      ...events.place('dallas'),
      ...meeting('m', 'dallas', at(0), [
        'one Zoning change for a car wash on Elm Street',
        'two Elm trees are planted along the street',
        'three Contract for street resurfacing',
        'four Budget of the parks department',
      ]),
    ]);
  });

  test('are all found, in any form and order', async () => {
    expect(await titlesOf('streets elm')).toEqual(['one', 'two']);
    expect(await titlesOf('ELM washing')).toEqual(['one']);
    expect(await titlesOf('planting')).toEqual(['two']);
  });

  test('in quotes do not match across two fields', async () => {
    await search.fold([
      events.item('seven', 'm', {
        title: 'seven Alpha',
        text: 'beta',
        actionText: 'gamma',
        matterType: 'delta',
        matterFile: 'omega',
      }),
      events.topic('topic', { name: 'Sigma', publicLabel: 'Tau' }),
      events.hit('h', 'seven', 'topic'),
    ]);
    const fields = [
      'omega',
      'seven alpha',
      'sigma',
      'tau',
      'council of dallas',
      'city of dallas',
      'gamma',
      'delta',
      'beta',
    ];
    for (const field of fields) expect(await titlesOf(`"${field}" seven`)).toEqual(['seven']);
    for (const left of fields)
      for (const right of fields)
        expect([left, right, await titlesOf(`"${left} ${right}"`)]).toEqual([left, right, []]);
  });

  test('in quotes match adjacent words; or matches either; a minus excludes', async () => {
    expect(await titlesOf('"elm street"')).toEqual(['one']);
    expect(await titlesOf('“elm street”')).toEqual(['one']);
    expect(await titlesOf('zoning or budget')).toEqual(['four', 'one']);
    expect(await titlesOf('zoning OR budget')).toEqual(['four', 'one']);
    expect(await titlesOf('street -elm')).toEqual(['three']);
    expect(await titlesOf('street -"elm street"')).toEqual(['three', 'two']);
    expect(await titlesOf('-street')).toEqual(['four']);
    // An excluded abbreviation also excludes its long form.
    expect(await titlesOf('elm -st')).toEqual([]);
  });

  test('of body, jurisdiction, topic, file, text, action and documents are found', async () => {
    await search.fold([
      events.topic('housing', { name: 'Homes', publicLabel: 'Affordable dwellings' }),
      events.item('five', 'm', {
        title: 'five',
        text: 'quarry',
        matterFile: '24-1757',
        matterType: 'Ordinance',
        actionText: 'withdrawn by mover',
      }),
      events.hit('h', 'five', 'housing'),
      events.publish('documents', 'd', {
        agendaItemId: agendaId('agenda_items', 'five'),
        kind: 'exhibit',
        title: 'Drainage map',
        url: 'https://example.org/d',
      }),
    ]);
    for (const query of [
      'quarry',
      '24-1757',
      'ordinance',
      'mover',
      'dwelling',
      'homes',
      'drainage maps',
      'city of dallas council quarry',
    ]) {
      expect([query, await titlesOf(query)]).toEqual([query, ['five']]);
    }
    expect(await titlesOf('city of dallas')).toHaveLength(5);
  });

  test('are found with and without their accents', async () => {
    await search.fold([events.item('six', 'm', { title: 'six Calle Peña ﬁesta' })]);
    for (const query of ['pena', 'peña', 'PEÑA', 'fiesta'])
      expect([query, await titlesOf(query)]).toEqual([query, ['six']]);
  });

  test('rank highest in the title, then in topics, then in names, then in the text', async () => {
    await search.fold([
      events.body('quarry', { jurisdictionId: agendaId('jurisdictions', 'dallas'), name: 'Quarry council' }),
      events.topic('quarry'),
      events.meeting('n', 'quarry', at(0)),
      events.item('name', 'n', { title: 'name', agendaNumber: '1' }),
      events.item('text', 'm', { title: 'text', text: 'quarry' }),
      events.item('topic', 'm', { title: 'topic', agendaNumber: '2' }),
      events.hit('h', 'topic', 'quarry'),
      events.item('title', 'm', { title: 'title quarry', agendaNumber: '3' }),
    ]);
    expect(await titles({ query: 'quarry' })).toEqual(['title', 'topic', 'name', 'text']);
  });

  test('of equal weight put the latest meeting first', async () => {
    await search.fold([
      ...meeting('old', 'dallas', at(-9), ['old Landfill']),
      ...meeting('new', 'dallas', at(9), ['new Landfill']),
      ...meeting('mid', 'dallas', at(3), ['mid Landfill']),
    ]);
    expect(await titles({ query: 'landfill' })).toEqual(['new', 'mid', 'old']);
  });
});

describe('a misspelled word', () => {
  beforeEach(async () => {
    await search.fold([
      ...events.place('dallas'),
      ...meeting('m', 'dallas', at(0), ['one Restaurant parking', 'two Resurfacing of streets', 'three Annexation']),
    ]);
  });

  test('finds the nearest one and the guidance says so', async () => {
    for (const [query, words] of [
      ['resturant', '"resturant"; searched for "restaurant"'],
      ['parking restuarant', '"restuarant"; searched for "restaurant"'],
      ['"resturant parking"', '"resturant"; searched for "restaurant"'],
      ['dalas restaurant', '"dalas"; searched for "dallas"'],
    ] as const) {
      const { results, guidance } = await search.search({ query });
      expect([query, results.map(({ title }) => title)]).toEqual([query, ['one Restaurant parking']]);
      expect(guidance).toContain(words);
    }
  });

  test.each(['polcie', 'ploice', 'poilce'])(
    '%s, with two letters swapped, finds the word of these letters',
    async (query) => {
      await search.fold(meeting('n', 'dallas', at(1), ['four Police policies', 'five Policies', 'six Price']));
      const { results, guidance } = await search.search({ query });
      expect(results.map(({ title }) => title)).toEqual(['four Police policies']);
      expect(guidance).toContain('searched for "police" instead');
    },
  );

  test('is not corrected to a word that is left out of every search', async () => {
    await search.fold(meeting('n', 'dallas', at(1), ['four What does it cost']));
    for (const word of ['deos', 'doess'])
      expect((await search.search({ query: `${word} parking` })).guidance).toContain(
        `No record has the word "${word}".`,
      );
  });

  test('of a date is none', async () => {
    expect((await search.search({ query: 'parking Sept 10 2025' })).guidance).not.toContain('No record has');
    expect((await search.search({ query: 'parking sepptember' })).guidance).toContain(
      'No record has the word "sepptember"',
    );
  });

  test('that is excluded or an alternative is corrected as well', async () => {
    expect(await titlesOf('-resturant')).toEqual(['three', 'two']);
    expect(await titlesOf('anexation or resturant')).toEqual(['one', 'three']);
  });

  test('is unchanged without a near word, and a known word is never replaced', async () => {
    const { results, guidance } = await search.search({ query: 'xylophone' });
    expect(results).toEqual([]);
    expect(guidance).toMatch(
      /^No record has the word "xylophone"\. No agenda item matches\. An empty result does not prove that no government activity occurred\./,
    );
    expect(guidance).not.toContain('searched for');
    expect((await search.search({ query: 'streets' })).guidance).not.toContain('searched for');
  });

  test('is no longer corrected to a word whose last record was removed', async () => {
    await search.fold([events.item('one', 'm', { title: 'one Car wash' })]);
    const { results, guidance } = await search.search({ query: 'resturant' });
    expect([results, guidance.includes('searched for')]).toEqual([[], false]);
    await search.fold([events.withdraw('agenda_items', 'three')]);
    expect((await search.search({ query: 'anexation' })).results).toEqual([]);
  });
});

describe('words that no item has together', () => {
  beforeEach(async () => {
    await search.fold([
      ...events.place('dallas'),
      ...meeting('m', 'dallas', at(0), [
        'one Helicopter purchase for the police',
        'two Helicopter maintenance',
        'three Police training',
        'four Police cars',
      ]),
    ]);
  });

  test('find the items that have some of them, those with the rarer words first, and the guidance says so', async () => {
    const { results, guidance } = await search.search({ query: 'which helicopter do the police buy' });
    expect(results.map(({ title }) => title.split(' ')[0])).toEqual(['one']);
    expect(guidance).toContain('No item has all of these words');
    expect(await titlesOf('helicopter schools')).toEqual(['one', 'two']);
  });

  test('that few items have all of: the guidance says that all were required', async () => {
    const saysAllWords = async (query: string) =>
      (await search.search({ query, limit: 2 })).guidance.includes('All of these words were required');
    expect(await saysAllWords('helicopter purchase police')).toBe(true);
    expect(await saysAllWords('helicopter purchase')).toBe(false);
    expect(await saysAllWords('the police of a car')).toBe(false);
    expect(await saysAllWords('helicopter or purchase or police')).toBe(false);
    expect(await saysAllWords('which helicopter do the police buy')).toBe(false);
    expect(await saysAllWords('helicopter bridge school')).toBe(false);
    expect(await saysAllWords('police council dallas')).toBe(false);
  });

  test('find nothing with a minus, in quotes, or if less than half of them match', async () => {
    expect(await titlesOf('helicopter schools -cars')).toEqual([]);
    expect(await titlesOf('"helicopter schools"')).toEqual([]);
    expect(await titlesOf('helicopter schools bridges')).toEqual([]);
  });

  test('give further pages of the same search', async () => {
    const query = 'police schools';
    const first = await search.search({ query, limit: 1 });
    await search.fold([events.item('five', 'm', { title: 'five Police in schools' })]);
    const rest = await search.search({ query, limit: 5, cursor: first.nextCursor! });
    const names = [...first.results, ...rest.results].map(({ title }) => title.split(' ')[0]!);
    expect(new Set(names)).toEqual(new Set(['four', 'one', 'three']));
    expect(names).toHaveLength(3);
  });
});

describe('filters', () => {
  beforeEach(async () => {
    await search.fold([
      ...events.place('dallas'),
      ...events.place('plano'),
      events.topic('zoning'),
      ...meeting('a', 'dallas', '2026-03-01T05:59:00.000Z', ['a1 Permit', 'a2 Permit']),
      ...meeting('b', 'dallas', '2026-03-01T06:00:00.000Z', ['b1 Permit']),
      ...meeting('c', 'plano', '2026-04-10T18:00:00.000Z', ['c1 Permit', 'c2 Levy']),
      events.hit('h1', 'a2', 'zoning'),
      events.hit('h2', 'c1', 'zoning'),
    ]);
  });
  const permits = async (input: object) => (await titles({ query: 'permit', ...input })).toSorted();

  test('accept a jurisdiction, a topic, or both', async () => {
    expect(await permits({ jurisdictionSlug: 'dallas' })).toEqual(['a1', 'a2', 'b1']);
    expect(await permits({ topicSlug: 'zoning' })).toEqual(['a2', 'c1']);
    expect(await permits({ topicSlug: 'zoning', jurisdictionSlug: 'plano' })).toEqual(['c1']);
  });

  test('accept the local days of the meeting, both ends included', async () => {
    expect(await permits({ fromDate: '2026-03-01' })).toEqual(['b1', 'c1']);
    expect(await permits({ toDate: '2026-02-28' })).toEqual(['a1', 'a2']);
    expect(await permits({ fromDate: '2026-02-28', toDate: '2026-03-01' })).toEqual(['a1', 'a2', 'b1']);
    expect(await permits({ fromDate: '0001-01-01', toDate: '9999-12-31' })).toHaveLength(4);
  });

  test('of a known jurisdiction without a body say that none is covered yet, and where the covered ones are', async () => {
    await search.fold([events.jurisdiction('celina')]);
    const { results, guidance } = await search.search({ query: 'permit', jurisdictionSlug: 'celina' });
    expect(results).toEqual([]);
    expect(guidance).toMatch(
      /^No body of this jurisdiction is covered yet: get_coverage lists the jurisdictions that are\. /,
    );
    expect(guidance).not.toContain('is known');
    expect((await search.search({ query: 'permit', jurisdictionSlug: 'dallas' })).guidance).not.toContain(
      'covered yet',
    );
  });

  test('name the unknown values, and find nothing by them', async () => {
    const { results, guidance } = await search.search({
      query: 'permit',
      jurisdictionSlug: 'atlantis',
      topicSlug: 'gold',
    });
    expect(results).toEqual([]);
    expect(guidance).toContain(
      'No jurisdiction with this jurisdictionSlug is known. No topic with this topicSlug is known.',
    );
  });

  test('select the older of two records with one slug', async () => {
    const createdAt = '2027-01-01T00:00:00.000Z';
    await search.fold([
      events.jurisdiction('second', { slug: 'dallas', createdAt }),
      events.body('second', { createdAt }),
      events.topic('zoning too', { slug: 'zoning', createdAt }),
      ...meeting('d', 'second', '2026-04-10T18:00:00.000Z', ['d1 Permit']),
      events.hit('h3', 'b1', 'zoning too'),
    ]);
    expect(await permits({ jurisdictionSlug: 'dallas' })).toEqual(['a1', 'a2', 'b1']);
    expect(await permits({ topicSlug: 'zoning' })).toEqual(['a2', 'c1']);
    expect(await permits({})).toContain('d1');
  });

  test('that the schema refuses: a malformed or invalid date, an end before the beginning, a bad slug', async () => {
    for (const input of [
      { fromDate: '2026-3-1' },
      { fromDate: '2026-02-30' },
      { fromDate: '2026-03-02', toDate: '2026-03-01' },
      { jurisdictionSlug: 'Dallas' },
      { topicSlug: 'a b' },
      { limit: 0 },
      { limit: 21 },
      { limit: 1.5 },
      { query: '' },
      { query: 'x'.repeat(201) },
      { cursor: 'x'.repeat(513) },
      { other: 1 },
    ]) {
      await expect(search.search({ query: 'permit', ...input })).rejects.toThrow();
    }
  });
});

describe('cursors', () => {
  const query = 'permit';
  beforeEach(async () => {
    await search.fold([
      ...events.place('dallas'),
      events.topic('zoning'),
      ...meeting(
        'm',
        'dallas',
        at(0),
        Array.from({ length: 7 }, (_, n) => `n${n} Permit`),
      ),
    ]);
  });

  test('continue right after any row', async () => {
    const { data, cursorAfter } = await search.page({ query, limit: 7 });
    expect(data.nextCursor).toBeNull();
    for (const index of data.results.keys()) {
      const cursor = cursorAfter(index + 1);
      expect((await search.search({ query, cursor })).results).toEqual(data.results.slice(index + 1));
    }
    expect((await search.search({ query, cursor: cursorAfter(7) })).guidance).toMatch(
      /^There are no further results\./,
    );
  });

  test('work with another page size, and with no other query or filter', async () => {
    const { nextCursor } = await search.search({ query, limit: 2 });
    expect(nextCursor!.length).toBeLessThanOrEqual(512);
    expect((await search.search({ query, limit: 20, cursor: nextCursor! })).results).toHaveLength(5);
    for (const other of [
      { query: 'permits' },
      { query, jurisdictionSlug: 'dallas' },
      { query, topicSlug: 'zoning' },
      { query, fromDate: '2026-01-01' },
      { query, toDate: '2026-01-01' },
    ]) {
      await expect(search.search({ ...other, cursor: nextCursor! })).rejects.toMatchObject({ code: 'invalid_cursor' });
    }
  });

  test('that are damaged or of another kind are refused', async () => {
    const { nextCursor } = await search.search({ query, limit: 2 });
    const upcoming = encodeUpcomingCursor({ startsAt: 0, classifiedAt: 0, hitId: agendaId('agenda_hits', 'x') });
    const damaged = nextCursor!
      .split('')
      .map((_, index, all) => all.with(index, all[index] === 'A' ? 'B' : 'A').join(''));
    for (const cursor of ['x', `${nextCursor!} `, nextCursor!.slice(1), upcoming, ...damaged]) {
      await expect(search.search({ query, cursor })).rejects.toMatchObject({ code: 'invalid_cursor' });
    }
  });
});

describe('an answer', () => {
  test('names the publisher and the freshness of its source, stale after two days', async () => {
    const lastSuccessfulCheckAt = new Date(TEST_TIME).toISOString();
    await search.fold([
      ...events.place('dallas'),
      events.source('dallas', { lastSuccessfulCheckAt, sourceType: 'granicus' }),
      ...meeting('m', 'dallas', at(0), ['one Levy']),
    ]);
    const ask = async () => (await search.search({ query: 'levy' })).results[0]!;
    expect(await ask()).toMatchObject({
      jurisdiction: 'City of dallas',
      body: 'Council of dallas',
      meetingAt: at(0),
      sourceUrl: 'https://example.org/i/one',
      publisher: { jurisdiction: 'City of dallas', body: 'Council of dallas', sourceType: 'granicus' },
      freshness: { status: 'healthy', lastSuccessfulCheckAt },
    });
    search.clock.advance(2 * DAY_MS);
    expect((await ask()).freshness.status).toBe('healthy');
    search.clock.advance(1);
    expect((await ask()).freshness).toEqual({ status: 'stale', lastSuccessfulCheckAt });
    await search.fold([events.source('dallas', { status: 'failing' })]);
    expect((await ask()).freshness).toEqual({ status: 'failing', lastSuccessfulCheckAt: null });
    await search.fold([events.withdraw('sources', 'dallas')]);
    expect(await ask()).toMatchObject({
      publisher: { sourceType: null },
      freshness: { status: 'unknown', lastSuccessfulCheckAt: null },
    });
  });

  test("uses the meeting's own source, else the body's oldest active one", async () => {
    const createdAt = '2027-01-01T00:00:00.000Z';
    const ofBody = {
      publicBodyId: agendaId('public_bodies', 'dallas'),
      jurisdictionId: agendaId('jurisdictions', 'dallas'),
    };
    await search.fold([
      ...events.place('dallas'),
      events.source('own', { ...ofBody, sourceType: 'swagit', createdAt }),
      events.source('closed', { ...ofBody, sourceType: 'pdf', active: false, createdAt: '2020-01-01T00:00:00.000Z' }),
      ...meeting('m', 'dallas', at(0), ['one Levy']),
    ]);
    const type = async () => (await search.search({ query: 'levy' })).results[0]!.publisher.sourceType;
    await search.fold([events.meeting('m', 'dallas', at(0), { sourceId: agendaId('sources', 'own') })]);
    expect(await type()).toBe('swagit');
    await search.fold([events.meeting('m', 'dallas', at(0), { sourceId: null })]);
    expect(await type()).toBe('legistar');
  });

  test('has an excerpt around the match in the text, or of the title if the match is there', async () => {
    const filler = 'Nothing of note was said about anything at all by anybody. '.repeat(40);
    await search.fold([
      ...events.place('dallas'),
      events.meeting('m', 'dallas', at(0)),
      events.item('one', 'm', {
        title: 'one Levy',
        text: `${filler}The quarry\n\n<b>closes</b>   next year. ${filler}`,
      }),
    ]);
    const excerpt = async (query: string) => (await search.search({ query })).results[0]!.excerpt;
    const around = await excerpt('quarry');
    expect(around).toMatch(/^… .*The quarry .*closes.* next year\..* …$/);
    expect(around.length).toBeLessThanOrEqual(304);
    expect(await excerpt('levy quarry')).toContain('quarry');
    expect(await excerpt('levies')).toBe('one Levy');
  });

  test.each([
    ['𝔘'.repeat(5000), /^𝔘+ …$/u],
    ['e\u0301'.repeat(5000), /^(?:e\u0301|é)+ …$/u],
    ['👩‍👩‍👧‍👦'.repeat(2000), /^(?:👩‍👩‍👧‍👦)+ …$/u],
    [`e${'\u0301'.repeat(5000)}`, /^(?:é|\u0301)/u],
  ])('splits no character of a long text without spaces (%#)', async (text, expected) => {
    await search.fold([
      ...events.place('dallas'),
      events.meeting('m', 'dallas', at(0)),
      events.item('one', 'm', { title: text }),
      events.item('two', 'm', { title: 'Levy', text: `Levy ${text}` }),
    ]);
    for (const { excerpt } of (await search.search({ query: 'council' })).results) {
      if (excerpt === 'Levy') continue;
      expect(excerpt.isWellFormed()).toBe(true);
      expect(excerpt.length).toBeLessThanOrEqual(310);
      expect(excerpt.replace(/^(?:… )?(?:Levy )?/, '')).toMatch(expected);
    }
  });

  test('reports more than a thousand matches, and ranks the latest thousand', async () => {
    const names = Array.from({ length: MAX_CANDIDATES }, (_, n) => `n${n}`);
    await search.fold([
      ...events.place('dallas'),
      events.meeting('new', 'dallas', at(1)),
      events.meeting('old', 'dallas', at(0)),
      ...names.map((name) => events.item(name, 'new', { title: `${name} Fee` })),
    ]);
    const exactly = await search.search({ query: 'fee' });
    expect([exactly.candidateLimitReached, exactly.guidance.includes('More than 1,000')]).toEqual([false, false]);
    // The best matches by far, but too old.
    await search.fold(['best', 'good', 'fine'].map((name) => events.item(name, 'old', { title: 'Fee fee fee' })));
    const more = await search.search({ query: 'fee' });
    expect([more.candidateLimitReached, more.guidance.includes('More than 1,000')]).toEqual([true, true]);
    const all = await search.all({ query: 'fee', limit: 20 });
    expect(all).toHaveLength(MAX_CANDIDATES);
    expect(new Set(all)).toEqual(new Set(itemIds(...names)));
  });
});

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
    expect(await titlesOf(query.slice(0, 200))).toEqual(expected);
  });

  test('of two hundred different letters or marks of the index is answered', async () => {
    const letters = Array.from({ length: 200 }, (_, n) => String.fromCodePoint(0x4e00 + n));
    expect(await titlesOf(letters.join(''))).toEqual([]);
    expect(await titlesOf(letters.slice(0, 100).join(' '))).toEqual([]);
    expect(await titlesOf(agendaId('public_bodies', 'dallas'))).toEqual([]);
    expect(await titlesOf(`" b${agendaId('public_bodies', 'dallas')}"`)).toEqual([]);
    expect(await titlesOf('zzzz yyyy xxxx wwww vvvv uuuu tttt ssss rrrr qqqq pppp oooo nnnn mmmm')).toEqual([]);
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
    [
      'letters of four bytes',
      () => Array.from({ length: 100_000 }, (_, n) => String.fromCodePoint(0x20000 + (n % 40_000))).join(' '),
    ],
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
