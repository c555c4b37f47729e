import { describe, expect, test } from 'vitest';
import { composeQuery } from '../../queries/search/composed-query.ts';
import { excerptOf } from '../../queries/search/search-guidance.ts';
import { distance } from '../../domain/text/words.ts';
import { lenientQueries, lenientUnits, nearestWord } from '../../queries/search/search-units.ts';
import { searchQuery } from '../../queries/search/search-query.ts';
import { searchCandidates } from '../../queries/search/search-candidates.ts';
import { type PeriodCounts, searchWindows } from '../../queries/search/search-windows.ts';
import { dayOfDate, localDay } from '../../domain/local-day.ts';
import { decodeSearchCursor, encodeSearchCursor, type SearchBinding, type SearchCursor } from '../../domain/cursor.ts';
import { spellableWords } from '../../domain/text/words.ts';

/** The alternatives of each part of a query: words as typed, phrases in quotes, marks of the index. */
const partsOf = (query: string) => searchQuery(query, 2026).units.map(({ texts, marks }) => [...texts, ...marks]);
const dayMarks = (...dates: readonly string[]) => dates.map((date) => ` d${dayOfDate(date)}`);

describe('a query', () => {
  test('is split into words and quoted phrases, with their operators', () => {
    expect(partsOf('car "elm street" wash')).toEqual([['car'], ['"elm street"'], ['wash']]);
    expect(partsOf('orchard "or" well-known')).toEqual([['orchard'], ['"or"'], ['well-known']]);
    const operators = (query: string) =>
      searchQuery(query, 2026).units.map(({ isExcluded, isAlternative }) =>
        isExcluded ? '-' : isAlternative ? '|' : '&',
      );
    expect([
      operators('car or wash'),
      operators('car OR wash'),
      operators('car -wash'),
      operators('car --"elm street"'),
    ]).toEqual([
      ['&', '|'],
      ['&', '|'],
      ['&', '-'],
      ['&', '-'],
    ]);
    expect([operators('or car'), operators('car or')]).toEqual([['&'], ['&']]);
  });

  test('has near words only for words of four letters or more, without digits or synonyms', () => {
    expect(searchQuery('The 24-1757 zoning Peñas abc a1bcd trash', 2026).words).toEqual(['zoning', 'penas']);
  });

  test('searches what the words of the field stand for, however they are written', () => {
    expect(partsOf('SUP')).toEqual([['"SUP"', '"Specific Use Permit"', '"Special Use Permit"']]);
    expect(partsOf('mlk Blvd')).toEqual([
      ['"MLK"', '"Martin Luther King"'],
      ['"boulevard"', '"blvd"'],
    ]);
    expect(partsOf('parking reform now')[0]).toContain('"off-street parking"');
    expect(searchQuery('-MLK', 2026).units).toMatchObject([
      { texts: ['"MLK"', '"Martin Luther King"'], isExcluded: true },
    ]);
    for (const query of ['stop', 'copse', 'MLK-1', '"trash"', '-"trash"', 'pre-trash'])
      expect([query, partsOf(query)[0]!.length]).toEqual([query, 1]);
  });

  test('names a case by its digits and a highway by its number', () => {
    for (const query of ['245-177', 'Z 245 177', 'z245-177', 'Z-245-177', '245 177A']) {
      expect([query, partsOf(query)]).toEqual([query, [[query, ' n245-177']]]);
    }
    expect(partsOf('245-177 or 245-178')).toEqual([
      ['245-177', ' n245-177'],
      ['245-178', ' n245-178'],
    ]);
    expect(partsOf('M&C 26-0243')).toEqual([['M&C 26-0243', ' n26-243']]);
    for (const query of ['I-35', 'i 35', 'IH-35E', 'Interstate 35', 'Interstate Highway 35W'])
      expect([query, partsOf(query)]).toEqual([query, [[' ni35']]]);
    for (const query of ['214-670-3000', '2026-1', 'x245-17799999'])
      expect([
        query,
        partsOf(query)
          .flat()
          .filter((part) => part.startsWith(' ')),
      ]).toEqual([query, []]);
  });

  const NUMERIC = ['2025/11/12', '11-12-2025', '11/12/25', '2025–11–12'];
  test('names a day with its year, or that day of every year around this one', () => {
    for (const query of [
      '2025-11-12',
      '11/12/2025',
      'November 12, 2025',
      '12 Nov. 2025',
      '12th of november 2025',
      'Nov 12th 2025',
      ...NUMERIC,
    ]) {
      expect([query, searchQuery(query, 2026).units.map(({ marks }) => marks)]).toEqual([
        query,
        [dayMarks('2025-11-12')],
      ]);
    }
    const marksOf = (query: string) => searchQuery(query, 2026).units.flatMap(({ marks }) => marks);
    expect([marksOf('12/31/99'), marksOf('1/1/69'), marksOf('1/1/0099')]).toEqual(
      ['1999-12-31', '2069-01-01', '0099-01-01'].map((date) => dayMarks(date)),
    );
    expect(marksOf('3-31/2026')).toEqual([' n3-31']);
    const [unit] = searchQuery('12 November?', 2026).units;
    expect(unit!.marks).toHaveLength(12);
    expect(unit!.marks.slice(0, 3)).toEqual(dayMarks('2027-11-12', '2026-11-12', '2025-11-12'));
    expect(searchQuery('February 29', 2026).units[0]!.marks).toEqual(
      dayMarks('2024-02-29', '2020-02-29', '2016-02-29'),
    );
    for (const query of [
      'November 31, 2025',
      '13/13/2025',
      '2025-02-30',
      '2/30/25',
      '2025-13-01',
      'may 12345',
      'marching 3',
    ]) {
      expect([query, searchQuery(query, 2026).units.flatMap(({ marks }) => marks)]).toEqual([query, []]);
    }
  });

  test('treats words joined by a slash as adjacent, and their separator is not an operator', () => {
    expect(partsOf('tower/antenna')).toEqual([['"tower antenna"']]);
    expect(partsOf('"Dallas/Fair Park" and/or x/-y')).toEqual([['" Dallas Fair Park "'], ['"and or"'], ['"x -y"']]);
    expect(partsOf('-tower/antenna')).toEqual([['"tower antenna"']]);
    expect(partsOf('I-35/I-30')).toEqual([[' ni35'], [' ni30']]);
    expect(partsOf('245-177/elm')).toEqual([['245-177', ' n245-177'], ['elm']]);
  });

  test('has dashes within words as hyphens, and no others', () => {
    expect(partsOf('Z245–123')).toEqual(partsOf('Z245-123'));
    expect(partsOf('25‑869A')).toEqual(partsOf('25-869A'));
    expect(partsOf('zoning – change –park')).toEqual([['zoning'], ['–'], ['change'], ['–park']]);
    expect(searchQuery('2025-11-12–2025-11-14 a—b', 2026).units.map(({ isDate, texts }) => [isDate, ...texts])).toEqual(
      [
        [true, '2025-11-12'],
        [false, '–2025-11-14'],
        [false, 'a—b'],
      ],
    );
  });

  test('finds short names of the field by what they stand for', () => {
    expect(partsOf('LIHTC rec center')).toEqual([
      ['"LIHTC"', '"low income housing tax credit"', '"low-income housing tax credit"', '"housing tax credit"'],
      ['"rec center"', '"recreation center"'],
    ]);
    expect(partsOf('pot hole')[0]).toContain('"pothole"');
    expect(partsOf('pot holes')[0]).toContain('"potholes"');
  });

  test('finds an amount of dollars with and without its cents', () => {
    for (const amount of ['$1,547,925', '$1,547,925.00', '($1,547,925),', '$1,547,925.'])
      expect(partsOf(amount)).toEqual([['$1547925', '$1,547,925', '$1,547,925.00']]);
    for (const amount of ['1,54', '912', '12,2026', '$500.00', '1.2']) expect(partsOf(amount)).toEqual([[amount]]);
    expect(partsOf('$1,547,925.50 "for $1,500.00"')).toEqual([['$1547925.50'], ['"for $1500"']]);
  });

  test('distinguishes the words of a date from words that might be misspelled', () => {
    const { words, ofDates } = searchQuery('budget Sept 10 2025', 2026);
    expect([words, [...ofDates]]).toEqual([['budget', 'sept'], ['sept']]);
  });

  test('without some of its parts matches every choice of the others', () => {
    expect(lenientQueries(units('a', 'b', 'c'))).toEqual([
      "( ( 'a' ) & ( 'b' ) ) | ( ( 'a' ) & ( 'c' ) ) | ( ( 'b' ) & ( 'c' ) )",
    ]);
    expect(
      [1, 2, 3, 4, 5, 6].map((count) => lenientQueries(units(...'abcdef'.slice(0, count).split(''))).length),
    ).toEqual([0, 1, 1, 2, 2, 3]);
  });

  const units = (...words: readonly string[]) =>
    words.map((word) => ({ query: `'${word.toLowerCase()}'`, weight: 1, isPlace: word !== word.toLowerCase() }));

  test('requires the named place at first, with another part', () => {
    expect(lenientQueries(units('a', 'b', 'C'))).toEqual([
      "( ( 'c' ) & ( 'a' ) ) | ( ( 'c' ) & ( 'b' ) )",
      "( ( 'a' ) & ( 'b' ) ) | ( ( 'a' ) & ( 'c' ) ) | ( ( 'b' ) & ( 'c' ) )",
    ]);
    expect(lenientQueries(units('a', 'C'))).toEqual(["( ( 'a' ) ) | ( ( 'c' ) )"]);
    const typed = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'dalla'].map((word) => `'${word}'`);
    const keptUnits = lenientUnits(typed, {
      records: { dalla: 900, a: 500 },
      periods: [[2026, 1000]],
      places: ['dalla'],
    });
    expect(keptUnits.map(({ query }) => query)).toEqual(["'b'", "'c'", "'d'", "'e'", "'f'", "'dalla'"]);
  });

  test('names several places where it has many of their words, and loses the commonest of them', () => {
    const names = Array.from({ length: 40 }, (_, index) => `town${index}`);
    const records = Object.fromEntries(names.map((name, index) => [name, index < 10 ? 9 : 900]));
    const units = lenientUnits(
      [...names, 'zone'].map((name) => `'${name}'`),
      { records: { ...records, zone: 1 }, periods: [[2026, 1000]], places: names },
    );
    expect(units.map(({ query, isPlace }) => [query, isPlace])).toEqual(
      ['town0', 'town1', 'town2', 'town3', 'town4', 'zone'].map((name) => [`'${name}'`, false]),
    );
    const three = lenientUnits(["'a'", "'b'", "'c'", "'zone'"], { records: {}, periods: [], places: ['a', 'b', 'c'] });
    expect(three.map(({ isPlace }) => isPlace)).toEqual([true, true, true, false]);
  });
});

describe('near words', () => {
  test('have a distance of inserted, deleted, replaced and swapped letters', () => {
    const far = [
      ['zoning', 'zoning', 0],
      ['zonning', 'zoning', 1],
      ['zonign', 'zoning', 1],
      ['buisnesses', 'businesses', 1],
      ['abc', '', 3],
      ['kitten', 'sitting', 3],
    ] as const;
    for (const [left, right, expected] of far)
      expect([left, right, distance(left, right), distance(right, left)]).toEqual([left, right, expected, expected]);
  });

  const near = (unknown: string, ...words: readonly string[]) =>
    nearestWord(
      unknown,
      words.map((word, index) => ({ word, records: index })),
    );

  test('are the nearest, the most frequent first, and none beyond the distance', () => {
    expect(near('parkin', 'parking', 'packing', 'barking')?.word).toBe('parking');
    expect(near('larking', 'parking', 'barking')?.word).toBe('barking');
    expect([near('xxxx', 'yyyy'), near('xxxx')]).toEqual([null, null]);
  });

  test('are slips of the keys where few letters differ and the first is the same; others may mean something else', () => {
    const slips = [
      'resturant restaurant',
      'buisnesses businesses',
      'dalas dallas',
      'deloite deloitte',
      'zonign zoning',
      'lisense license',
    ];
    const others = ['airbnb airbus', 'goldman golden', 'money monet', 'sachs sachse', 'larking barking', 'cops corps'];
    const isSlip = (pair: string) => near(...(pair.split(' ') as [string, string]))?.isSlip;
    expect(slips.filter((pair) => isSlip(pair) !== true)).toEqual([]);
    expect(others.filter((pair) => isSlip(pair) === true)).toEqual([]);
  });
});

describe('windows', () => {
  const quarters = (count: number, entries: number): PeriodCounts =>
    Array.from({ length: count }, (_, index) => [8000 - index, entries]);
  /** The window of these quarters. */
  const marked = (from: number, to: number) => ({
    marks: Array.from({ length: from - to + 1 }, (_, index) => `' p${from - index}'`).join(' | '),
    before: null,
  });
  const rest = (before: number | null) => ({ marks: null, before });

  test('are one window when there are few entries', () => {
    expect(searchWindows([[5, 100]], {})).toEqual([rest(null)]);
    expect(searchWindows([], {})).toEqual([rest(null)]);
    expect(searchWindows(quarters(2, 2500), {})).toEqual([rest(null)]);
  });

  test('grow towards the past, and the last one contains the remainder', () => {
    expect(searchWindows(quarters(10, 2500), {})).toEqual([marked(8000, 7999), rest(7999)]);
    expect(searchWindows(quarters(40, 2500), {})).toEqual([marked(8000, 7999), marked(7998, 7979), rest(7979)]);
    expect(searchWindows(quarters(400, 2500), {})).toEqual([marked(8000, 7999), marked(7998, 7979), rest(7979)]);
    expect(searchWindows(quarters(3, 20_000), {})).toEqual([marked(8000, 8000), rest(8000)]);
  });

  test('stay within the quarters of the dates', () => {
    const counts = quarters(40, 2500);
    expect(searchWindows(counts, { from: 7998, to: 7999 })).toEqual([marked(7999, 7998)]);
    expect(searchWindows(counts, { to: 7980 })).toEqual([marked(7980, 7979), marked(7978, 7961)]);
    expect(searchWindows([[5, 1]], { to: 5 })).toEqual([marked(5, 5)]);
    expect(searchWindows([[5, 1]], { from: 6 })).toEqual([]);
  });
});

describe('a composed query', () => {
  const compose = (query: string, ...parsed: readonly (readonly string[])[]) =>
    composeQuery(searchQuery(query, 2026).units, parsed);

  test('joins the parts by the operators that were typed', () => {
    const composed = compose('orchard -levy or "elm street"', ["'orchard'"], ["'levi'"], ["'elm' <-> 'street'"]);
    expect(composed.query).toBe("( 'orchard' ) & !( 'levi' ) | ( 'elm' <-> 'street' )");
    expect(composed).toMatchObject({ units: [], pairs: [] });
    expect(compose('the orchard', [], ["'orchard'"])).toMatchObject({ query: "( 'orchard' )", units: ["'orchard'"] });
    expect(compose('the of', [], [])).toEqual({
      query: '',
      anyWord: '',
      units: [],
      pairs: [],
      exact: [],
      preferred: [],
    });
  });

  test('wants the meetings of the day, not the words of the date, if nothing but dates was typed', () => {
    const day = `' d${dayOfDate('2025-11-12')}'`;
    const date = ["'2025-11-12'"];
    expect(compose('on 2025-11-12', [], date)).toMatchObject({ query: `( ${day} )`, anyWord: '' });
    expect(compose('zoning 2025-11-12', ["'zone'"], date)).toMatchObject({
      query: `( 'zone' ) & ( ( '2025-11-12' ) | ( ${day} ) )`,
      anyWord: "'2025-11-12' | 'zone'",
    });
  });

  test('pairs at most eight neighboring words, and none across an operator or a word that is not searched', () => {
    const pairs = (query: string, ...words: readonly (readonly string[])[]) => compose(query, ...words).pairs;
    const [orchard, levy, elm] = [["'orchard'"], ["'levi'"], ["'elm'"]];
    expect(pairs('orchard levy elm', orchard, levy, elm)).toEqual([
      "( 'orchard' ) <-> ( 'levi' )",
      "( 'levi' ) <-> ( 'elm' )",
    ]);
    expect(pairs('orchard the levy', orchard, [], levy)).toEqual([]);
    expect(pairs('orchard -levy elm', orchard, levy, elm)).toEqual([]);
    expect(pairs('orchard trash', orchard, ["'trash'", "'solid' <-> 'wast'"])).toEqual([]);
    const many = Array.from({ length: 12 }, (_, index) => `w${'abcdefghijkl'[index]}x`);
    expect(pairs(many.join(' '), ...many.map((word) => [`'${word}'`]))).toHaveLength(8);
  });
});

describe('a search cursor', () => {
  const binding: SearchBinding = {
    query: 'x'.repeat(200),
    jurisdictionSlug: 'a',
    topicSlug: null,
    fromDate: '2026-01-01',
    toDate: null,
  };
  const cursor: SearchCursor = {
    leniency: 2,
    rank: 123_456,
    startsAt: -62_167_219_200_000,
    itemId: '00000000-0000-0000-0000-000000000000',
    firstPageDay: 20_600,
  };

  test('decodes to its values from one short text', () => {
    const text = encodeSearchCursor(binding, cursor);
    expect(decodeSearchCursor(binding, text)).toEqual(cursor);
    expect(text.length).toBeLessThan(100);
  });

  test('is valid for its own search only: null differs from empty and from another place', () => {
    const text = encodeSearchCursor(binding, cursor);
    for (const other of [
      { query: 'x' },
      { jurisdictionSlug: null, topicSlug: 'a' },
      { fromDate: null, toDate: '2026-01-01' },
      { topicSlug: '' },
    ]) {
      expect(() => decodeSearchCursor({ ...binding, ...other }, text)).toThrow(
        'belongs to another query or to other filters',
      );
    }
  });
});

describe('days and words', () => {
  test('a day is that of the local time zone', () => {
    const day = (instant: string, zone: string) => localDay(Date.parse(instant), zone);
    expect(day('2026-03-01T05:59:59.999Z', 'America/Chicago')).toBe(dayOfDate('2026-02-28'));
    expect(day('2026-03-01T06:00:00.000Z', 'America/Chicago')).toBe(dayOfDate('2026-03-01'));
    expect(day('2024-02-29T14:59:00.000Z', 'Asia/Tokyo')).toBe(dayOfDate('2024-02-29'));
    expect(day('2024-02-29T15:00:00.000Z', 'Asia/Tokyo')).toBe(dayOfDate('2024-03-01'));
    for (const instant of ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])
      expect(Number.isInteger(day(instant, 'Asia/Tokyo'))).toBe(true);
  });

  test('each word counts once, without accents, and only within the searched part of a text', () => {
    expect([...spellableWords('Zoning ZONING peña ﬁesta abc 12345 a1b2c3 x_long long-term')]).toEqual([
      'zoning',
      'pena',
      'fiesta',
      'long',
      'term',
    ]);
    expect(spellableWords(`${' '.repeat(60_000)}beyond`).size).toBe(0);
  });
});

describe('an excerpt', () => {
  test('has an ellipsis where the text continues', () => {
    expect(excerptOf({ part: 'a b', beginning: 'a b c', end: 'a b c' })).toBe('a b …');
    expect(excerptOf({ part: 'b\n c', beginning: 'a b c', end: 'a b c' })).toBe('… b c');
    expect(excerptOf({ part: 'a b c', beginning: 'a b c', end: 'a b c' })).toBe('a b c');
  });

  test('is cut between words, or between characters where there are none', () => {
    const words = 'word '.repeat(100);
    expect(excerptOf({ part: words, beginning: words, end: words })).toMatch(/^(?:word )+…$/);
    const flags = '🇺🇸'.repeat(200);
    expect(excerptOf({ part: flags, beginning: flags, end: flags })).toMatch(/^(?:🇺🇸)+ …$/u);
  });
});

test('the statement of candidates refuses a generation that is no longer live', () => {
  const live = "civic.require_live('agenda_search', 7)";
  const search = {
    query: "'a'",
    anyWord: "'a'",
    units: [],
    pairs: [],
    exact: [],
    preferred: [],
    preferredBodies: null,
    amount: null,
    highlights: [],
    filters: [],
    windows: [{ marks: null, before: null }],
    fromDay: null,
    toDay: null,
    after: null,
    limit: 10,
  };
  const after = { leniency: 0, rank: 1, startsAt: 1, itemId: 'id', firstPageDay: 20_600 };
  const statements = [searchCandidates(7, search), searchCandidates(7, { ...search, after })];
  expect(statements.map(({ text }) => text.includes(live))).toEqual([true, true]);
});

test('a word of the language of the program has the weight of any other word', () => {
  const [unit] = lenientUnits(["'constructor'"], { records: {}, periods: [[2026, 1000]], places: [] });
  expect(unit).toEqual({ query: "'constructor'", weight: expect.any(Number), isPlace: false });
  expect(unit!.weight).toBeGreaterThan(1);
});

test('a word before a number is part of it only where it begins the numbers of cases', () => {
  expect(partsOf('tax 2024-25')[0]).toEqual(['tax']);
  expect(partsOf('bus 24-25')[0]).toEqual(['bus']);
  for (const typed of ['Z 245-177', 'Z245-177', 'M&C 26-0243']) expect(partsOf(typed)).toHaveLength(1);
});
