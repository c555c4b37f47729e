import { beforeEach, describe, expect, test } from 'vitest';
import { decodeUpcomingCursor, encodeFeedCursor } from '../../domain/cursor.ts';
import { createReadNextHits } from '../../queries/agenda/agenda-hits.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import { agendaId } from '../support/agenda-events.ts';
import { type TestAgenda, useTestAgenda } from '../support/agenda.ts';
import { DAY_MS, TEST_TIME } from '../support/civic.ts';
import { AGENDA } from '../../projections/agenda/tables.ts';
import { publishedRecords } from '../../queries/feed/published-records.ts';
import { COVERED_BODIES } from '../../src/sources/catalogue/catalogue-records.ts';

const agenda = await useTestAgenda();
const { events, fold } = agenda;
const inDays = (days: number): string => new Date(TEST_TIME + days * DAY_MS).toISOString();

/** An item with one hit, both under one name; items are titled by their names. */
const hit = (name: string, meeting: string, topic = 'zoning', classifiedAt = inDays(-1)): readonly StoredEvent[] => [
  events.item(name, meeting, { title: name }),
  events.hit(name, name, topic, { classifiedAt }),
];

const slugsOf = async (generation = agenda.generation) =>
  Object.fromEntries(
    (
      await agenda.database.read.rows<Record<'name' | 'slugs', string>>({
        text: `select name, slugs from ${AGENDA.at(generation).bodies} order by name`,
        values: [],
      })
    ).map(({ name, slugs }) => [name, slugs]),
  ) as Record<string, string>;

const renamed = () => [
  ...events.place('dallas'),
  events.body('dallas', { slug: 'the-council' }),
  events.body('dallas', { slug: 'old-council' }),
  events.body('dallas', { slug: 'city-council' }),
];

describe('recent hits', () => {
  const titles = async (input: Parameters<TestAgenda['recent']>[0] = {}) =>
    (await agenda.recent(input)).map(({ title }) => title);

  test('are ordered by time of classification and of meeting, the newest first, then by id; three at most', async () => {
    const equal = ['one', 'two', 'three'].toSorted((a, b) =>
      agendaId('agenda_hits', a) < agendaId('agenda_hits', b) ? -1 : 1,
    );
    await fold([
      ...events.place('dallas'),
      ...events.place('fort-worth'),
      events.topic('zoning'),
      events.meeting('early', 'dallas', inDays(-9)),
      events.meeting('late', 'fort-worth', inDays(9)),
      ...equal.flatMap((name) => hit(name, 'early', 'zoning', inDays(-3))),
    ]);
    expect(await titles()).toEqual(equal);
    await fold(hit('later meeting', 'late', 'zoning', inDays(-3)));
    expect(await titles()).toEqual(['later meeting', ...equal.slice(0, 2)]);
    await fold(hit('newest', 'early', 'zoning', inDays(-2)));
    expect(await titles()).toEqual(['newest', 'later meeting', equal[0]]);
    expect(await titles({ limit: 1 })).toEqual(['newest']);
    await fold(hit('older', 'late', 'zoning', inDays(-4)));
    expect(await titles()).toEqual(['newest', 'later meeting', equal[0]]);
  });

  test('are filtered by jurisdiction, topic and excluded topic', async () => {
    await fold([
      ...['dallas', 'fort-worth'].flatMap((place) => [
        ...events.place(place),
        events.meeting(place, place, inDays(1)),
        ...['zoning', 'housing'].flatMap((topic) =>
          hit(`${place} ${topic}`, place, topic, place === 'dallas' ? inDays(-1) : inDays(-2)),
        ),
      ]),
      events.topic('zoning'),
      events.topic('housing'),
    ]);
    const titlesOf = async (input: Parameters<TestAgenda['recent']>[0]) => (await titles(input)).toSorted();
    expect(await titlesOf({ jurisdictionSlug: 'fort-worth' })).toEqual(['fort-worth housing', 'fort-worth zoning']);
    expect(await titlesOf({ topicSlug: 'zoning' })).toEqual(['dallas zoning', 'fort-worth zoning']);
    expect(await titlesOf({ excludeTopicSlug: 'zoning' })).toEqual(['dallas housing', 'fort-worth housing']);
    expect(await titlesOf({ jurisdictionSlug: 'dallas', excludeTopicSlug: 'zoning' })).toEqual(['dallas housing']);
    expect(await titlesOf({ topicSlug: 'zoning', excludeTopicSlug: 'zoning' })).toEqual([]);
    expect(await titlesOf({ jurisdictionSlug: 'plano' })).toEqual([]);
    expect(await titlesOf({ topicSlug: 'no\0ning' })).toEqual([]);
    expect(await titles()).toHaveLength(3);
  });
});

describe('upcoming hits', () => {
  const keyed = async (input: Parameters<TestAgenda['upcoming']>[1] = {}) => {
    const { data, meta } = await agenda.upcoming('zoning', input);
    expect(meta.pagination).toMatchObject({ limit: 10, returned: data.hits.length });
    return { titles: data.hits.map(({ title }) => title), next: meta.pagination.nextCursor, data };
  };
  const traverse = async (between: (page: number) => Promise<unknown> = async () => undefined) => {
    const titlesSeen: string[] = [];
    for (let cursor: string | undefined, page = 1; ; page++) {
      const { titles, next } = await keyed({ cursor });
      titlesSeen.push(...titles);
      if (next === null || page > 20) return titlesSeen;
      cursor = next;
      await between(page);
    }
  };
  const place = () => [
    ...events.place('dallas'),
    ...events.place('fort-worth'),
    events.topic('zoning'),
    events.topic('housing'),
  ];

  test('are ordered by time of meeting, then of classification, then by id, over all pages', async () => {
    const equal = ['one', 'two', 'three'].toSorted((a, b) =>
      agendaId('agenda_hits', a) < agendaId('agenda_hits', b) ? -1 : 1,
    );
    const many = Array.from({ length: 25 }, (_, n) => `meeting ${String(n).padStart(2, '0')}`);
    await fold([
      ...place(),
      events.meeting('first', 'dallas', inDays(1)),
      ...many
        .flatMap((name, n) => [
          events.meeting(name, n % 2 === 0 ? 'dallas' : 'fort-worth', inDays(2 + n)),
          ...hit(name, name),
        ])
        .toReversed(),
      ...equal.flatMap((name) => hit(name, 'first', 'zoning', inDays(-2))),
      ...hit('classified later', 'first', 'zoning', inDays(-1)),
      ...hit('classified earlier', 'first', 'zoning', inDays(-3)),
      ...hit('of another topic', 'first', 'housing'),
    ]);
    const all = ['classified earlier', ...equal, 'classified later', ...many];
    expect(await traverse()).toEqual(all);
    const first = await keyed({ count: true });
    expect(first.data).toMatchObject({ totalCount: 30, nextCursor: first.next });
    expect((await keyed()).data).not.toHaveProperty('totalCount');
    expect(first.next!.length).toBeLessThanOrEqual(200);
    const pages = [];
    for (const page of [1, 2, 3, 4, 100]) pages.push((await agenda.upcoming('zoning', { page })).data);
    expect(pages.map(({ hits }) => hits.length)).toEqual([10, 10, 10, 0, 0]);
    expect(pages.flatMap(({ hits }) => hits.map(({ title }) => title))).toEqual(all);
    expect(pages[2]).toMatchObject({ totalCount: 30, page: 3, pageSize: 10 });
    expect((await agenda.upcoming('zoning', { page: 1 })).meta.pagination.nextCursor).toBeNull();
  });

  test('are separated from past ones by the clock: a meeting that starts now is upcoming', async () => {
    await fold([...place(), events.meeting('meeting', 'dallas', inDays(1)), ...hit('hit', 'meeting')]);
    agenda.clock.time = TEST_TIME + DAY_MS;
    expect((await keyed({ count: true })).data).toMatchObject({ totalCount: 1, hits: [{ title: 'hit' }] });
    agenda.clock.advance(1);
    expect((await keyed({ count: true })).data).toMatchObject({ totalCount: 0, hits: [] });
    expect((await agenda.upcoming('zoning', { page: 1 })).data).toMatchObject({ totalCount: 0, hits: [] });
  });

  test('those of a meeting without a start time are listed until its day ends, in its place, and traversed once', async () => {
    // The beginning of the day in Dallas.
    const untimed = { startTime: { status: 'not_stated', sourceText: 'after the briefing' } } as const;
    const day = '2026-01-20T06:00:00.000Z';
    await fold([
      ...place(),
      events.meeting('untimed', 'dallas', day, untimed),
      ...Array.from({ length: 10 }, (_, n) => hit(`untimed ${n}`, 'untimed', 'zoning', inDays(-9 + n / 10))).flat(),
      events.meeting('midnight', 'dallas', day),
      ...hit('midnight', 'midnight'),
      events.meeting('evening', 'dallas', '2026-01-21T01:00:00.000Z'),
      ...hit('evening', 'evening'),
    ]);
    const ten = Array.from({ length: 10 }, (_, n) => `untimed ${n}`);
    for (const [time, titles] of [
      ['2026-01-20T06:00:00.000Z', [...ten, 'midnight', 'evening']],
      ['2026-01-20T06:00:00.001Z', [...ten, 'evening']],
      ['2026-01-21T01:00:00.001Z', ten],
      ['2026-01-21T05:59:59.999Z', ten],
      ['2026-01-21T06:00:00.000Z', []],
    ] as const) {
      agenda.clock.time = Date.parse(time);
      expect([time, await traverse()]).toEqual([time, titles]);
      expect((await agenda.upcoming('zoning', { page: 1 })).data.totalCount).toBe(titles.length);
      const next = createReadNextHits({ reads: agenda.reads, clock: agenda.clock });
      expect(await next(20)).toHaveLength(titles.length);
    }
    agenda.clock.time = Date.parse(day);
    const { data } = await keyed();
    expect(data.hits[0]).toMatchObject({ meetingAt: day, ...untimed });
    const { next } = await keyed();
    const [, evening] = (await agenda.upcoming('zoning', { cursor: next! })).data.hits;
    expect(evening).not.toHaveProperty('startTime');
  });

  test('a full last page has no next cursor', async () => {
    await fold([
      ...place(),
      events.meeting('meeting', 'dallas', inDays(1)),
      ...Array.from({ length: 10 }, (_, n) => hit(`h${n}`, 'meeting')).flat(),
    ]);
    expect(await keyed()).toMatchObject({ next: null });
    await fold(hit('eleventh', 'meeting'));
    const { next } = await keyed();
    expect(next).not.toBeNull();
    expect(await keyed({ cursor: next! })).toMatchObject({ next: null, titles: [expect.any(String)] });
  });

  test('a cursor works with another topic, and after its hit was moved, cancelled or removed', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `m${String(n).padStart(2, '0')}`);
    await fold([
      ...place(),
      ...names.flatMap((name, n) => [
        events.meeting(name, 'dallas', inDays(1 + n)),
        ...hit(name, name),
        ...hit(`housing ${name}`, name, 'housing'),
      ]),
    ]);
    const { next } = await keyed();
    expect((await agenda.upcoming('housing', { cursor: next! })).data.hits.map(({ title }) => title).slice(-2)).toEqual(
      ['housing m10', 'housing m11'],
    );
    for (const change of [
      events.meeting('m09', 'dallas', inDays(40)),
      events.meeting('m09', 'dallas', inDays(10), { status: 'cancelled' }),
      events.withdraw('agenda_hits', 'm09'),
    ]) {
      await fold([change]);
      expect((await keyed({ cursor: next! })).titles.filter((title) => title !== 'm09')).toEqual(['m10', 'm11']);
    }
  });

  test('a traversal misses and repeats no unchanged meeting while others are added, moved and cancelled', async () => {
    const steady = Array.from({ length: 45 }, (_, n) => `steady ${String(n).padStart(2, '0')}`);
    const shaky = Array.from({ length: 20 }, (_, n) => `shaky ${n}`);
    await fold([
      ...place(),
      ...steady.flatMap((name, n) => [events.meeting(name, 'dallas', inDays(1 + n)), ...hit(name, name)]),
      ...shaky.flatMap((name, n) => [events.meeting(name, 'fort-worth', inDays(1.5 + 2 * n)), ...hit(name, name)]),
    ]);
    const traversed = await traverse((page) =>
      fold([
        events.meeting(`added before ${page}`, 'fort-worth', inDays(0.5)),
        ...hit(`added before ${page}`, `added before ${page}`),
        events.meeting(`added after ${page}`, 'fort-worth', inDays(60)),
        ...hit(`added after ${page}`, `added after ${page}`),
        events.meeting(shaky[page * 2]!, 'fort-worth', inDays(0.25)),
        events.meeting(shaky[page * 2 + 1]!, 'fort-worth', inDays(50)),
        events.meeting(shaky[19 - page]!, 'fort-worth', inDays(30), { status: 'cancelled' }),
      ]),
    );
    expect(traversed.filter((title) => title.startsWith('steady'))).toEqual(steady);
    expect(traversed.filter((title) => title.startsWith('added before'))).toEqual([]);
    expect(traversed.filter((title) => title.startsWith('added after')).length).toBeGreaterThan(3);
  });

  test('a long traversal continues with what is upcoming at each request', async () => {
    const names = Array.from({ length: 25 }, (_, n) => `m${String(n).padStart(2, '0')}`);
    await fold([
      ...place(),
      ...names.flatMap((name, n) => [events.meeting(name, 'dallas', inDays(1 + n)), ...hit(name, name)]),
    ]);
    const { next } = await keyed();
    agenda.clock.time = TEST_TIME + 15 * DAY_MS;
    expect((await keyed({ cursor: next! })).titles[0]).toBe('m14');
  });

  test.each([
    ['a topic that nobody knows', 'parks'],
    ['a topic that no text can name', 'zoning\0'],
    ['a topic that is not classified', 'closed'],
  ])('%s is a bad parameter', async (_what, topic) => {
    await fold([...place(), events.topic('closed', { classificationActive: false })]);
    await expect(agenda.upcoming(topic)).rejects.toMatchObject({ code: 'invalid_parameter' });
    await expect(agenda.upcoming(topic, { page: 1 })).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  test('a topic that is not covered is refused with those that are, and the one that is near', async () => {
    await fold(place());
    const message = 'topicSlug must be one of housing, zoning; got "zonning"; did you mean "zoning"?';
    await expect(agenda.upcoming('zonning')).rejects.toMatchObject({ code: 'invalid_parameter', message });
  });

  test('a cursor that is damaged or of another kind is a bad parameter', async () => {
    await fold(place());
    const feed = encodeFeedCursor({
      feedId: agendaId('topics', 'x'),
      position: 1,
      fingerprint: null,
      binding: 'nothing',
    });
    for (const cursor of ['nonsense', feed, '']) {
      expect(typeof decodeUpcomingCursor(cursor)).toBe('string');
      await expect(agenda.upcoming('zoning', { cursor })).rejects.toMatchObject({ code: 'invalid_parameter' });
    }
  });
});

test('a body has every slug that it had since its last publication, in any batching', async () => {
  const all = [
    ...renamed(),
    events.body('fort-worth', { slug: 'one' }),
    events.withdraw('public_bodies', 'fort-worth'),
    events.body('fort-worth', { slug: 'two' }),
    events.body('fort-worth', { slug: 'three' }),
  ];
  const expected = {
    'Council of dallas': 'city-council old-council the-council',
    'Council of fort-worth': 'three two',
  };
  await fold(all);
  expect(await slugsOf()).toEqual(expected);
  for (const size of [1, 2, 3]) {
    const scratch = await agenda.scratch();
    for (let from = 0; from < all.length; from += size) await fold(all.slice(from, from + size), scratch);
    expect(await slugsOf(scratch)).toEqual(expected);
  }
});

test('cadence and source status are answered by a former slug until another body of the place has it', async () => {
  await fold(renamed());
  const cadence = (bodySlug: string) => agenda.cadence({ slug: 'dallas', bodySlug });
  const named = async (bodySlug: string) =>
    (await agenda.sourceStatuses({ bodySlug })).map(({ publicBodyName }) => publicBodyName);
  expect(await cadence('old-council')).toEqual(await cadence('city-council'));
  expect(await named('old-council')).toEqual(['Council of dallas']);
  await expect(cadence('unknown')).rejects.toMatchObject({ code: 'not_found' });
  expect(await named('unknown')).toEqual([]);
  await fold([events.body('another', { jurisdictionId: agendaId('jurisdictions', 'dallas'), slug: 'old-council' })]);
  await expect(cadence('old-council')).rejects.toMatchObject({ code: 'not_found' });
  expect(await named('old-council')).toEqual([]);
  expect(await named('the-council')).toEqual(['Council of dallas']);
});

describe('with two places', () => {
  beforeEach(async () => {
    await fold([...events.place('dallas'), ...events.place('fort-worth')]);
  });

  const HOUR = 1 / 24;

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
        events.meeting('neighbor', 'fort-worth', inDays(2)),
      ]);
      expect(await dallas()).toMatchObject({ lastMetAt: inDays(-3), nextScheduledAt: inDays(4) });
      agenda.clock.time = TEST_TIME + 4 * DAY_MS;
      expect(await dallas()).toMatchObject({ lastMetAt: inDays(-3), nextScheduledAt: inDays(4) });
      agenda.clock.advance(1);
      expect(await dallas()).toMatchObject({ lastMetAt: inDays(4), nextScheduledAt: inDays(9) });
      await fold([
        events.meeting('after next', 'dallas', inDays(9), { status: 'cancelled' }),
        events.withdraw('meetings', 'next'),
      ]);
      expect(await dallas()).toMatchObject({ lastMetAt: inDays(-3), nextScheduledAt: null });
    });

    test('has a meeting without a start time as the next one until its day ends', async () => {
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
        events.meeting('of the neighbor', 'dallas', inDays(-3), { sourceId: agendaId('sources', 'fort-worth') }),
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
        await expect(agenda.cadence({ slug: jurisdictionSlug, bodySlug: slug })).resolves.toHaveProperty(
          'nextScheduledAt',
          null,
        );
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
});

// Last, because it changes the tables that these tests share.
test('a sync reads the slugs of the bodies of a place, also from a read model without them', async () => {
  await fold([...renamed(), ...events.place('fort-worth')]);
  const records = publishedRecords(agenda.reads, { readLast: async () => new Map() });
  const ofDallas = () => records.bodySlugs!(agendaId('jurisdictions', 'dallas'));
  expect(await ofDallas()).toEqual(
    new Map([[agendaId('public_bodies', 'dallas'), ['city-council', 'old-council', 'the-council']]]),
  );
  const scratch = AGENDA.at(agenda.generation).bodies;
  await agenda.database.transactor.transaction((transaction) =>
    transaction.query({ text: `alter table ${scratch} drop column slugs`, values: [] }),
  );
  expect([...(await ofDallas()).values()]).toEqual([['city-council']]);
  expect(await agenda.cadence({ slug: 'dallas', bodySlug: 'city-council' })).toMatchObject({
    timezone: 'America/Chicago',
  });
});
