import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { CLASSIFIER } from '../../src/classifier/classifier-names.ts';
import { hitId } from '../../src/classifier/classify-item.ts';
import { agendaId } from '../support/agenda-events.ts';
import { type RunningReactor, openClassification, type TestClassification } from '../support/classification.ts';
import { untilTrue } from '../support/civic.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

const TITLE = 'Conduct a public hearing and consider an ordinance rezoning 12.5 acres at 1201 Main Street.';
const MEETING = '2026-02-03T19:00:00.000Z';

let database: TestDatabase;
let classification: TestClassification;
let events: TestClassification['events'];
let reactor: RunningReactor;

/** Hits of the items named, as `item: topic`, in the order of the names. */
async function hitsOf(...items: readonly string[]): Promise<readonly string[]> {
  const hits = await classification.hits();
  return items.flatMap((item) =>
    hits
      .filter(({ agendaItemId }) => agendaItemId === agendaId('agenda_items', item))
      .map(({ topicId }) => `${item}: ${topicName(topicId)}`),
  );
}
const topicName = (id: string): string => ['zoning', 'water'].find((name) => agendaId('topics', name) === id) ?? id;
const hitOf = async (item: string, topic = 'zoning') =>
  (await classification.hits()).find(
    ({ id }) => id === hitId(agendaId('agenda_items', item), agendaId('topics', topic)),
  );
const timeless = ({ updatedAt: _updatedAt, classifiedAt: _classifiedAt, ...hit }: RecordData<'agenda_hits'>) => hit;
async function write(...events: readonly (StoredEvent | readonly StoredEvent[])[]) {
  await classification.write(...events);
  await classification.atRest();
}

const zoning = (content: object = {}) =>
  events.topic('zoning', { keywords: ['rezoning'], publicLabel: 'Zoning', ...content });
const water = (content: object = {}) => events.topic('water', { keywords: ['water main'], ...content });

beforeAll(async () => {
  database = await startTestDatabase();
  classification = await openClassification(database.url);
  ({ events } = classification);
  reactor = classification.start();
});
afterEach(async () => {
  const remaining = await classification.known.referring('agenda_items', 'meetingId', [
    agendaId('meetings', 'session'),
  ]);
  await classification.civic.writer.write(
    remaining.map((id) => ({ op: 'remove', resource: 'agenda_items', id })),
    {},
  );
  await write(zoning(), water(), events.place('dallas'), events.meeting('session', 'dallas', MEETING));
  const hitsAfter = await classification.hits();
  if (hitsAfter.length > 0) throw new Error(`hits of no item: ${JSON.stringify(hitsAfter)}`);
});
afterAll(async () => {
  await classification?.close();
  await database?.close();
});

/** All records that the items of the meeting refer to. */
const ground = (): readonly StoredEvent[] => [
  zoning(),
  water(),
  ...events.place('dallas'),
  events.meeting('session', 'dallas', MEETING),
];

describe('an agenda item', () => {
  test('gets hits that name its event as their cause and have its date', async () => {
    await write(ground());
    classification.civic.clock.advance(60_000);
    await write(events.item('case', 'session', { title: TITLE }));
    const hit = (await hitOf('case'))!;
    expect(hit).toMatchObject({
      classifier: CLASSIFIER,
      topicId: agendaId('topics', 'zoning'),
      evidenceQuote: TITLE,
    });
    const [published] = await classification.civic.log.readStream(
      `agenda_items-${agendaId('agenda_items', 'case')}`,
      -1,
      1,
    );
    expect(hit.classifiedAt).toBe(new Date(published!.time).toISOString());
    const [stored] = await classification.civic.log.readStream(`agenda_hits-${hit.id}`, -1, 1);
    expect(JSON.parse(stored!.metadata)).toMatchObject({ causedBy: published!.id });
  });

  test('gets other hits when its text changes, and none when it is withdrawn', async () => {
    await write(ground(), events.item('case', 'session', { title: TITLE }));
    expect(await hitsOf('case')).toEqual(['case: zoning']);
    await write(events.item('case', 'session', { title: 'Award a contract to replace the water main in Oak Lane.' }));
    expect(await hitsOf('case')).toEqual(['case: water']);
    await write(events.withdraw('agenda_items', 'case'));
    expect(await classification.hits()).toEqual([]);
  });

  test('has no hits while its kind says that it is a heading or a step', async () => {
    await write(ground(), events.item('case', 'session', { title: TITLE }));
    for (const kind of ['heading', 'procedural'] as const) {
      await write(events.item('case', 'session', { title: TITLE, kind }));
      expect([kind, await hitsOf('case')]).toEqual([kind, []]);
      await write(events.item('case', 'session', { title: TITLE, kind: 'item' }));
      expect(await hitsOf('case')).toEqual(['case: zoning']);
    }
  });

  test('that is a heading or boilerplate makes no hit', async () => {
    await write(
      ground(),
      zoning({ keywords: ['rezoning', 'consent agenda', 'public meeting'] }),
      events.item('heading', 'session', { title: 'CONSENT AGENDA' }),
      events.item('case', 'session', { title: 'Adopt rules of the public meeting room at 500 Elm Street.' }),
    );
    expect(await hitsOf('heading', 'rezoning heading', 'case')).toEqual(['case: zoning']);
  });

  test('that arrives before its meeting, body, jurisdiction and topic gets the same hits as one after them', async () => {
    const item = events.item('case', 'session', { title: TITLE });
    await write(...ground(), item);
    const whole = (await hitOf('case'))!;
    await write(events.withdraw('meetings', 'session'), events.withdraw('public_bodies', 'dallas'));
    await write(
      events.withdraw('jurisdictions', 'dallas'),
      events.withdraw('topics', 'zoning'),
      events.withdraw('agenda_items', 'case'),
    );
    expect(await classification.hits()).toEqual([]);
    await write(item);
    for (const step of [...ground()].toReversed()) {
      expect(await hitsOf('case')).toEqual([]);
      await write(step);
    }
    expect(timeless((await hitOf('case'))!)).toEqual(timeless(whole));
  });
});

describe('a change of what an item refers to', () => {
  test('a topic with new keywords, deactivated or withdrawn changes the hits of every item', async () => {
    await write(
      ground(),
      events.item('case', 'session', { title: TITLE }),
      events.item('other', 'session', { title: 'Rezoning of lot 7.' }),
    );
    expect(await hitsOf('case', 'other')).toEqual(['case: zoning', 'other: zoning']);
    await write(zoning({ keywords: ['12.5 acres'] }));
    expect(await hitsOf('case', 'other')).toEqual(['case: zoning']);
    await write(zoning({ negativeKeywords: ['rezoning 12.5 acres'] }));
    expect(await hitsOf('case', 'other')).toEqual(['other: zoning']);
    await write(zoning({ classificationActive: false }));
    expect(await hitsOf('case', 'other')).toEqual([]);
    await write(zoning());
    expect(await hitsOf('case', 'other')).toEqual(['case: zoning', 'other: zoning']);
    await write(events.withdraw('topics', 'zoning'));
    expect(await hitsOf('case', 'other')).toEqual([]);
  });

  test('a changed meeting, body or jurisdiction updates the hits of its items, also alone in a batch', async () => {
    await write(ground(), events.item('case', 'session', { title: TITLE }));
    const before = (await hitOf('case'))!;
    await write(events.body('dallas', { actingBodyRole: 'recommending' }), events.item('later', 'session'));
    const recommended = (await hitOf('case'))!;
    expect([before.proceduralContext.actingBodyRole, recommended.proceduralContext.actingBodyRole]).toEqual([
      'unknown',
      'recommending',
    ]);
    const [body] = (
      await classification.civic.log.readLast([`public_bodies-${agendaId('public_bodies', 'dallas')}`])
    ).values();
    const [stored] = (await classification.civic.log.readLast([`agenda_hits-${before.id}`])).values();
    expect(JSON.parse(stored!.metadata)).toMatchObject({ causedBy: body!.id });

    for (const [resource, name, back] of [
      ['meetings', 'session', () => events.meeting('session', 'dallas', MEETING)],
      ['public_bodies', 'dallas', () => events.body('dallas')],
      ['jurisdictions', 'dallas', () => events.jurisdiction('dallas')],
    ] as const) {
      await write(events.withdraw(resource, name));
      expect([resource, await hitsOf('case')]).toEqual([resource, []]);
      await write(back());
      expect([resource, await hitsOf('case')]).toEqual([resource, ['case: zoning']]);
    }
  });
});

test('the hit of a past meeting that its source left scheduled has no invitation, and that of a coming one has', async () => {
  await write(ground(), events.item('case', 'session', { title: TITLE }));
  expect((await hitOf('case'))!.proceduralContext.actionKind).toBe('public_comment');
  await write(events.meeting('session', 'dallas', '2025-12-30T19:00:00.000Z'));
  const { summary, proceduralContext } = (await hitOf('case'))!;
  expect(proceduralContext).toMatchObject({ actionKind: 'unknown', actionUrl: null });
  expect(summary).toContain('the record gives no outcome');
});

describe('a second run', () => {
  test('with a hit of former rules is classified again at the next start, also where the present rules give no hit', async () => {
    await write(
      ground(),
      events.meeting('session', 'dallas', '2101-02-03T19:00:00.000Z'),
      events.item('case', 'session', { title: TITLE }),
      events.item('other', 'session', { title: 'Painting of a bench' }),
    );
    const hit = (await hitOf('case'))!;
    await reactor.stop();
    const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...content } = hit;
    const former = { ...content, summary: 'Former words.', classifier: 'phrases-1' };
    const removedId = agendaId('agenda_hits', 'gone');
    await classification.civic.writer.write(
      [
        { op: 'remove', resource: 'agenda_hits', id: hit.id },
        { op: 'upsert', resource: 'agenda_hits', id: hit.id, content: former },
        {
          op: 'upsert',
          resource: 'agenda_hits',
          id: removedId,
          content: { ...former, agendaItemId: agendaId('agenda_items', 'other') },
        },
      ],
      {},
    );
    reactor = classification.start();
    await untilTrue('the hit has the present words', async () => (await hitOf('case'))?.classifier === CLASSIFIER);
    await untilTrue('the hit without words is gone', async () => (await classification.hits()).length === 1);
    expect(timeless((await hitOf('case'))!)).toEqual(timeless(hit));
  });

  test('for a change without new text leaves a hit and its time of classification', async () => {
    await write(ground(), events.item('case', 'session', { title: TITLE }));
    const before = (await hitOf('case'))!;
    classification.civic.clock.advance(60_000);
    await write(water({ keywords: ['water main', 'sewer'] }));
    await write(
      events.item('new', 'session', { title: 'Repair the sewer in Oak Lane.' }),
      events.source('dallas', { status: 'failing' }),
    );
    expect(await hitsOf('case', 'new')).toEqual(['case: zoning', 'new: water']);
    expect(await hitOf('case')).toEqual(before);
  });

  test('over unchanged records appends nothing, for hits of any sender', async () => {
    const importedHit = events.hit('sent', 'case', 'zoning', { classifier: 'import' });
    const ours = hitId(agendaId('agenda_items', 'case'), agendaId('topics', 'zoning'));
    await write(
      ground(),
      importedHit,
      events.item('case', 'session', { title: TITLE }),
      events.item('more', 'session', { title: TITLE }),
    );
    expect((await hitsOf('case', 'more')).length).toBe(3);
    expect(await hitOf('case')).toMatchObject({ id: ours });
    await reactor.stop();
    const head = await classification.civic.log.head();
    await classification.backToStart();
    reactor = classification.start();
    await classification.atRest();
    expect(await classification.civic.log.head()).toBe(head);
    expect((await classification.row())!.handled).toBeGreaterThan(10);
    await write(events.withdraw('agenda_hits', 'sent'));
  });

  test('leaves an imported hit as it was sent, also under an id of the service', async () => {
    const ours = hitId(agendaId('agenda_items', 'case'), agendaId('topics', 'zoning'));
    const importedHit = JSON.parse(events.hit('sent', 'case', 'zoning', { classifier: 'analyst' }).data) as object;
    await write(ground());
    await classification.civic.writer.write(
      [
        { op: 'upsert', resource: 'agenda_hits', id: ours, content: { ...importedHit, id: ours } },
        {
          op: 'upsert',
          resource: 'agenda_hits',
          id: agendaId('agenda_hits', 'apart'),
          content: { ...importedHit, id: undefined },
        },
      ],
      {},
    );
    await classification.atRest();
    const imported = await classification.hits();
    await write(events.item('case', 'session', { title: TITLE }));
    await write(events.item('case', 'session', { title: 'Nothing that any topic would follow.' }));
    await write(zoning({ classificationActive: false }));
    await write(events.withdraw('agenda_items', 'case'));
    const hitsAfter = await classification.hits();
    expect(hitsAfter.map(({ classifier }) => classifier)).toEqual(['analyst', 'analyst']);
    expect(hitsAfter).toEqual(imported);
    await classification.civic.writer.write(
      hitsAfter.map(({ id }) => ({ op: 'remove', resource: 'agenda_hits', id })),
      {},
    );
  });
});
