import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRecordWriter } from '../../commands/records/write-records.ts';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import {
  type AppendOutcome,
  type EventLog,
  NO_STREAM,
  OutcomeUnknown,
  type StreamAppend,
} from '../../domain/ports/event-log.ts';
import { recordStream } from '../../domain/streams.ts';
import { openFreshCivic, type TestCivic } from '../support/civic.ts';
import { below, randomFrom, recordId, remove, upsert } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import { withFaults } from '../support/event-log-faults.ts';

let civic: TestCivic;

beforeAll(async () => {
  civic = await openFreshCivic();
});
afterAll(() => civic?.close());

const writerOn = (log: EventLog) =>
  createRecordWriter({ log, clock: civic.clock, identifiers: civic.identifiers, deadlineMs: 20_000 });
const history = (number: number) =>
  civic.log.readStream(recordStream('topics', recordId('topics', number)), NO_STREAM, 1000);

/** A lost connection whose append is stored after a failed lookup, when the log is read again. */
function storedLate(log: EventLog, moment: 'before reading' | 'after reading'): EventLog {
  let late: readonly StreamAppend[] | undefined;
  let hasLostAnswer = false;
  const store = async () => {
    const appends = late;
    late = undefined;
    if (appends !== undefined) await log.appendEach(appends);
  };
  return {
    ...log,
    async appendEach(appends): Promise<readonly AppendOutcome[]> {
      if (hasLostAnswer) return log.appendEach(appends);
      hasLostAnswer = true;
      late = appends;
      throw new OutcomeUnknown('injected: still under way');
    },
    async readLast(streams) {
      if (moment === 'before reading') await store();
      const last = await log.readLast(streams);
      await store();
      return last;
    },
  };
}

test('a log that stores nothing until the deadline ends the write as a deadline, which can be retried', async () => {
  const silent: EventLog = {
    ...civic.log,
    appendEach: async () => {
      throw new OutcomeUnknown('injected: no answer');
    },
  };
  let now = 0;
  const clock = { now: () => (now += 1_000), sleep: async () => undefined };
  const writer = createRecordWriter({ log: silent, clock, identifiers: civic.identifiers, deadlineMs: 20_000 });
  const failure = await writer.write([upsert('topics', 9_900, 1)], {}).catch((error: unknown) => error);
  expect([OutcomeUnknown, DeadlineExceeded].some((kind) => failure instanceof kind)).toBe(true);
  const changing: EventLog = {
    ...civic.log,
    appendEach: async (appends) => appends.map(() => ({ kind: 'conflict', actualRevision: 5 })),
  };
  await expect(
    createRecordWriter({ log: changing, clock, identifiers: civic.identifiers, deadlineMs: 20_000 }).write(
      [upsert('topics', 9_900, 1)],
      {},
    ),
  ).rejects.toBeInstanceOf(DeadlineExceeded);
});

test('an append of unknown outcome that ends past the deadline is appended where the log has stored it', async () => {
  let now = 0;
  const slow: EventLog = {
    ...civic.log,
    appendEach: async (appends) => {
      await civic.log.appendEach(appends);
      now += 30_000;
      throw new OutcomeUnknown('injected: the answer came too late');
    },
  };
  const clock = { now: () => now, sleep: async () => undefined };
  const writer = createRecordWriter({ log: slow, clock, identifiers: civic.identifiers, deadlineMs: 20_000 });
  const outcomes = await writer.write([upsert('topics', 9_901, 1)], {});
  expect(outcomes.map(({ kind }) => kind)).toEqual(['appended']);
  expect(await history(9_901)).toHaveLength(1);
});

test.each(['before reading', 'after reading'] as const)(
  'an append that is stored after a failed lookup is found and not repeated (%s the state again)',
  async (moment) => {
    const number = moment === 'before reading' ? 9001 : 9002;
    const outcomes = await writerOn(storedLate(civic.log, moment)).write(
      [upsert('topics', number, 1), upsert('topics', number, 2), upsert('topics', number, 1)],
      {},
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(['appended', 'appended', 'appended']);
    expect((await history(number)).map(({ data }) => (JSON.parse(data) as { slug: string }).slug)).toEqual([
      'topic-1',
      'topic-2',
      'topic-1',
    ]);
  },
);

test('with any conflicts and lost answers of appends, each change is one event, and A, B, A is three', async () => {
  let next = 0;
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const random = randomFrom(seed);
      const faults = ['none', 'none', 'conflict', 'unknown, not stored', 'unknown, stored'] as const;
      const writer = writerOn(withFaults(civic.log, () => faults[below(random, faults.length)]!));
      const base = next;
      next += 4;
      const variantsByNumber = new Map<number, string[]>();
      const events = new Set<string>();
      for (let round = 0; round < 4; round++) {
        const changes = Array.from({ length: 1 + below(random, 8) }, () => {
          const number = base + below(random, 4);
          const variant = below(random, 3);
          return random() < 0.2 ? { number, slug: null } : { number, slug: `topic-${variant}` };
        });
        const outcomes = await writer.write(
          changes.map(({ number, slug }) =>
            slug === null ? remove('topics', number) : upsert('topics', number, Number(slug.slice(6))),
          ),
          {},
        );
        for (const [index, { number, slug }] of changes.entries()) {
          const states = variantsByNumber.get(number) ?? ['removed'];
          const state = slug ?? 'removed';
          expect(outcomes[index]!.kind).toBe(states.at(-1) === state ? 'unchanged' : 'appended');
          if (states.at(-1) !== state) states.push(state);
          variantsByNumber.set(number, states);
        }
      }
      for (const [number, states] of variantsByNumber) {
        const storedVariants = await history(number);
        const slugs = storedVariants.map(({ type, data }) =>
          type === 'RecordWithdrawn' ? 'removed' : (JSON.parse(data) as { slug: string }).slug,
        );
        expect(slugs).toEqual(states.slice(1));
        for (const { id } of storedVariants) events.add(id);
        expect(new Set(storedVariants.map(({ id }) => id)).size).toBe(storedVariants.length);
      }
    }),
    { numRuns: 30, seed: testSeed() },
  );
});

test('changes of different records are stored in their order', async () => {
  const writer = writerOn(civic.log);
  await writer.write([upsert('topics', 7201, 1), upsert('topics', 7202, 1)], {});
  const outcomes = await writer.write(
    [upsert('topics', 7201, 2), upsert('topics', 7203, 1), upsert('topics', 7202, 2)],
    {},
  );
  const positions = outcomes.map((outcome) => (outcome.kind === 'appended' ? outcome.position : outcome.kind));
  expect(positions).toEqual(positions.toSorted());
});

test('of many concurrent writers with the same record one makes the event', async () => {
  const writers = Array.from({ length: 8 }, () => writerOn(civic.log));
  const outcomes = await Promise.all(writers.map((writer) => writer.write([upsert('topics', 5000, 1)], {})));
  expect(outcomes.flat().filter(({ kind }) => kind === 'appended')).toHaveLength(1);
  expect(outcomes.flat().filter(({ kind }) => kind === 'unchanged')).toHaveLength(7);
  expect(await history(5000)).toHaveLength(1);
});

test('a removed record that is published again keeps its createdAt and counts its versions on', async () => {
  const { createdAt, ...times } = await (async () => {
    await civic.writer.write([upsert('topics', 6000, 1)], {});
    const first = civic.clock.now();
    civic.clock.advance(1000);
    await civic.writer.write([remove('topics', 6000)], {});
    civic.clock.advance(1000);
    await civic.writer.write([upsert('topics', 6000, 1)], {});
    return { createdAt: new Date(first).toISOString(), updatedAt: new Date(civic.clock.now()).toISOString() };
  })();
  const events = await history(6000);
  expect(events.map(({ type }) => type)).toEqual(['RecordPublished', 'RecordWithdrawn', 'RecordPublished']);
  expect(JSON.parse(events[2]!.data)).toMatchObject({ createdAt, ...times });
});
