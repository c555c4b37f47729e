import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Projector } from '../../src/processors/projector/projector.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { snapshots } from '../../projections/snapshots/projection.ts';
import { encodeFeedCursor } from '../../domain/cursor.ts';
import { Rejection } from '../../domain/rejections.ts';
import { DAY_MS, LIFETIME_MS, openFreshCivic, RETENTION_MS, type TestCivic, untilTrue } from '../support/civic.ts';
import { answerOf, floorOf } from '../support/civic-oracle.ts';
import { remove, SOME_RESOURCES, type SomeResource, recordId, upsert } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import {
  type ExpectedChange,
  expectedFeed,
  linesOf,
  positionOf,
  readPage,
  stateAt,
} from '../support/history-checker.ts';
import { testRuns } from '../support/test-runs.ts';

const MAX_BYTES = 50_000_000;
let civic: TestCivic;
let projector: Projector;
let account: string;

beforeAll(async () => {
  civic = await openFreshCivic({ batchSize: 10 });
  account = civic.identifiers.next();
  projector = civic.startProjector();
  await civic.caughtUp();
});
afterAll(() => civic?.close());

interface Step {
  readonly resource: SomeResource;
  readonly number: number;
  /** Null removes the record. */
  readonly variant: number | null;
}

/** The service as plain values. Only `said` and the order of concurrent writes come from its answers. */
interface Model {
  readonly said: Map<string, number | null>;
  readonly changes: ExpectedChange[];
  readonly snapshots: { readonly id: string; readonly boundary: number; readonly expiresAt: number }[];
  mark: number;
  now: number;
}

type Command = fc.AsyncCommand<Model, TestCivic, boolean>;
const always = () => true;

const keyOf = ({ resource, number }: Step): string => `${resource} ${recordId(resource, number)}`;
const toChange = ({ resource, number, variant }: Step) =>
  variant === null ? remove(resource, number) : upsert(resource, number, variant);
const worldOf = ({ changes, mark, now }: Model) => ({
  feedId: civic.feedId,
  changes,
  mark,
  now,
  retentionMs: RETENTION_MS,
});

/** Adds new events of the log to the model after a check that they follow from the steps. */
async function takeOver(model: Model, steps: readonly Step[], ordered: boolean) {
  const expected: string[] = [];
  for (const step of steps) {
    const before = model.said.get(keyOf(step)) ?? null;
    if (before !== step.variant) expected.push(`${keyOf(step)} ${step.variant ?? 'removed'}`);
    model.said.set(keyOf(step), step.variant);
  }
  const fresh = (await expectedFeed(civic.log)).slice(model.changes.length);
  const changes = fresh.map(({ resource, recordId, removed, data }) => {
    const title = removed ? 'removed' : /(?:"name":"Topic|"title":"Agenda|"title":"Permit) (\d+)"/.exec(data!)![1]!;
    return `${resource} ${recordId} ${title}`;
  });
  expect(ordered ? changes : changes.toSorted()).toEqual(ordered ? expected : expected.toSorted());
  model.changes.push(...fresh);
}

const append = (steps: readonly Step[]): Command => ({
  check: always,
  async run(model: Model) {
    await civic.writer.write(steps.map(toChange), {});
    await civic.caughtUp();
    const inOrderOfStreams = [...new Set(steps.map(keyOf))].flatMap((key) =>
      steps.filter((step) => keyOf(step) === key),
    );
    await takeOver(model, inOrderOfStreams, true);
  },
  toString: () => `append(${JSON.stringify(steps)})`,
});

/** One step per record: the log determines the order among records. */
const appendConcurrently = (steps: readonly Step[]): Command => ({
  check: always,
  async run(model: Model) {
    await Promise.all(steps.map((step) => civic.writer.write([toChange(step)], {})));
    await civic.caughtUp();
    await takeOver(model, steps, false);
  },
  toString: () => `append runConcurrently(${JSON.stringify(steps)})`,
});

const rebuild = (of: 'history' | 'snapshots'): Command => ({
  check: always,
  async run() {
    const projection = of === 'history' ? recordHistory : snapshots;
    const { generation } = await civic.generations.create(projection, 'building', Date.now());
    projector.nudge();
    await untilTrue('the rebuilt generation serves', async () => (await civic.live(projection.name)) === generation);
  },
  toString: () => `rebuild and switch(${of})`,
});

const snapshot = (): Command => ({
  check: always,
  async run(model: Model) {
    const { snapshotId, boundaryCursor, expiresAt, counts } = await civic.takeSnapshot({
      accountId: account,
      keyId: account,
      requestId: 't',
    });
    const boundary = positionOf(boundaryCursor);
    expect(boundary).toBe(model.changes.length);
    expect(Date.parse(expiresAt)).toBe(model.now + LIFETIME_MS);
    const state = [...stateAt(model.changes, boundary).keys()];
    for (const resource of SOME_RESOURCES)
      expect(counts[resource]).toBe(state.filter((key) => key.startsWith(`${resource} `)).length);
    model.snapshots.push({ id: snapshotId, boundary, expiresAt: Date.parse(expiresAt) });
  },
  toString: () => 'snapshot()',
});

const pageSnapshot = (which: number, resource: SomeResource, limit: number): Command => ({
  check: (model: Readonly<Model>) => model.snapshots.length > 0,
  async run(model: Model) {
    const { id, boundary, expiresAt } = model.snapshots[which % model.snapshots.length]!;
    const feedItems = new Map<string, string>();
    const pages = async () => {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const position = cursor === undefined ? {} : { cursor };
        const { text } = await civic.snapshotPage({
          accountId: account,
          snapshotId: id,
          resource,
          limit,
          maxResponseBytes: MAX_BYTES,
          ...position,
        });
        const { data, meta } = JSON.parse(text) as {
          data: { items: { id: string }[] };
          meta: { nextCursor: string | null };
        };
        expect(data.items.length).toBeLessThanOrEqual(limit);
        for (const item of data.items) feedItems.set(`${resource} ${item.id}`, JSON.stringify(item));
        cursor = meta.nextCursor;
      }
    };
    if (expiresAt <= model.now || boundary < model.mark) {
      const code = expiresAt <= model.now ? 'not_found' : 'cursor_expired';
      await expect(pages()).rejects.toSatisfy((error) => error instanceof Rejection && error.code === code);
      return;
    }
    await pages();
    const expected = [...stateAt(model.changes, boundary)].filter(([key]) => key.startsWith(`${resource} `));
    expect(linesOf(feedItems)).toEqual(linesOf(expected));
  },
  toString: () => `page snapshot(${which}, ${resource}, ${limit})`,
});

const page = (share: number | null, resource: SomeResource | null, limit: number): Command => ({
  check: always,
  async run(model: Model) {
    const position = Math.round((share ?? 0) * model.changes.length);
    const cursor =
      share === null ? null : { feedId: civic.feedId, position, fingerprint: null, binding: 'nothing' as const };
    const expected = answerOf(worldOf(model), { cursor, resource, limit });
    const reading = civic.changes({
      ...(cursor === null ? {} : { cursor: encodeFeedCursor(cursor) }),
      ...(resource === null ? {} : { resource }),
      limit,
      maxResponseBytes: MAX_BYTES,
    });
    if ('refused' in expected) {
      await expect(reading).rejects.toSatisfy((error) => error instanceof Rejection && error.code === expected.refused);
      return;
    }
    const { items, next, hasMore, replayExpiresAt, historyPruned } = readPage((await reading).text);
    const texts = items.map((item) => `${item.position} ${item.text}`);
    expect({ items: texts, next, hasMore, replayExpiresAt, historyPruned }).toEqual(expected);
  },
  toString: () => `page(${share ?? 'oldest'}, ${resource ?? 'all'}, ${limit})`,
});

const prune = (): Command => ({
  check: always,
  async run(model: Model) {
    await civic.prune();
    const boundaries = model.snapshots.filter(({ expiresAt }) => expiresAt > model.now).map(({ boundary }) => boundary);
    model.mark = Math.max(model.mark, Math.min(floorOf(worldOf(model)), ...boundaries));
    expect(Number((await civic.rows('select pruned_through from civic.feed_retention'))[0]![0])).toBe(model.mark);
  },
  toString: () => 'prune()',
});

const wait = (days: number): Command => ({
  check: always,
  async run(model: Model) {
    civic.clock.advance(days * DAY_MS);
    model.now = civic.clock.now();
    return Promise.resolve();
  },
  toString: () => `wait ${days} days()`,
});

const step = fc.record({
  resource: fc.constantFrom(...SOME_RESOURCES),
  number: fc.integer({ min: 0, max: 5 }),
  variant: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 4 }),
});
const limit = fc.constantFrom(1, 2, 7, 500);
const resource = fc.option(fc.constantFrom(...SOME_RESOURCES));
const commands = fc.commands<Model, TestCivic, boolean>(
  [
    fc.array(step, { minLength: 1, maxLength: 8 }).map((steps) => append(steps)),
    fc
      .array(step, { minLength: 2, maxLength: 8 })
      .map((steps) => appendConcurrently([...new Map(steps.map((step) => [keyOf(step), step])).values()])),
    fc.constantFrom('history' as const, 'snapshots' as const).map((of) => rebuild(of)),
    fc.constant(snapshot()),
    fc.tuple(fc.nat(20), fc.constantFrom(...SOME_RESOURCES), limit).map((parts) => pageSnapshot(...parts)),
    fc.tuple(fc.nat(20), fc.constantFrom(...SOME_RESOURCES), limit).map((parts) => pageSnapshot(...parts)),
    fc.tuple(fc.option(fc.double({ min: 0, max: 1.01, noNaN: true })), resource, limit).map((parts) => page(...parts)),
    fc.tuple(fc.option(fc.double({ min: 0.8, max: 1, noNaN: true })), resource, limit).map((parts) => page(...parts)),
    fc.constant(prune()),
    fc.constantFrom(1, 5, 12).map((days) => wait(days)),
  ],
  { maxCommands: 30, size: 'max' },
);

test('the service answers as a plain array through any writes, rebuilds, snapshots, pruning and expiry', async () => {
  const answers: Model['said'] = new Map();
  const snapshots: Model['snapshots'] = [];
  let mark = 0;
  await fc.assert(
    fc.asyncProperty(commands, async (scenario) => {
      const model: Model = {
        said: answers,
        changes: [...(await expectedFeed(civic.log))],
        snapshots,
        mark,
        now: civic.clock.now(),
      };
      try {
        await fc.asyncModelRun(() => ({ model, real: civic }), scenario);
      } finally {
        ({ mark } = model);
      }
    }),
    { numRuns: testRuns(3), seed: testSeed(), endOnFailure: true },
  );
});
