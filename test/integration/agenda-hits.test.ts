import { describe, expect, onTestFinished, test } from 'vitest';
import { agendaId } from '../support/agenda-events.ts';
import { useTestAgenda } from '../support/agenda.ts';

const agenda = await useTestAgenda();
const { events, fold } = agenda;
const SOON = '2026-01-05T18:00:00.000Z';
const HIT = agendaId('agenda_hits', 'hit');

/** All records for one hit of Dallas in two weeks. */
const standard = () => [
  ...events.place('dallas'),
  events.topic('zoning'),
  events.meeting('meeting', 'dallas', SOON),
  events.item('item', 'meeting'),
  events.hit('hit', 'item', 'zoning'),
];

const titles = async () => (await agenda.upcoming('zoning')).data.hits.map(({ title }) => title);
const recentTitles = async () => (await agenda.recent()).map(({ title }) => title);

async function isShown(): Promise<'everywhere' | 'in the detail alone' | 'nowhere' | 'at odds'> {
  const upcoming = await titles().catch(() => []);
  const lists = upcoming.length + (await recentTitles()).length;
  const detail = await agenda.detail(HIT).then(
    () => true,
    () => false,
  );
  if (detail && lists === 2) return 'everywhere';
  if (lists === 0) return detail ? 'in the detail alone' : 'nowhere';
  return 'at odds';
}

describe('a public hit', () => {
  test.each([
    ['public_hearing', null, 'unknown', null],
    ['notice', null, 'public_comment', 'https://example.org/speak'],
    ['notice', '2026-01-06', 'public_comment', 'https://example.org/speak'],
    ['notice', '2026-01-05', 'unknown', null],
  ] as const)(
    'of the stage %s and next day %s has the action %s after the local day of its meeting',
    async (...row) => {
      const [proceduralStage, nextMeetingDate, actionKind, actionUrl] = row;
      const open = { actionKind: 'public_comment', actionUrl: 'https://example.org/speak' } as const;
      // 22:00 in Dallas.
      const meeting = events.meeting('meeting', 'dallas', '2026-01-06T04:00:00.000Z');
      const context = { proceduralStage, actingBodyRole: 'unknown', nextMeetingDate, ...open } as const;
      await fold([...standard(), meeting, events.hit('hit', 'item', 'zoning', { proceduralContext: context })]);
      const actions = async () =>
        [await agenda.detail(HIT), ...(await agenda.recent())].map(({ proceduralContext }) => proceduralContext);
      const before = agenda.clock.time;
      onTestFinished(() => void (agenda.clock.time = before));
      agenda.clock.time = Date.parse('2026-01-06T05:59:59Z');
      for (const stated of await actions()) expect(stated).toMatchObject(open);
      agenda.clock.time = Date.parse('2026-01-06T06:00:00Z');
      const after = await actions();
      expect(after).toHaveLength(2);
      for (const stated of after) expect(stated).toMatchObject({ proceduralStage, actionKind, actionUrl });
    },
  );

  test('is in no list while its item is a heading or a step', async () => {
    await fold(standard());
    for (const kind of ['heading', 'procedural'] as const) {
      await fold([events.item('item', 'meeting', { kind })]);
      expect([kind, await isShown()]).toEqual([kind, 'in the detail alone']);
      await fold([events.item('item', 'meeting', { kind: 'item' })]);
      expect(await isShown()).toBe('everywhere');
    }
  });

  test('combines its record, item, meeting, topic, body and jurisdiction', async () => {
    await fold(standard());
    const hit = {
      jurisdictionSlug: 'dallas',
      jurisdictionName: 'City of dallas',
      bodyName: 'Council of dallas',
      topicSlug: 'zoning',
      meetingAt: SOON,
      title: 'Item item',
      summary: 'Summary hit',
      businessImpact: 'Impact "hit"',
      evidenceQuote: 'Quote ünïcode 𝔘 \n hit',
      sourceUrl: 'https://example.org/i/item',
      confidence: 70,
      affectedLocation: { status: 'stated', locations: [{ kind: 'area', sourceText: 'Downtown' }] },
      proceduralContext: {
        proceduralStage: 'notice',
        actingBodyRole: 'unknown',
        nextBodyName: null,
        nextMeetingDate: null,
        actionKind: 'unknown',
        actionUrl: null,
      },
    };
    expect(await agenda.recent()).toEqual([hit]);
    expect(await agenda.detail(HIT)).toEqual({ matchId: HIT, ...hit });
    expect((await agenda.upcoming('zoning')).data.hits).toEqual([{ matchId: HIT, ...hit }]);
  });

  test('is shown only when everything that it refers to exists, in any order of arrival', async () => {
    const count = standard().length;
    for (let last = 0; last < count; last++) {
      await agenda.clear();
      const all = standard();
      await fold(all.toSpliced(last, 1));
      // A hit has no source.
      expect([all[last]!.stream, await isShown()]).toEqual([
        all[last]!.stream,
        all[last]!.stream.startsWith('sources-') ? 'everywhere' : 'nowhere',
      ]);
      await fold([all[last]!]);
      expect([all[last]!.stream, await isShown()]).toEqual([all[last]!.stream, 'everywhere']);
    }
  });

  test.each(['agenda_hits', 'agenda_items', 'meetings', 'topics', 'public_bodies', 'jurisdictions'] as const)(
    'disappears when its record of %s is removed, and returns with it',
    async (resource) => {
      await fold(standard());
      const name = {
        agenda_hits: 'hit',
        agenda_items: 'item',
        meetings: 'meeting',
        topics: 'zoning',
        public_bodies: 'dallas',
        jurisdictions: 'dallas',
      }[resource];
      await fold([events.withdraw(resource, name)]);
      expect(await isShown()).toBe('nowhere');
      await fold(standard().filter(({ stream }) => stream.startsWith(`${resource}-`)));
      expect(await isShown()).toBe('everywhere');
    },
  );

  test('follows its meeting through moves, cancellation and reinstatement, and through a change of body', async () => {
    await fold([...standard(), ...events.place('fort-worth')]);
    const moved = '2026-01-09T18:00:00.000Z';
    await fold([events.meeting('meeting', 'dallas', moved)]);
    expect((await agenda.detail(HIT)).meetingAt).toBe(moved);
    for (const status of ['cancelled', 'postponed'] as const) {
      await fold([events.meeting('meeting', 'dallas', moved, { status })]);
      expect([status, await isShown()]).toEqual([status, 'in the detail alone']);
    }
    await fold([events.meeting('meeting', 'fort-worth', moved, { status: 'held' })]);
    expect(await isShown()).toBe('everywhere');
    expect(await agenda.recent()).toMatchObject([
      { jurisdictionSlug: 'fort-worth', bodyName: 'Council of fort-worth' },
    ]);
  });

  test('follows its item through a new title and a move to another meeting, also within one batch', async () => {
    await fold(standard());
    await fold([
      events.item('item', 'other', { title: 'Retitled "twice"' }),
      events.meeting('other', 'dallas', '2026-01-07T18:00:00.000Z'),
    ]);
    expect(await agenda.detail(HIT)).toMatchObject({
      title: 'Retitled "twice"',
      meetingAt: '2026-01-07T18:00:00.000Z',
    });
    await fold([events.meeting('other', 'dallas', '2026-01-08T18:00:00.000Z')]);
    expect(await agenda.detail(HIT)).toMatchObject({ meetingAt: '2026-01-08T18:00:00.000Z' });
    await fold([events.item('item', 'nowhere')]);
    expect(await isShown()).toBe('nowhere');
  });

  test('follows its record to another topic and another item', async () => {
    await fold([...standard(), events.topic('housing'), events.item('second', 'meeting')]);
    await fold([events.hit('hit', 'second', 'housing', { summary: 'Anew' })]);
    expect(await titles()).toEqual([]);
    expect((await agenda.upcoming('housing')).data.hits).toMatchObject([
      { title: 'Item second', topicSlug: 'housing', summary: 'Anew' },
    ]);
  });

  test('has the current names of its body, jurisdiction and topic', async () => {
    await fold(standard());
    await fold([
      events.body('dallas', { name: 'The Council' }),
      events.jurisdiction('dallas', { name: 'Big D' }),
      events.topic('zoning', { slug: 'land_use' }),
    ]);
    expect(await agenda.recent()).toMatchObject([
      { bodyName: 'The Council', jurisdictionName: 'Big D', topicSlug: 'land_use' },
    ]);
    await expect(titles()).rejects.toMatchObject({ code: 'invalid_parameter' });
  });
});

describe('the active public coverage set', () => {
  test.each([
    ['a topic that may not be selected', () => events.topic('zoning', { selectable: false })],
    ['a topic that is not classified', () => events.topic('zoning', { classificationActive: false })],
    ['a jurisdiction that is not active', () => events.jurisdiction('dallas', { active: false })],
    ['a body that is not active', () => events.body('dallas', { active: false })],
    ['a body that is not on the list', () => events.body('dallas', { slug: 'planning-commission' })],
    ['a jurisdiction that is not on the list', () => events.jurisdiction('dallas', { slug: 'plano' })],
  ])('leaves out %s, and includes it again', async (_what, change) => {
    await fold(standard());
    await fold([change()]);
    expect(await isShown()).toBe('nowhere');
    await fold(standard().slice(0, 4));
    expect(await isShown()).toBe('everywhere');
  });

  test('contains each body of the list, and the sample while it exists', async () => {
    await fold([events.topic('zoning')]);
    for (const [slug, bodySlug] of [
      ['dallas', 'city-council'],
      ['dallas-county', 'commissioners-court'],
      ['ellis-county', 'commissioners-court'],
      ['fort-worth', 'city-council'],
      ['kaufman-county', 'commissioners-court'],
      ['parker-county', 'commissioners-court'],
      ['wise-county', 'commissioners-court'],
      ['sample-city', 'city-council'],
    ] as const) {
      await fold([
        events.jurisdiction(slug),
        events.body(slug, { slug: bodySlug }),
        events.meeting(slug, slug, SOON),
        events.item(slug, slug),
        events.hit(slug, slug, 'zoning'),
      ]);
      expect(await agenda.detail(agendaId('agenda_hits', slug))).toMatchObject({ jurisdictionSlug: slug });
    }
    expect((await agenda.upcoming('zoning', { count: true })).data.totalCount).toBe(8);
    await fold([events.withdraw('public_bodies', 'sample-city')]);
    expect((await agenda.upcoming('zoning', { count: true })).data.totalCount).toBe(7);
  });

  /** Names of two other records, one with a smaller and one with a greater id: ids must not decide. */
  const rivals = (resource: 'jurisdictions' | 'public_bodies' | 'topics', name: string): readonly [string, string] => {
    const names = Array.from({ length: 30 }, (_, n) => `rival ${n}`);
    const isSmaller = (rival: string) => agendaId(resource, rival) < agendaId(resource, name);
    return [names.find(isSmaller)!, names.find((rival) => !isSmaller(rival))!];
  };

  const [OLDER, YOUNGER] = [{ createdAt: '2025-06-01T00:00:00.000Z' }, { createdAt: '2026-06-01T00:00:00.000Z' }];
  test.each([
    ['topics', 'zoning', (name: string, age: object) => events.topic(name, { slug: 'zoning', ...age })],
    ['jurisdictions', 'dallas', (name: string, age: object) => events.jurisdiction(name, { slug: 'dallas', ...age })],
    [
      'public_bodies',
      'dallas',
      (name: string, age: object) => events.body(name, { jurisdictionId: agendaId('jurisdictions', 'dallas'), ...age }),
    ],
  ] as const)(
    'of two %s with one slug shows the older one, in any order of arrival, until it is removed',
    async (resource, name, publish) => {
      await fold(standard());
      for (const rival of rivals(resource, name)) {
        await fold([publish(rival, YOUNGER)]);
        expect([rival, await isShown()]).toEqual([rival, 'everywhere']);
        await fold([publish(rival, OLDER)]);
        expect([rival, await isShown()]).toEqual([rival, 'nowhere']);
        await fold([events.withdraw(resource, rival)]);
        expect([rival, await isShown()]).toEqual([rival, 'everywhere']);
      }
    },
  );

  test('leaves out a record whose slug belongs to an older inactive record', async () => {
    await fold([...standard(), events.topic('elder', { slug: 'zoning', selectable: false, ...OLDER })]);
    expect(await isShown()).toBe('nowhere');
  });
});
