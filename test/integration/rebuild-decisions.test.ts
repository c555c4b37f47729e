import { beforeAll, expect, test } from 'vitest';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { snapshots } from '../../projections/snapshots/projection.ts';
import { readFeedHead } from '../../queries/feed/feed-head.ts';
import type { GenerationStore } from '../../domain/ports/generations.ts';
import type { Projection } from '../../domain/ports/projection.ts';
import { type TestCivic, untilTrue } from '../support/civic.ts';
import { below, randomChanges, upsert } from '../support/civic-records.ts';
import { withSeed } from '../support/test-seed.ts';
import { checkReading, expectedFeed, readPage, type ReadItem } from '../support/history-checker.ts';
import { beforeFold, type RebuildTrial, rebuildTrial } from '../support/rebuilds.ts';
import { untilReached } from '../support/until-reached.ts';

const MAX_BYTES = 50_000_000;

let civic: TestCivic;
let rebuilds: RebuildTrial['rebuilds'];
const trial = rebuildTrial();
const { start } = trial;
beforeAll(() => void ({ civic, rebuilds } = trial));

/** A fold that waits while its gate is closed. */
function gate() {
  let open: () => void = () => undefined;
  let shut: Promise<void> | undefined;
  return {
    shut: () => void (shut = new Promise((resolve) => (open = resolve))),
    open: () => {
      shut = undefined;
      open();
    },
    passed: async () => await shut,
  };
}

/** Reads the feed page by page until it is stopped, and records the head. */
async function following(stopped: () => boolean): Promise<{ readonly items: ReadItem[]; readonly to: number }> {
  const items: ReadItem[] = [];
  let cursor: string | undefined;
  for (let head = 0; ; ) {
    const last = stopped();
    const { position } = await readFeedHead(civic.reads);
    expect(position).toBeGreaterThanOrEqual(head);
    head = position;
    const question = { ...(cursor === undefined ? {} : { cursor }), limit: 61, maxResponseBytes: MAX_BYTES };
    const page = readPage((await civic.changes(question)).text);
    items.push(...page.items);
    cursor = page.nextCursor;
    if (last && !page.hasMore) return { items, to: page.next };
  }
}

test('a held rebuild is compared, serves after a switch and not after a switch back, without a gap', async () => {
  await start([recordHistory, snapshots]);
  const before = await civic.live(recordHistory.name);
  const stopping = new AbortController();
  const reading = following(() => stopping.signal.aborted);
  const writing = withSeed(async (random) => {
    while (!stopping.signal.aborted) await civic.writer.write(randomChanges(random, 5, 40), {});
  });
  const paused = await rebuilds.rebuild(recordHistory, 'held');
  trial.projector!.nudge();
  await rebuilds.ready(paused.generation);
  const { comparison, checkpoint } = (await rebuilds.row(paused.generation))!;
  expect(comparison!.tables.map(({ table, rebuilt }) => [table, rebuilt])).toEqual(
    comparison!.tables.map(({ table, live }) => [table, live]),
  );
  expect(comparison!.tables.map(({ table }) => table)).toEqual([
    'record_history',
    'record_history_state',
    'record_history_totals',
  ]);
  expect(comparison!.tables[0]!.live.rows).toBeGreaterThan(100);
  await untilTrue('it is folded along', async () => (await rebuilds.row(paused.generation))!.checkpoint > checkpoint);
  expect(await rebuilds.status(paused.generation)).toMatchObject({
    state: 'ready',
    rebuild: true,
    serves: false,
    held: true,
  });
  expect(await civic.live(recordHistory.name)).toBe(before);

  expect(await rebuilds.decide(paused.generation, 'switch')).toMatchObject({ held: false });
  await rebuilds.serves(paused.generation);
  expect(await rebuilds.status(before)).toMatchObject({ state: 'kept', serves: false, rebuild: false });
  const checkpointBefore = (await rebuilds.row(before))!.checkpoint;
  const further = await civic.log.head();
  await civic.caughtUp(further);
  expect((await rebuilds.row(before))!.checkpoint).toBe(checkpointBefore);

  expect(await rebuilds.decide(before, 'switch-back')).toMatchObject({ state: 'building' });
  await rebuilds.serves(before);
  expect((await rebuilds.row(before))!.checkpoint >= further).toBe(true);
  expect(await rebuilds.status(paused.generation)).toMatchObject({ state: 'kept' });
  stopping.abort();
  await writing;
  const { items, to } = await reading;
  checkReading(await expectedFeed(civic.log), items, { from: 0, to, resource: null });
  expect(civic.logger.errors).toEqual([]);
});

test('a rebuild that is cancelled at any moment commits nothing more and leaves the live one unchanged', async () => {
  await start([recordHistory, snapshots]);
  const live = await civic.live(recordHistory.name);
  const whole = await rebuilds.hashOf(recordHistory, live);
  await trial.projector!.stop();
  await withSeed(async (random) => {
    for (let times = 0; times < 4; times++) {
      const cancelAt = 1 + below(random, 10);
      let folds = 0;
      // The decision uses another connection after the transaction of the batch began.
      const waiting: GenerationStore = {
        ...civic.generations,
        advance: async (transaction, lease, advance) => {
          folds += lease.generation === live ? 0 : 1;
          if (folds === cancelAt) await rebuilds.decide(lease.generation, 'cancel');
          return civic.generations.advance(transaction, lease, advance);
        },
      };
      trial.projector = civic.startProjector([recordHistory, snapshots], { generations: waiting });
      const building = await rebuilds.rebuild(recordHistory);
      trial.projector.nudge();
      await untilTrue('it is cancelled', async () => (await rebuilds.row(building.generation))?.state === 'retired');
      const at = (await rebuilds.row(building.generation))!;
      await trial.projector.stop();
      expect(await rebuilds.row(building.generation)).toEqual(at);
      const [row] = await civic.rows(
        `select coalesce(max(position), 0) from ${RECORD_HISTORY.at(building.generation).history}`,
      );
      expect(Number(row![0])).toBeLessThanOrEqual(at.folded);
      expect(await civic.live(recordHistory.name)).toBe(live);
      expect(await rebuilds.hashOf(recordHistory, live)).toBe(whole);
    }
  });
});

test('a cancel during the switch either prevents the switch, or is refused after it', async () => {
  await start([recordHistory, snapshots]);
  await trial.projector!.stop();
  const live = await civic.live(recordHistory.name);
  let outcome: Promise<unknown> | undefined;
  const after: GenerationStore = {
    ...civic.generations,
    switchTo: async (transaction, ...args) => {
      outcome = rebuilds.decide(args[1], 'cancel');
      await civic.clock.sleep(50);
      await civic.generations.switchTo(transaction, ...args);
    },
  };
  trial.projector = civic.startProjector([recordHistory, snapshots], { generations: after });
  const switched = await rebuilds.rebuild(recordHistory);
  trial.projector.nudge();
  await rebuilds.serves(switched.generation);
  expect(await outcome).toBeNull();
  await trial.projector.stop();

  const before: GenerationStore = {
    ...civic.generations,
    lockPair: async (transaction, building) => {
      await rebuilds.decide(building, 'cancel');
      return civic.generations.lockPair(transaction, building);
    },
  };
  trial.projector = civic.startProjector([recordHistory, snapshots], { generations: before });
  const cancelled = await rebuilds.rebuild(recordHistory);
  trial.projector.nudge();
  await untilTrue('it is cancelled', async () => (await rebuilds.row(cancelled.generation))?.state === 'retired');
  await trial.projector.stop();
  expect(await civic.live(recordHistory.name)).toBe(switched.generation);
  expect(live).not.toBe(switched.generation);
});

test('an owner whose rebuild is paused at the switch does not switch any more', async () => {
  await start([recordHistory, snapshots]);
  await trial.projector!.stop();
  const live = await civic.live(recordHistory.name);
  let decided = 0;
  const paused: GenerationStore = {
    ...civic.generations,
    lockPair: async (transaction, building) => {
      if ((await rebuilds.decide(building, 'pause')) !== null) decided += 1;
      return civic.generations.lockPair(transaction, building);
    },
    switchTo: () => Promise.reject(new Error('it switched under a lease that it had lost')),
  };
  trial.projector = civic.startProjector([recordHistory, snapshots], { generations: paused });
  const { generation } = await rebuilds.rebuild(recordHistory);
  trial.projector.nudge();
  await untilTrue('it is paused', () => decided === 1);
  await trial.projector.stop();
  expect(await rebuilds.row(generation)).toMatchObject({ state: 'building', owner: null });
  expect(await civic.live(recordHistory.name)).toBe(live);
  expect(civic.logger.errors.filter((error) => error.includes('switched'))).toEqual([]);
});

test('a paused rebuild stands still in every process until it is resumed, and continues where it was', async () => {
  const shutter = gate();
  let folded = 0;
  const slow = beforeFold(recordHistory, async () => {
    folded += 1;
    if (folded > 2) await shutter.passed();
  });
  await start([recordHistory, snapshots]);
  const whole = await rebuilds.hashOf(recordHistory, await civic.live(recordHistory.name));
  await trial.projector!.stop();
  shutter.shut();
  trial.projector = civic.startProjector([slow, snapshots], { batchSize: 20 });
  const { generation } = await rebuilds.rebuild(recordHistory);
  trial.projector.nudge();
  await untilTrue('it has begun', async () => (await rebuilds.row(generation))!.folded > 0);
  // The open batch locks the row: the decision waits for it, and no other batch follows.
  const pausing = rebuilds.decide(generation, 'pause');
  shutter.open();
  const paused = (await pausing)!;
  expect(paused).toMatchObject({ state: 'building', owner: null, pausedReason: null });
  expect(paused.operatorPausedAt).not.toBeNull();
  expect(await rebuilds.decide(generation, 'pause')).toBeNull();
  await trial.projector.stop();
  trial.projector = civic.startProjector([recordHistory, snapshots]);
  for (let looks = 0; looks < 4; looks++) {
    trial.projector.nudge();
    await civic.clock.sleep(20);
  }
  expect(await rebuilds.row(generation)).toEqual(paused);
  expect(await rebuilds.status(generation)).toMatchObject({
    state: 'operator_paused',
    rate: 0,
    leftSeconds: null,
    reason: null,
  });
  expect((await rebuilds.status(generation))!.leftEvents).toBeGreaterThan(0);

  expect((await rebuilds.decide(generation, 'resume'))!.folded).toBe(paused.folded);
  expect(await rebuilds.decide(generation, 'resume')).toBeNull();
  trial.projector.nudge();
  await rebuilds.serves(generation);
  await trial.projector.stop();
  expect(await rebuilds.hashOf(recordHistory, generation)).toBe(whole);
});

test('of two operators who decide at once one is refused as too late', async () => {
  await start([recordHistory, snapshots]);
  for (let times = 0; times < 6; times++) {
    const [one, two] = await Promise.all([
      rebuilds.rebuild(recordHistory, 'held'),
      rebuilds.rebuild(recordHistory, 'held'),
    ]);
    expect(one.generation).toBe(two.generation);
    const paused = await Promise.all([
      rebuilds.decide(one.generation, 'pause'),
      rebuilds.decide(one.generation, 'pause'),
    ]);
    expect(paused.filter((outcome) => outcome === null)).toHaveLength(1);
    await rebuilds.decide(one.generation, 'resume');
    trial.projector!.nudge();
    if (times % 2 === 0) await rebuilds.ready(one.generation);
    const [switched, cancelled] = await Promise.all([
      rebuilds.decide(one.generation, 'switch'),
      rebuilds.decide(one.generation, 'cancel'),
    ]);
    if (cancelled === null) await rebuilds.serves(one.generation);
    else expect((await rebuilds.row(one.generation))!.state).toBe('retired');
    expect([switched, cancelled].some((outcome) => outcome !== null)).toBe(true);
    expect(
      (await civic.generations.list()).filter(
        ({ projection, state }) => projection === recordHistory.name && state === 'live',
      ),
    ).toHaveLength(1);
  }
});

test('a replaced generation is retained for its time or until the next rebuild, and its tables dropped', async () => {
  const brief: Projection = { ...snapshots, name: 'snapshots_kept' };
  trial.projector = civic.startProjector([brief], { keptMs: 60_000 });
  await civic.caughtUp(undefined, [brief.name]);
  const first = await civic.live(brief.name);
  const second = await rebuilds.rebuild(brief);
  trial.projector.nudge();
  await rebuilds.serves(second.generation);
  expect((await rebuilds.row(first))!.keptUntil! - (await rebuilds.row(first))!.changedAt).toBe(60_000);
  const third = await rebuilds.rebuild(brief, 'held');
  expect((await rebuilds.row(first))!.keptUntil).toBeNull();
  expect(await rebuilds.decide(first, 'switch-back')).toBeNull();
  trial.projector.nudge();
  await rebuilds.ready(third.generation);
  await rebuilds.decide(third.generation, 'switch');
  trial.projector.nudge();
  await rebuilds.serves(third.generation);
  // The generation stays after a canceled switch back.
  await trial.projector.stop();
  const { keptUntil } = (await rebuilds.row(second.generation))!;
  await rebuilds.decide(second.generation, 'switch-back');
  expect(await rebuilds.decide(second.generation, 'cancel')).toMatchObject({ state: 'retired', keptUntil });
  // The generation is dropped after that time and the longest statement of a reader.
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead, sleep: civic.clock.sleep };
  trial.projector = civic.startProjector([brief], { leaseClock: clock });
  trial.projector.nudge();
  await civic.clock.sleep(30);
  expect(await rebuilds.row(second.generation)).toBeDefined();
  ahead = 120_000;
  trial.projector.nudge();
  await untilTrue('its row is gone', async () => (await rebuilds.row(second.generation)) === undefined);
  expect(await civic.rows(`select to_regclass($1)`, [brief.tables(second.generation)[0]!])).toEqual([[null]]);
});

test('progress is monotone and has a rate across changes of the owner', async () => {
  await start([recordHistory, snapshots]);
  await trial.projector!.stop();
  const slow = beforeFold(recordHistory, () => civic.clock.sleep(60));
  const { generation } = await rebuilds.rebuild(recordHistory);
  let last = { folded: 0, eventsRead: 0, left: Number.POSITIVE_INFINITY };
  const rates: number[] = [];
  for (let owners = 1; owners <= 3; owners++) {
    trial.projector = civic.startProjector([slow, snapshots], { batchSize: 5 });
    await untilReached('the looks at which a rate was told', owners * 4, async () => {
      const status = (await rebuilds.status(generation))!;
      expect(status.serves).toBe(false);
      expect(status.folded).toBeGreaterThanOrEqual(last.folded);
      expect(status.eventsRead ?? 0).toBeGreaterThanOrEqual(last.eventsRead);
      expect(status.leftEvents!).toBeLessThanOrEqual(last.left);
      last = { folded: status.folded, eventsRead: status.eventsRead ?? 0, left: status.leftEvents! };
      if (status.rate !== null && status.rate > 0) rates.push(status.rate);
      return rates.length;
    });
    await trial.projector.stop();
  }
  // 5 events take at least 60 ms.
  expect(Math.max(...rates)).toBeLessThan(5 / 0.06 + 200);
});

test('events written while a rebuild is held are in it when it serves', async () => {
  await start([recordHistory, snapshots]);
  const { generation } = await rebuilds.rebuild(recordHistory, 'held');
  trial.projector!.nudge();
  await rebuilds.ready(generation);
  await civic.writer.write([upsert('topics', 4711, 1)], {});
  await rebuilds.decide(generation, 'switch');
  trial.projector!.nudge();
  await rebuilds.serves(generation);
  const { history } = RECORD_HISTORY.at(generation);
  expect(
    await civic.rows(`select count(*) from ${history} where record_id = $1`, [upsert('topics', 4711, 1).id]),
  ).toEqual([['1']]);
});
