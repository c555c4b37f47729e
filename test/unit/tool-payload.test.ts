import { array, assert, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_TOOL_BYTES } from '../../src/contract/tools/tool.ts';
import { TOOLS } from '../../src/contract/tools/tools.ts';
import { createCoverageTools } from '../../src/mcp/coverage-tools.ts';
import { cutText, jsonBytes } from '../../src/mcp/cut-text.ts';
import { fitPayload, SHORTEST_TEXT } from '../../src/mcp/fit-payload.ts';
import { FITTINGS } from '../../src/mcp/fittings.ts';
import type { ToolData } from '../../src/mcp/tool-functions.ts';
import { agendaItem, searchResult } from '../support/tool-answers.ts';

const bytesOf = (text: string): number => jsonBytes(text) - 2;
const NASTY = ['a', 'é', '漢', '🏛', '👩‍👩‍👧‍👦', '🇺🇸', 'e\u0301', '"', '\\', '\n', '\u0001', '\u2028', '\u007f', '\ud800'];

describe('a cut text', () => {
  test('stays as it is where it fits to the byte, and is cut where it is one byte more', () => {
    for (const each of NASTY) {
      const text = each.repeat(50);
      expect(cutText(text, bytesOf(text))).toBe(text);
      const cut = cutText(text, bytesOf(text) - 1);
      expect(cut).not.toBe(text);
      expect(bytesOf(cut)).toBeLessThan(bytesOf(text));
    }
  });

  test('is never longer than asked for, a beginning, and whole in each of its characters', () => {
    const whole = new Intl.Segmenter('en', { granularity: 'grapheme' });
    assert(
      property(array(constantFrom(...NASTY), { maxLength: 120 }), integer({ min: 8, max: 400 }), (parts, most) => {
        const text = parts.join('');
        const cut = cutText(text, most);
        expect(bytesOf(cut)).toBeLessThanOrEqual(Math.max(most, 3));
        if (cut === text) return;
        expect(cut.endsWith('…')).toBe(true);
        const kept = cut.slice(0, -1);
        expect(text.startsWith(kept)).toBe(true);
        const boundaries = new Set([0, text.length, ...[...whole.segment(text)].map(({ index }) => index)]);
        // White space at the end is dropped, which may be within a run of it.
        expect(boundaries.has(kept.length) || /\s/.test(text.charAt(kept.length))).toBe(true);
        expect(kept.isWellFormed() || !text.isWellFormed()).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('uses the room that it has but for one character', () => {
    for (const each of ['a', 'é', '漢', '🏛', '"', '\u0001']) {
      const cut = cutText(each.repeat(1000), 300);
      expect(bytesOf(cut)).toBeGreaterThan(300 - 3 - bytesOf(each));
    }
  });
});

const searchPage = (count: number, fields: { title?: string; excerpt?: string }): ToolData<'search_agenda'> => ({
  results: Array.from({ length: count }, () => searchResult(fields)),
  truncated: false,
  guidance: 'Follow sourceUrl.',
  nextCursor: 'the end of the page',
  candidateLimitReached: false,
});
const fitSearch = (data: ToolData<'search_agenda'>) =>
  fitPayload(
    data,
    FITTINGS.search_agenda((rows) => `after ${rows}`),
    MAX_TOOL_BYTES,
  );

/** 100 kB of text of one character, whatever its size. */
const LONG = Object.fromEntries(
  NASTY.map((each) => [each, `${each}${/\s/.test(each) ? 'a' : ''}`.repeat(Math.ceil(100_000 / Buffer.byteLength(each)))]),
);

describe('a payload', () => {
  test('that fits to the byte stays as it is, and one byte more is cut', () => {
    const room = MAX_TOOL_BYTES - jsonBytes(searchPage(1, { excerpt: '' }));
    const exact = searchPage(1, { excerpt: 'x'.repeat(room) });
    expect(jsonBytes(exact)).toBe(MAX_TOOL_BYTES);
    expect(fitSearch(exact)).toEqual({ data: exact, text: JSON.stringify(exact) });
    const over = fitSearch(searchPage(1, { excerpt: 'x'.repeat(room + 1) }))!;
    expect(over.data.results[0]!.excerpt.endsWith('…')).toBe(true);
    expect(Buffer.byteLength(over.text)).toBeGreaterThan(MAX_TOOL_BYTES - 16);
  });

  test.each(Object.entries(LONG))('of twenty results with 100 kB of %j each keeps all rows and shortens their texts', (_, text) => {
    const fitted = fitSearch(searchPage(20, { excerpt: text }))!;
    expect(Buffer.byteLength(fitted.text)).toBeLessThanOrEqual(MAX_TOOL_BYTES);
    expect(JSON.parse(fitted.text)).toEqual(JSON.parse(JSON.stringify(fitted.data)));
    expect([fitted.data.results.length, fitted.data.truncated, fitted.data.nextCursor]).toEqual([20, false, 'the end of the page']);
    expect(new Set(fitted.data.results.map(({ excerpt }) => excerpt)).size).toBe(1);
    expect(TOOLS.search_agenda.data.safeParse(fitted.data).success).toBe(true);
  });

  test('whose texts cannot be shortened any further drops rows, says so and goes on after the last row kept', () => {
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

  test('whose one row is too large even so is refused, never empty', () => {
    const results = [{ ...searchResult(), sourceUrl: `https://example.org/${'u'.repeat(20_000)}` }];
    expect(fitSearch({ ...searchPage(0, {}), results })).toBeNull();
  });

  test.each(Object.entries(LONG))('of an item with 100 kB of %j is the item with its beginning', (_, text) => {
    const item = { ...agendaItem('00000000-0000-0000-0000-000000000000'), text };
    const { data, text: json } = fitPayload({ item, truncated: false }, FITTINGS.get_agenda_item(undefined), MAX_TOOL_BYTES)!;
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(MAX_TOOL_BYTES);
    expect([data.truncated, data.item.title, data.item.topics]).toEqual([true, item.title, item.topics]);
    // No room is wasted: the text alone is shortened.
    expect(Buffer.byteLength(json)).toBeGreaterThan(MAX_TOOL_BYTES - 64);
    expect(TOOLS.get_agenda_item.data.safeParse(data).success).toBe(true);
  });

  test('of an item with a thousand documents and topics keeps what it can, documents going first', () => {
    const document = { title: 'Staff report', kind: 'exhibit' as const, url: `https://example.org/${'d'.repeat(60)}` };
    const item = { ...agendaItem('00000000-0000-0000-0000-000000000000'), text: 'x'.repeat(50_000) };
    const many = { ...item, documents: Array.from({ length: 1000 }, () => document) };
    const { data } = fitPayload({ item: many, truncated: false }, FITTINGS.get_agenda_item(undefined), MAX_TOOL_BYTES)!;
    expect(data.item.documents.length).toBeGreaterThan(50);
    expect(data.item.topics).toHaveLength(1);
    const topics = Array.from({ length: 1000 }, () => item.topics[0]!);
    const both = fitPayload({ item: { ...many, topics }, truncated: false }, FITTINGS.get_agenda_item(undefined), MAX_TOOL_BYTES)!;
    expect([both.data.item.documents.length, both.data.truncated]).toEqual([0, true]);
    expect(both.data.item.topics.length).toBeGreaterThan(50);
    expect(TOOLS.get_agenda_item.data.safeParse(JSON.parse(both.text)).success).toBe(true);
  });

  test('of a report with twenty long records keeps those that fit', () => {
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
    const { data } = fitPayload(report, FITTINGS.get_data_report(undefined), MAX_TOOL_BYTES)!;
    expect(data.verifiedRecords.length).toBeGreaterThan(4);
    expect(data.truncated).toBe(true);
    expect(TOOLS.get_data_report.data.safeParse(data).success).toBe(true);
  });

  describe('of the sources that are read', () => {
    const cover = async (jurisdictions: number, sources: number): Promise<ToolData<'get_coverage'>> => {
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
      const parts = { listCoveredSources: async () => rows, listResearchCoverage: () => expect.unreachable() };
      const { data } = await createCoverageTools(parts).get_coverage({}, undefined as never);
      return fitPayload(data, FITTINGS.get_coverage(undefined), MAX_TOOL_BYTES)!.data;
    };

    test('says that what is not listed is not covered only where the list is whole', async () => {
      const whole = await cover(10, 2);
      expect([whole.truncated, whole.jurisdictions.length]).toEqual([false, 10]);
      expect(whole.guidance).toMatch(/that is not listed is not covered/);
      const cut = await cover(200, 2);
      expect([cut.truncated, cut.jurisdictions.length < 200, cut.jurisdictions.length > 20]).toEqual([true, true, true]);
      expect(cut.guidance).toMatch(/not listed may be covered all the same.* \/api\/v1\/public\/source-status /);
      expect(cut.guidance).not.toMatch(/that is not listed is not covered/);
    });

    test('shows the first sources of a jurisdiction that is too large by itself', async () => {
      const cut = await cover(2, 300);
      expect([cut.truncated, cut.jurisdictions.length]).toEqual([true, 1]);
      expect(cut.jurisdictions[0]!.sources.length).toBeGreaterThan(20);
      expect(TOOLS.get_coverage.data.safeParse(cut).success).toBe(true);
    });
  });

  test('of any search whatever fits or is refused', () => {
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
