import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { COVERED_BODIES } from '../../src/sources/catalogue/catalogue-records.ts';
import { agendaId } from '../support/agenda-events.ts';
import { openTestAgenda, type TestAgenda } from '../support/agenda.ts';
import { DAY_MS, TEST_TIME } from '../support/civic.ts';

let agenda: TestAgenda;
let events: TestAgenda['events'];
let fold: TestAgenda['fold'];

const inDays = (days: number): string => new Date(TEST_TIME + days * DAY_MS).toISOString();
const HOUR = 1 / 24;

beforeAll(async () => {
  agenda = await openTestAgenda();
  ({ events, fold } = agenda);
});
afterAll(async () => agenda?.close());
beforeEach(async () => {
  await agenda.clear();
  agenda.clock.time = TEST_TIME;
  await fold([...events.place('dallas'), ...events.place('fort-worth')]);
});

describe('the cadence of a body', () => {
  const dallas = () => agenda.cadence({ slug: 'dallas', bodySlug: 'city-council' });

  test('is its latest past and its next meeting by the clock, without cancelled and postponed ones', async () => {
    expect(await dallas()).toEqual({ lastMetAt: null, nextScheduledAt: null, timezone: 'America/Chicago' });
    await fold([
      events.meeting('long ago', 'dallas', inDays(-30), { status: 'held' }),
      events.meeting('last', 'dallas', inDays(-3)),
      events.meeting('called off', 'dallas', inDays(-2), { status: 'cancelled' }),
      events.meeting('put off', 'dallas', inDays(1), { status: 'postponed' }),
      events.meeting('next', 'dallas', inDays(4)),
      events.meeting('after next', 'dallas', inDays(9)),
      events.meeting('neighbour', 'fort-worth', inDays(2)),
    ]);
    expect(await dallas()).toMatchObject({ lastMetAt: inDays(-3), nextScheduledAt: inDays(4) });
    agenda.clock.time = TEST_TIME + 4 * DAY_MS;
    expect(await dallas()).toMatchObject({ lastMetAt: inDays(-3), nextScheduledAt: inDays(4) });
    agenda.clock.advance(1);
    expect(await dallas()).toMatchObject({ lastMetAt: inDays(4), nextScheduledAt: inDays(9) });
    await fold([events.meeting('after next', 'dallas', inDays(9), { status: 'cancelled' }), events.withdraw('meetings', 'next')]);
    expect(await dallas()).toMatchObject({ lastMetAt: inDays(-3), nextScheduledAt: null });
  });

  test('has a meeting without a stated time as the next one until its day ends', async () => {
    const day = '2026-01-20T06:00:00.000Z';
    await fold([events.meeting('untimed', 'dallas', day, { startTime: { status: 'not_stated' } })]);
    agenda.clock.time = Date.parse('2026-01-21T05:59:59.999Z');
    expect(await dallas()).toMatchObject({ lastMetAt: null, nextScheduledAt: day });
    agenda.clock.advance(1);
    expect(await dallas()).toMatchObject({ lastMetAt: day, nextScheduledAt: null });
  });

  test('counts the meetings of active sources only', async () => {
    await fold([
      events.meeting('of none', 'dallas', inDays(-1), { sourceId: null }),
      events.meeting('of an unknown one', 'dallas', inDays(-2), { sourceId: agendaId('sources', 'unknown') }),
      events.meeting('of the neighbour', 'dallas', inDays(-3), { sourceId: agendaId('sources', 'fort-worth') }),
      events.meeting('of its own', 'dallas', inDays(-4)),
    ]);
    expect(await dallas()).toMatchObject({ lastMetAt: inDays(-3) });
    await fold([events.source('fort-worth', { active: false })]);
    expect(await dallas()).toMatchObject({ lastMetAt: inDays(-4) });
    await fold([events.withdraw('sources', 'dallas')]);
    expect(await dallas()).toMatchObject({ lastMetAt: null });
  });

  test('is answered for the seven pairs only', async () => {
    for (const { jurisdictionSlug, slug } of COVERED_BODIES) {
      await expect(agenda.cadence({ slug: jurisdictionSlug, bodySlug: slug })).resolves.toHaveProperty('nextScheduledAt', null);
    }
    await fold(events.place('sample-city'));
    for (const [slug, bodySlug] of [
      ['sample-city', 'city-council'],
      ['dallas', 'commissioners-court'],
      ['dallas-county', 'city-council'],
      ['fort-worth', 'plan-commission'],
      ['', ''],
    ] as const) {
      await expect(agenda.cadence({ slug, bodySlug })).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('the public source statuses', () => {
  const statuses = (input: Parameters<TestAgenda['sourceStatuses']>[0] = {}) => agenda.sourceStatuses(input);

  test('contain the active sources of covered bodies', async () => {
    await fold([
      events.source('dallas', {
        agendaTextEvidence: 'readable',
        lastSuccessfulCheckAt: inDays(-1),
        officialSourceUrl: 'https://example.org/d',
      }),
      events.source('retired', { publicBodyId: agendaId('public_bodies', 'dallas'), active: false }),
      events.source('of no body', { publicBodyId: null }),
      ...events.place('plano'),
    ]);
    expect(await statuses()).toEqual([
      {
        jurisdictionName: 'City of dallas',
        publicBodyName: 'Council of dallas',
        sourceTypeLabel: 'Legistar',
        status: 'healthy',
        agendaTextEvidence: 'readable',
        lastSuccessfulCheckAt: inDays(-1),
        officialSourceUrl: 'https://example.org/d',
      },
      {
        jurisdictionName: 'City of fort-worth',
        publicBodyName: 'Council of fort-worth',
        sourceTypeLabel: 'Legistar',
        status: 'healthy',
        agendaTextEvidence: null,
        lastSuccessfulCheckAt: null,
      },
    ]);
  });

  test('become stale 48 hours after the last success of a healthy source', async () => {
    const checked = { lastSuccessfulCheckAt: inDays(-2) };
    const of = async () => (await statuses({ jurisdictionSlug: 'dallas' })).map(({ status }) => status);
    await fold([events.source('dallas', checked)]);
    expect(await of()).toEqual(['healthy']);
    agenda.clock.advance(1);
    expect(await of()).toEqual(['stale']);
    await fold([events.source('dallas', { ...checked, status: 'failing' })]);
    expect(await of()).toEqual(['failing']);
    await fold([events.source('dallas', { lastSuccessfulCheckAt: inDays(-2 + HOUR) })]);
    expect(await of()).toEqual(['healthy']);
  });

  test('are filtered by jurisdiction and body', async () => {
    await fold([
      events.jurisdiction('wise', { slug: 'wise-county' }),
      events.body('wise', { slug: 'commissioners-court' }),
      events.source('wise'),
    ]);
    const bodies = async (input: Parameters<TestAgenda['sourceStatuses']>[0]) =>
      (await statuses(input)).map(({ publicBodyName }) => publicBodyName);
    expect(await bodies({})).toEqual(['Council of dallas', 'Council of fort-worth', 'Council of wise']);
    expect(await bodies({ bodySlug: 'city-council' })).toEqual(['Council of dallas', 'Council of fort-worth']);
    expect(await bodies({ jurisdictionSlug: 'fort-worth' })).toEqual(['Council of fort-worth']);
    expect(await bodies({ jurisdictionSlug: 'fort-worth', bodySlug: 'commissioners-court' })).toEqual([]);
    expect(await bodies({ jurisdictionSlug: 'no\0where' })).toEqual([]);
  });
});
