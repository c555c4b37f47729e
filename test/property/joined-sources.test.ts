import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS } from '../../domain/durations.ts';
import type { PublishedRecords } from '../../domain/ports/projection.ts';
import { MemoryRecords } from '../integration/agendas/memory-records.ts';
import {
  copyOf,
  danglingOf,
  event,
  item,
  type Row,
  type TestSource,
  testSource,
} from '../integration/agendas/two-sources.ts';
import { testRuns } from '../support/test-runs.ts';
import { testSeed } from '../support/test-seed.ts';

const SOURCES = ['agendas', 'boards', 'recordings'] as const;
type Name = (typeof SOURCES)[number];
type Sources = Readonly<Record<Name, TestSource>>;

const START = Date.parse('2026-09-20T12:00:00Z');
/** Then no meeting is recent any more. */
const LATER = 70 * DAY_MS;
const DAYS = ['2026-09-08', '2026-09-15'];
const meeting = fc.record({
  source: fc.constantFrom(...SOURCES),
  number: fc.integer({ min: 1, max: 3 }),
  body: fc.constantFrom(7, 8),
  day: fc.constantFrom(...DAYS),
  time: fc.constantFrom(null, '9:0', '9:1', '11:3'),
  title: fc.constantFrom('Commissioners Court', 'Special Meeting'),
  comment: fc.constantFrom(null, 'Meeting canceled'),
  hasItems: fc.boolean(),
});
const step = fc.oneof(
  { weight: 4, arbitrary: meeting.map((listed) => ({ kind: 'list' as const, listed })) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('unlist' as const),
      source: fc.constantFrom(...SOURCES),
      number: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('sync' as const), source: fc.constantFrom(...SOURCES) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('together' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('later' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), source: fc.constantFrom(...SOURCES) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type Listed = typeof meeting extends fc.Arbitrary<infer Value> ? Value : never;

const idOf = (source: Name, number: number): number => (SOURCES.indexOf(source) + 1) * 100 + number;
const addressOf = (id: number): string => `https://site.example.org/meetings/${id}`;

function list({ events, items }: TestSource, listed: Listed): void {
  const { source, number, body, day, time, title, comment, hasItems } = listed;
  const id = idOf(source, number);
  unlist({ events }, id);
  events.push(
    event(id, {
      EventDate: `${day}T00:00:00`,
      EventTime: time === null ? null : `${time}${number} AM`,
      EventTitle: `${title} ${number}`,
      EventBodyId: body,
      EventBodyName: body === 7 ? 'Commissioners Court' : 'Library Board',
      EventComment: comment,
    }),
  );
  items.set(id, hasItems ? [item(id * 100 + 1, `First of ${id}`), item(id * 100 + 2, `Second of ${id}`)] : []);
}

function unlist({ events }: Pick<TestSource, 'events'>, id: number): void {
  const index = events.findIndex(({ EventId }) => EventId === id);
  if (index >= 0) events.splice(index, 1);
}

/** A recording that the source lists no more is looked for while its meeting is recent. */
function unlistRecent(source: TestSource, id: number): void {
  if (source.now === START || id < 300) unlist(source, id);
}

/** References as they were before; contents as they are, which are never stale. */
const lagging = (records: MemoryRecords): PublishedRecords => {
  const before = copyOf(records);
  return {
    referring: (...args) => before.referring(...args),
    current: (...args) => records.current(...args),
  };
};

async function run(records: MemoryRecords, sources: Sources, done: Step): Promise<void> {
  records.time = new Date(Date.parse(records.time) + 1).toISOString();
  if (done.kind === 'list') list(sources[done.listed.source], done.listed);
  else if (done.kind === 'unlist') unlistRecent(sources[done.source], idOf(done.source, done.number));
  else if (done.kind === 'later') for (const source of SOURCES) sources[source].now += LATER;
  else if (done.kind === 'sync') await sources[done.source].sync();
  else if (done.kind === 'remove') await sources[done.source].remove();
  else {
    const laggingRecords = lagging(records);
    for (const source of SOURCES) await sources[source].sync(laggingRecords);
  }
}

/** Each listed meeting once: as a meeting, or as a document of one, which is not that of a recording. */
function expectComplete(records: MemoryRecords, sources: Sources): void {
  const of = (names: readonly Name[]) =>
    names.flatMap((name) => sources[name].events.map(({ EventId }: Row) => addressOf(Number(EventId)))).toSorted();
  const meetings = records.all('meetings').map(({ content }) => String(content.sourceUrl));
  const documents = records.all('documents').map(({ content }) => String(content.url));
  expect([...meetings, ...documents].toSorted()).toEqual(of(SOURCES));
  const isRecording = (url: string) => of(['recordings']).includes(url);
  const ofRecordings = records.all('meetings').filter(({ content }) => isRecording(String(content.sourceUrl)));
  const ids = new Set(ofRecordings.map(({ id }) => id));
  expect(records.all('documents').filter(({ content }) => ids.has(String(content.meetingId)))).toEqual([]);
  expect(danglingOf(records)).toEqual([]);
}

test('after any syncs, also at the same time, and removals, each listed meeting is published once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const records = new MemoryRecords();
      records.time = '2026-09-20T11:00:00.000Z';
      const sources: Sources = {
        agendas: testSource(records, 'agendas'),
        boards: testSource(records, 'boards'),
        recordings: testSource(records, 'recordings', {
          label: 'Swagit',
          isSecondary: true,
          isUnstamped: true,
          listsNoBodies: true,
        }),
      };
      // A source whose list is empty says nothing of what it lists no more.
      for (const source of SOURCES)
        sources[source].events = [
          event(idOf(source, 9), { EventDate: '2026-08-01T00:00:00', EventTitle: source, EventTime: null }),
        ];
      for (const source of SOURCES) sources[source].bodies.push({ BodyId: 8, BodyName: 'Library Board' });
      for (const each of steps) await run(records, sources, each);
      for (let round = 0; round < 3; round += 1) for (const source of SOURCES) await sources[source].sync();
      expectComplete(records, sources);
      for (const source of SOURCES) expect([source, (await sources[source].sync()).appended]).toEqual([source, 0]);
      for (const source of SOURCES) await sources[source].remove();
      expect(records.records.size).toBe(0);
    }),
    { numRuns: testRuns(150), seed: testSeed() },
  );
});
