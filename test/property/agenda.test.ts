import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { UpcomingHitsInput } from '../../contract/inputs.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { RecordData, Resource } from '../../domain/records/resources.ts';
import { recordOfStream } from '../../domain/streams.ts';
import { agenda as projection, COVERED, openTestAgenda, type TestAgenda } from '../support/agenda.ts';
import { DAY_MS, TEST_TIME } from '../support/civic.ts';
import { below } from '../support/civic-records.ts';
import { withSeed } from '../support/test-seed.ts';
import { dumpTables } from '../support/projection-spec.ts';
import { testRuns } from '../support/test-runs.ts';
import { foldInBatches, one, type Random, shuffled } from '../support/shuffled-events.ts';

const ROUNDS = testRuns(8);
const CHANGES = 120;
const CITIES = ['dallas', 'fort-worth', 'sample-city'];
const TOPICS = ['zoning', 'housing', 'parks', 'fees'];

let agenda: TestAgenda;
let other: number;

beforeAll(async () => {
  agenda = await openTestAgenda();
  other = await agenda.scratch();
});
afterAll(async () => agenda?.close());

const time = (random: Random, days: number): string =>
  new Date(TEST_TIME + (below(random, 2 * days + 1) - days) * DAY_MS).toISOString();

/** A change of one of few records, with few names and fewer slugs, so that records collide. */
function change(random: Random): StoredEvent {
  const { events } = agenda;
  const number = below(random, 5);
  const place = random() < 0.05 ? 'plano' : CITIES[number % CITIES.length]!;
  const createdAt = time(random, 2);
  const kinds: readonly (() => StoredEvent)[] = [
    () =>
      events.jurisdiction(`j${number}`, {
        slug: place,
        name: `Name ${below(random, 3)}`,
        active: random() < 0.93,
        createdAt: agedOf(`j${number}`),
      }),
    () =>
      events.body(`b${number}`, {
        ...bodyOf(random, number),
        active: random() < 0.93,
        createdAt: agedOf(`b${number}`),
      }),
    () =>
      events.topic(`t${number}`, {
        slug: one(random, TOPICS),
        selectable: random() < 0.93,
        createdAt: agedOf(`t${number}`),
      }),
    () =>
      events.meeting(`m${number}`, `b${below(random, 5)}`, time(random, 3), {
        status: one(random, ['scheduled', 'held', 'cancelled']),
      }),
    () => events.item(`i${number}`, `m${below(random, 5)}`, { title: `Title ${below(random, 4)}` }),
    () => events.item(`i${number + 5}`, `m${below(random, 5)}`),
    () => events.hit(`h${number}`, `i${below(random, 10)}`, `t${below(random, 5)}`, { classifiedAt: createdAt }),
    () => events.hit(`h${number + 5}`, `i${below(random, 10)}`, `t${below(random, 5)}`, { classifiedAt: createdAt }),
    () => events.hit(`h${number + 10}`, `i${below(random, 10)}`, `t${below(random, 5)}`, { classifiedAt: createdAt }),
  ];
  const event = one(random, kinds)();
  if (random() > 0.05) return event;
  return { ...event, type: 'RecordWithdrawn' };
}

/** The age of a record never changes. Two of the ages are equal, so that ids decide too. */
const agedOf = (name: string): string => new Date(TEST_TIME - (name.charCodeAt(1) % 3) * DAY_MS).toISOString();

const bodyOf = (random: Random, number: number) => ({
  jurisdictionId: jurisdictionIds[random() < 0.8 ? number % 5 : below(random, 5)]!,
  slug: random() < 0.93 ? 'city-council' : 'parks-board',
});
let jurisdictionIds: readonly string[];

/** The expected agenda, computed from the last event of each record. */
class Model {
  readonly #records = new Map<string, StoredEvent>();

  constructor(events: readonly StoredEvent[]) {
    for (const event of events) this.#records.set(event.stream, event);
  }

  all<R extends Resource>(resource: R): readonly RecordData<R>[] {
    const current = [...this.#records.values()].filter(
      (event) => event.type === RECORD_PUBLISHED && recordOfStream(event.stream).resource === resource,
    );
    return current.map(({ data }) => JSON.parse(data) as RecordData<R>);
  }

  get<R extends Resource>(resource: R, id: string): RecordData<R> | undefined {
    return this.all(resource).find((record) => record.id === id);
  }

  /** True if no older record with the same slug shares something with it. */
  wins(
    record: { id: string; slug: string; createdAt: string },
    rivals: readonly { id: string; slug: string; createdAt: string }[],
  ): boolean {
    const age = (of: typeof record) => `${of.createdAt} ${of.id}`;
    return rivals.every((rival) => rival.slug !== record.slug || age(rival) >= age(record));
  }

  hits() {
    return this.all('agenda_hits').flatMap((hit) => {
      const topic = this.get('topics', hit.topicId);
      const item = this.get('agenda_items', hit.agendaItemId);
      const meeting = item && this.get('meetings', item.meetingId);
      const body = meeting && this.get('public_bodies', meeting.publicBodyId);
      const jurisdiction = body && this.get('jurisdictions', body.jurisdictionId);
      if (
        topic === undefined ||
        item === undefined ||
        meeting === undefined ||
        body === undefined ||
        jurisdiction === undefined
      )
        return [];
      const bodies = this.all('public_bodies').filter(({ jurisdictionId }) => jurisdictionId === jurisdiction.id);
      const covered =
        topic.selectable &&
        topic.classificationActive &&
        jurisdiction.active &&
        body.active &&
        this.wins(topic, this.all('topics')) &&
        this.wins(jurisdiction, this.all('jurisdictions')) &&
        this.wins(body, bodies) &&
        COVERED.some(({ jurisdictionSlug, slug }) => jurisdictionSlug === jurisdiction.slug && slug === body.slug);
      if (!covered) return [];
      const expected = {
        matchId: hit.id,
        jurisdictionSlug: jurisdiction.slug,
        jurisdictionName: jurisdiction.name,
        bodyName: body.name,
        topicSlug: topic.slug,
        meetingAt: meeting.startsAt,
        title: item.title,
      };
      return [{ shown: expected, hit, listed: meeting.status !== 'cancelled' && meeting.status !== 'postponed' }];
    });
  }
}

type ModelHit = ReturnType<Model['hits']>[number];
const order =
  (...keys: readonly ((of: ModelHit) => string)[]) =>
  (left: ModelHit, right: ModelHit): number => {
    const key = keys.find((of) => of(left) !== of(right));
    return key === undefined ? 0 : key(left) < key(right) ? -1 : 1;
  };
const reversed = (text: string): string => text.replaceAll(/[0-9]/g, (digit) => String(9 - Number(digit)));

async function expectAnswers(model: Model): Promise<number> {
  const hits = model.hits();
  const listed = hits.filter((hit) => hit.listed);
  const recent = listed
    .toSorted(
      order(
        ({ hit }) => reversed(hit.classifiedAt),
        ({ shown: fields }) => reversed(fields.meetingAt),
        ({ hit }) => hit.id,
      ),
    )
    .slice(0, 3);
  expect(await agenda.recent()).toMatchObject(
    recent.map(({ shown: { matchId, ...fields }, hit }) => ({
      ...fields,
      summary: matchId === hit.id ? hit.summary : '',
    })),
  );
  for (const { shown } of hits) expect(await agenda.detail(shown.matchId)).toMatchObject(shown);
  for (const { id } of model.all('agenda_hits')) {
    if (!hits.some(({ hit }) => hit.id === id))
      await expect(agenda.detail(id)).rejects.toMatchObject({ code: 'not_found' });
  }
  for (const slug of TOPICS) {
    const topic = model.all('topics').find((each) => each.slug === slug && model.wins(each, model.all('topics')));
    const upcomingIn = (input: Partial<UpcomingHitsInput> = {}) => agenda.upcoming(slug, input);
    if (topic === undefined || !topic.selectable) {
      await expect(upcomingIn()).rejects.toMatchObject({ code: 'invalid_parameter' });
      continue;
    }
    const upcoming = listed
      .filter(({ shown }) => shown.topicSlug === slug && Date.parse(shown.meetingAt) >= TEST_TIME)
      .toSorted(
        order(
          ({ shown }) => shown.meetingAt,
          ({ hit }) => hit.classifiedAt,
          ({ hit }) => hit.id,
        ),
      );
    const { data } = await upcomingIn({ count: true });
    expect(data.hits).toMatchObject(upcoming.slice(0, 10).map(({ shown }) => shown));
    expect(data.totalCount).toBe(upcoming.length);
  }
  return hits.length;
}

describe('the agenda', () => {
  test('is the same for any order and batches of the events and shows the last event of each record', async () => {
    await withSeed(async (random) => {
      let compared = 0;
      for (let round = 0; round < ROUNDS; round++) {
        await agenda.clear([agenda.generation, other]);
        jurisdictionIds = Array.from(
          { length: 5 },
          (_, n) => recordOfStream(agenda.events.jurisdiction(`j${n}`).stream).recordId,
        );
        const events = Array.from({ length: CHANGES }, () => change(random));
        await foldInBatches(random, events, (batch) => agenda.fold(batch, agenda.generation));
        await foldInBatches(random, shuffled(random, events), (batch) => agenda.fold(batch, other));
        const dumps = await Promise.all(
          [agenda.generation, other].map((generation) => dumpTables(agenda.database, projection, generation)),
        );
        expect(dumps[0]).toEqual(dumps[1]);
        compared += await expectAnswers(new Model(events));
      }
      // A run without any visible record would prove nothing.
      expect(compared).toBeGreaterThan(ROUNDS);
    });
  });
});
