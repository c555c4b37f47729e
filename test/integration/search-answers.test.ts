import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MAX_CANDIDATES } from '../../queries/search/ranked-page.ts';
import { agendaId } from '../support/agenda-events.ts';
import { at, itemIds, meetingWithItems, openTestSearch, type TestSearch } from '../support/agenda-search.ts';
import { DAY_MS, TEST_TIME } from '../support/civic.ts';

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
    expect(await ask()).toMatchObject({ publisher: { sourceType: null }, freshness: { status: 'unknown', lastSuccessfulCheckAt: null } });
  });

  test("uses the meeting's own source, else the body's oldest active one", async () => {
    const createdAt = '2027-01-01T00:00:00.000Z';
    const ofBody = { publicBodyId: agendaId('public_bodies', 'dallas'), jurisdictionId: agendaId('jurisdictions', 'dallas') };
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
      events.item('one', 'm', { title: 'one Levy', text: `${filler}The quarry\n\n<b>closes</b>   next year. ${filler}` }),
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
