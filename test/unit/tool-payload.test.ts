import { array, assert, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_TOOL_BYTES } from '../../contract/tools/tool.ts';
import { TOOLS } from '../../contract/tools/tools.ts';
import { SHORTEST_TEXT } from '../../contract/tools/truncation.ts';
import { coverageTools } from '../../src/app/modules/coverage.ts';
import { cutText, jsonBytes, truncatePayload } from '../../src/edge/mcp/truncate-payload.ts';
import type { ToolData } from '../../src/edge/mcp/run-tool.ts';
import { agendaItem, ALL_TOOLS, searchResult } from '../support/tool-answers.ts';

const bytesOf = (text: string): number => jsonBytes(text) - 2;
const NASTY = [
  'a',
  'é',
  '漢',
  '🏛',
  '👩‍👩‍👧‍👦',
  '🇺🇸',
  'e\u0301',
  '"',
  '\\',
  '\n',
  '\u0001',
  '\u2028',
  '\u007f',
  '\ud800',
];

describe('a cut text', () => {
  test('is unchanged if it fits to the byte, and is cut if it is one byte longer', () => {
    for (const each of NASTY) {
      const text = each.repeat(50);
      expect(cutText(text, bytesOf(text))).toBe(text);
      const cut = cutText(text, bytesOf(text) - 1);
      expect(cut).not.toBe(text);
      expect(bytesOf(cut)).toBeLessThan(bytesOf(text));
    }
  });

  test('is at most as long as requested, a prefix, and has only whole characters', () => {
    const whole = new Intl.Segmenter('en', { granularity: 'grapheme' });
    assert(
      property(array(constantFrom(...NASTY), { maxLength: 120 }), integer({ min: 8, max: 400 }), (parts, most) => {
        const text = parts.join('');
        const cut = cutText(text, most);
        expect(bytesOf(cut)).toBeLessThanOrEqual(Math.max(most, 3));
        if (cut === text) return;
        expect(cut.endsWith('…')).toBe(true);
        const wholePart = cut.slice(0, -1);
        expect(text.startsWith(wholePart)).toBe(true);
        const boundaries = new Set([0, text.length, ...[...whole.segment(text)].map(({ index }) => index)]);
        // Trailing white space is dropped; the cut may be within a run of it.
        expect(boundaries.has(wholePart.length) || /\s/.test(text.charAt(wholePart.length))).toBe(true);
        expect(wholePart.isWellFormed() || !text.isWellFormed()).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('uses all of its room except for at most one character', () => {
    for (const each of ['a', 'é', '漢', '🏛', '"', '\u0001']) {
      const cut = cutText(each.repeat(1000), 300);
      expect(bytesOf(cut)).toBeGreaterThan(300 - 3 - bytesOf(each));
    }
  });
});

type Row = ToolData<'search_agenda'>['results'][number];

const searchPage = (count: number, fields: { title?: string; excerpt?: string }): ToolData<'search_agenda'> => ({
  results: Array.from({ length: count }, () => searchResult(fields)),
  truncated: false,
  guidance: 'Follow sourceUrl.',
  nextCursor: 'the end of the page',
  candidateLimitReached: false,
});
const fitSearch = (data: ToolData<'search_agenda'>) =>
  truncatePayload(
    data,
    TOOLS.search_agenda.truncation((rows) => `after ${rows}`),
    MAX_TOOL_BYTES,
  );

/** 100 kB of text of one repeated character. */
const LONG = Object.fromEntries(
  NASTY.map((each) => [
    each,
    `${each}${/\s/.test(each) ? 'a' : ''}`.repeat(Math.ceil(100_000 / Buffer.byteLength(each))),
  ]),
);

describe('a payload', () => {
  test('that fits to the byte is unchanged, and one byte more is cut', () => {
    const room = MAX_TOOL_BYTES - jsonBytes(searchPage(1, { excerpt: '' }));
    const exact = searchPage(1, { excerpt: 'x'.repeat(room) });
    expect(jsonBytes(exact)).toBe(MAX_TOOL_BYTES);
    expect(fitSearch(exact)).toEqual({ data: exact, text: JSON.stringify(exact) });
    const over = fitSearch(searchPage(1, { excerpt: 'x'.repeat(room + 1) }))!;
    expect(over.data.results[0]!.excerpt.endsWith('…')).toBe(true);
    expect(Buffer.byteLength(over.text)).toBeGreaterThan(MAX_TOOL_BYTES - 16);
  });

  test.each(Object.entries(LONG))(
    'of twenty results with 100 kB of %j each keeps all rows and shortens their texts',
    (_, text) => {
      const fitted = fitSearch(searchPage(20, { excerpt: text }))!;
      expect(Buffer.byteLength(fitted.text)).toBeLessThanOrEqual(MAX_TOOL_BYTES);
      expect(JSON.parse(fitted.text)).toEqual(JSON.parse(JSON.stringify(fitted.data)));
      expect([fitted.data.results.length, fitted.data.truncated, fitted.data.nextCursor]).toEqual([
        20,
        false,
        'the end of the page',
      ]);
      expect(new Set(fitted.data.results.map(({ excerpt }) => excerpt)).size).toBe(1);
      expect(TOOLS.search_agenda.data.safeParse(fitted.data).success).toBe(true);
    },
  );

  test('whose texts cannot be cut further drops rows, reports it and continues after the last remaining row', () => {
    const results = Array.from({ length: 20 }, () => ({
      ...searchResult({ excerpt: 'x'.repeat(9000) }),
      sourceUrl: `https://example.org/${'u'.repeat(1500)}`,
    }));
    const { data, text } = fitSearch({ ...searchPage(0, {}), results })!;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_TOOL_BYTES);
    expect(data.results.length).toBeGreaterThan(3);
    expect(data.results.length).toBeLessThan(20);
    expect([data.truncated, data.nextCursor]).toEqual([true, `after ${data.results.length}`]);
    expect(data.guidance).toMatch(
      /^Results that would not have fitted were left out: repeat the search with nextCursor .* Follow sourceUrl\.$/,
    );
    expect(bytesOf(data.results[0]!.excerpt)).toBeLessThanOrEqual(SHORTEST_TEXT);
    const oneMore = { ...data, results: [...data.results, { ...results[0]!, excerpt: data.results[0]!.excerpt }] };
    expect(jsonBytes(oneMore)).toBeGreaterThan(MAX_TOOL_BYTES);
  });

  test('whose texts cannot be cut further drops facts of the last rows before rows', () => {
    const amounts = [{ value: 1, currency: 'USD', role: 'total' as const, unit: null }];
    const results = Array.from({ length: 20 }, () => ({
      ...searchResult({ excerpt: 'x'.repeat(9000) }),
      amounts,
      parties: [{ name: 'Example Paving, LLC', role: 'vendor' as const }],
      sourceUrl: `https://example.org/${'u'.repeat(260)}`,
    }));
    const { data, text } = fitSearch({ ...searchPage(0, {}), results })!;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_TOOL_BYTES);
    expect([data.results.length, data.truncated]).toEqual([20, false]);
    const withFacts = data.results.map((result) => result.amounts !== undefined && result.parties !== undefined);
    expect(withFacts).toEqual(withFacts.toSorted((one, other) => Number(other) - Number(one)));
    expect([withFacts[0], withFacts.at(-1)]).toEqual([true, false]);
    expect(TOOLS.search_agenda.data.safeParse(data).success).toBe(true);
  });

  describe('with a row that does not fit', () => {
    const long = 'n'.repeat(400_000);
    const UNSHOWABLE = { sourceUrl: `https://${'h'.repeat(20_000)}.org/` };
    const HOSTILE: Readonly<Record<string, Partial<Row>>> = {
      'names of 400 kB': {
        body: long,
        jurisdiction: long,
        publisher: { jurisdiction: long, body: long, sourceType: 'legistar' },
      },
      'a file number of 400 kB': { matterFile: long },
      'an address of 20 kB': { sourceUrl: `https://example.org/a?${'u'.repeat(20_000)}` },
      'everything of 400 kB': {
        title: long,
        excerpt: long,
        body: long,
        matterFile: long,
        sourceUrl: `https://example.org/${long}`,
      },
      'an address of 20 kB that no part can be cut from': UNSHOWABLE,
    };
    /** Four of them fit on a page, so other rows are dropped in addition to the omitted one. */
    const ORDINARY: readonly Row[] = Array.from({ length: 7 }, (_, row) => ({
      ...searchResult({ title: `row ${row}` }),
      sourceUrl: `https://example.org/${'u'.repeat(3000)}`,
    }));

    /** Every row that paging shows, and every page. */
    const pagesOf = (rows: readonly Row[], limit: number) => {
      const pages: ToolData<'search_agenda'>[] = [];
      for (let at: number | null = 0; at !== null; ) {
        const from: number = at;
        const end = Math.min(from + limit, rows.length);
        const page = {
          ...searchPage(0, {}),
          results: rows.slice(from, end),
          nextCursor: end < rows.length ? String(end) : null,
        };
        const { data, text } = truncatePayload(
          page,
          TOOLS.search_agenda.truncation((count) => String(from + count)),
          MAX_TOOL_BYTES,
        )!;
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_TOOL_BYTES);
        expect(TOOLS.search_agenda.data.safeParse(data).success).toBe(true);
        pages.push(data);
        expect(pages.length).toBeLessThanOrEqual(rows.length);
        at = data.nextCursor === null ? null : Number(data.nextCursor);
        expect(at === null || at > from).toBe(true);
      }
      return pages;
    };

    test.each(Object.entries(HOSTILE))(
      'paging past a row with %s shows every other row once, at any place of that row',
      (_, fields) => {
        for (const limit of [1, 3, 20]) {
          for (let place = 0; place <= ORDINARY.length; place++) {
            const hostile: Row = { ...searchResult(), ...fields };
            const pages = pagesOf(ORDINARY.toSpliced(place, 0, hostile), limit);
            const ids = pages.flatMap(({ results }) => results.map(({ itemId }) => itemId));
            const expected = ORDINARY.map(({ itemId }) => itemId);
            expect([limit, place, ids]).toEqual([
              limit,
              place,
              fields === UNSHOWABLE ? expected : expected.toSpliced(place, 0, hostile.itemId),
            ]);
            const pagesWithNote = pages.filter(
              ({ guidance, truncated }) =>
                truncated && /(^|\. )Results that are too large to show were left out\./.test(guidance),
            );
            expect([limit, place, pagesWithNote.length]).toEqual([limit, place, fields === UNSHOWABLE ? 1 : 0]);
          }
        }
      },
    );

    test('paging past two adjacent rows that cannot be shown shows every other row once', () => {
      const rows = ORDINARY.toSpliced(2, 0, { ...searchResult(), ...UNSHOWABLE }, { ...searchResult(), ...UNSHOWABLE });
      for (const limit of [1, 2, 20]) {
        expect(pagesOf(rows, limit).flatMap(({ results }) => results)).toHaveLength(ORDINARY.length);
      }
    });

    test('a name is cut, and an address that is too long is replaced by its site, with guidance', () => {
      const [{ results, guidance }] = pagesOf([{ ...searchResult(), ...HOSTILE['everything of 400 kB'] }], 10) as [
        ToolData<'search_agenda'>,
      ];
      expect(results[0]).toMatchObject({
        sourceUrl: 'https://example.org/',
        body: expect.stringMatching(/^n{200,}…$/) as unknown,
      });
      expect(guidance).toMatch(/^The address of a result is too long: its sourceUrl names only the site\. /);
      const longResult = { ...searchResult(), sourceUrl: `https://example.org/${'u'.repeat(12_000)}` };
      expect(pagesOf([longResult], 10)[0]!.results[0]!.sourceUrl).toBe(longResult.sourceUrl);
    });
  });

  test.each(Object.entries(LONG))(
    'of an item with 100 kB of %j is the item with the beginning of the text',
    (_, text) => {
      const item = { ...agendaItem('00000000-0000-0000-0000-000000000000'), text };
      const { data, text: json } = truncatePayload(
        { item, truncated: false },
        TOOLS.get_agenda_item.truncation(undefined),
        MAX_TOOL_BYTES,
      )!;
      expect(Buffer.byteLength(json)).toBeLessThanOrEqual(MAX_TOOL_BYTES);
      expect([data.truncated, data.item.title, data.item.topics]).toEqual([true, item.title, item.topics]);
      // Only the text is shortened.
      expect(Buffer.byteLength(json)).toBeGreaterThan(MAX_TOOL_BYTES - 64);
      expect(TOOLS.get_agenda_item.data.safeParse(data).success).toBe(true);
    },
  );

  test('of an item with five hundred votes has the first ones, and says so', () => {
    const members = Array.from({ length: 500 }, (_, nth) => ({
      name: `Member ${nth} ${'n'.repeat(180)}`,
      vote: 'Aye',
    }));
    const votes = { mover: 'm'.repeat(200), seconder: null, tally: '500:0', members };
    const item = { ...agendaItem('00000000-0000-0000-0000-000000000000'), votes };
    const { data, text } = truncatePayload(
      { item, truncated: false },
      TOOLS.get_agenda_item.truncation(undefined),
      MAX_TOOL_BYTES,
    )!;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_TOOL_BYTES);
    expect(data.truncated).toBe(true);
    expect(data.item.votes).toEqual({ ...votes, members: members.slice(0, data.item.votes!.members.length) });
    expect(data.item.votes!.members.length).toBeGreaterThan(50);
    expect(TOOLS.get_agenda_item.data.safeParse(data).success).toBe(true);
  });

  test('of an item with a thousand documents and topics drops documents first', () => {
    const document = { title: 'Staff report', kind: 'exhibit' as const, url: `https://example.org/${'d'.repeat(60)}` };
    const item = { ...agendaItem('00000000-0000-0000-0000-000000000000'), text: 'x'.repeat(50_000) };
    const many = { ...item, documents: Array.from({ length: 1000 }, () => document) };
    const { data } = truncatePayload(
      { item: many, truncated: false },
      TOOLS.get_agenda_item.truncation(undefined),
      MAX_TOOL_BYTES,
    )!;
    expect(data.item.documents.length).toBeGreaterThan(50);
    expect(data.item.topics).toHaveLength(1);
    const topics = Array.from({ length: 1000 }, () => item.topics[0]!);
    const both = truncatePayload(
      { item: { ...many, topics }, truncated: false },
      TOOLS.get_agenda_item.truncation(undefined),
      MAX_TOOL_BYTES,
    )!;
    expect([both.data.item.documents.length, both.data.truncated]).toEqual([0, true]);
    expect(both.data.item.topics.length).toBeGreaterThan(50);
    expect(TOOLS.get_agenda_item.data.safeParse(JSON.parse(both.text)).success).toBe(true);
  });

  test('of a report with twenty long records contains those that fit', () => {
    const long = {
      itemId: '00000000-0000-0000-0000-000000000000',
      sourceUrl: `https://example.org/${'r'.repeat(2000)}`,
      title: 't'.repeat(300),
    };
    const at = '2026-03-01T12:00:00.000Z';
    const report: ToolData<'get_data_report'> = {
      reportId: long.itemId,
      status: 'resolved',
      submittedAt: at,
      updatedAt: at,
      closedAt: at,
      finding: 'f'.repeat(1000),
      verifiedRecords: Array.from({ length: 20 }, () => long),
    };
    const { data } = truncatePayload(report, TOOLS.get_data_report.truncation(undefined), MAX_TOOL_BYTES)!;
    expect(data.verifiedRecords.length).toBeGreaterThan(4);
    expect(data.truncated).toBe(true);
    expect(TOOLS.get_data_report.data.safeParse(data).success).toBe(true);
  });

  test('of the research says that a slug is unknown, and not that filters leave nothing', async () => {
    const read = async (input: Parameters<typeof ALL_TOOLS.get_data_coverage>[0]) => {
      const { data } = await ALL_TOOLS.get_data_coverage(input, undefined as never);
      expect(TOOLS.get_data_coverage.data.safeParse(data).success).toBe(true);
      return [data.data.length, data.guidance];
    };
    expect(await read({ jurisdictionSlug: 'dallas-isd' })).toEqual([
      0,
      expect.stringContaining('no active city or county with this jurisdictionSlug'),
    ]);
    expect(await read({ jurisdictionSlug: 'dallas', county: 'tarrant' })).toEqual([0, undefined]);
    expect(await read({ jurisdictionSlug: 'dallas' })).toEqual([1, undefined]);
  });

  describe('of the sources that are read', () => {
    const cover = async (jurisdictions: number, sources: number, topics = 16): Promise<ToolData<'get_coverage'>> => {
      const rows = Array.from({ length: jurisdictions * sources }, (_, row) => ({
        jurisdictionSlug: `place-${Math.floor(row / sources)}`,
        status: {
          jurisdictionName: 'Dallas',
          publicBodyName: `Body ${row}`,
          sourceTypeLabel: 'Legistar',
          status: 'healthy' as const,
          agendaTextEvidence: 'readable' as const,
          lastSuccessfulCheckAt: '2026-03-01T12:00:00.000Z',
        },
      }));
      const parts = {
        listCoveredSources: async () => rows,
        listTopics: async () =>
          Array.from({ length: topics }, (_, n) => ({ topicSlug: `topic-${n}`, publicLabel: `Topic number ${n}` })),
        listResearchCoverage: () => expect.unreachable(),
      };
      const { data } = await coverageTools(parts).get_coverage({}, undefined as never);
      return truncatePayload(data, TOOLS.get_coverage.truncation(undefined), MAX_TOOL_BYTES)!.data;
    };

    test('states that unlisted sources are not covered only if the list is complete', async () => {
      const whole = await cover(10, 2);
      expect([whole.truncated, whole.jurisdictions.length]).toEqual([false, 10]);
      expect(whole.guidance).toMatch(
        /that is not listed is not covered: records of it that were read or imported are found all the same/,
      );
      const cut = await cover(200, 2);
      expect([cut.truncated, cut.jurisdictions.length < 200, cut.jurisdictions.length > 20]).toEqual([
        true,
        true,
        true,
      ]);
      expect(cut.guidance).toMatch(/not listed may be covered all the same.* \/api\/v1\/public\/source-status /);
      expect(cut.guidance).not.toMatch(/that is not listed is not covered/);
    });

    test('keeps every topic when the sources are cut, and cuts a list of topics only if it is too large', async () => {
      expect((await cover(200, 2)).topics).toHaveLength(16);
      const cut = await cover(2, 2, 2000);
      expect([cut.truncated, cut.topics.length > 100, cut.topics.length < 2000]).toEqual([true, true, true]);
      expect(TOOLS.get_coverage.data.safeParse(cut).success).toBe(true);
    });

    test('shows the first sources of a jurisdiction that is too large alone', async () => {
      const cut = await cover(2, 300);
      expect([cut.truncated, cut.jurisdictions.length]).toEqual([true, 1]);
      expect(cut.jurisdictions[0]!.sources.length).toBeGreaterThan(20);
      expect(TOOLS.get_coverage.data.safeParse(cut).success).toBe(true);
    });
  });

  test('of any search fits or is refused', () => {
    const text = array(constantFrom(...NASTY), { maxLength: 3000 }).map((parts) => parts.join('') || 'x');
    assert(
      property(array(record({ title: text, excerpt: text }), { minLength: 1, maxLength: 20 }), (rows) => {
        const fitted = fitSearch({ ...searchPage(0, {}), results: rows.map(searchResult) });
        expect(fitted).not.toBeNull();
        expect(Buffer.byteLength(fitted!.text)).toBeLessThanOrEqual(MAX_TOOL_BYTES);
      }),
      { numRuns: 30 },
    );
  });
});
