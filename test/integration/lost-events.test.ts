import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProcessorStore } from '../../infra/postgresql/leases/processor-store.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { farthestOf } from '../../domain/read-log.ts';
import type { EventLog, LogBatch, Position } from '../../domain/ports/event-log.ts';
import { readFeedHead } from '../../queries/feed/feed-head.ts';
import { openFreshCivic, type TestCivic } from '../support/civic.ts';
import { randomChanges, randomFrom } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import { expectedFeed } from '../support/history-checker.ts';
import { untilTrue } from '../support/until-reached.ts';

let civic: TestCivic;

beforeAll(async () => {
  civic = await openFreshCivic();
});
afterAll(() => civic?.close());

test('an event that the log has lost is not folded from memory, and the existing ones are', async () => {
  const projector = civic.startProjector();
  await civic.writer.write(randomChanges(randomFrom(testSeed()), 10, 4), {});
  await civic.caughtUp();
  await projector.stop();
  const { position, fingerprint } = await readFeedHead(civic.reads);
  const [last] = (await civic.log.readAll({ after: '' as Position, limit: 1000 })).events.slice(-1);
  const lostEvent = {
    ...last!,
    position: String(Number(last!.position) + 1).padStart(20, '0') as Position,
    id: civic.identifiers.next(),
  };
  let offered = 0;
  let isOver = false;
  const log: EventLog = {
    ...civic.log,
    async *subscribe(subscribe): AsyncGenerator<LogBatch, void, undefined> {
      if (!isOver) {
        offered += 1;
        yield { events: [lostEvent], scannedTo: lostEvent.position };
      }
      yield* civic.log.subscribe(subscribe);
    },
  };
  const follower = civic.startProjector([recordHistory], { log, owner: 'remembers' });
  await untilTrue('the lost event is offered again and again', () => offered > 2);
  expect(await readFeedHead(civic.reads)).toMatchObject({ position, fingerprint });
  isOver = true;
  await civic.writer.write(randomChanges(randomFrom(testSeed() + 1), 10, 4), {});
  await civic.caughtUp(undefined, [recordHistory.name]);
  const feed = await expectedFeed(civic.log);
  expect(feed.length).toBeGreaterThan(position);
  expect(await readFeedHead(civic.reads)).toMatchObject({
    position: feed.length,
    fingerprint: feed.at(-1)!.fingerprint,
  });
  await follower.stop();
});

test('a checkpoint does not move over lost events, although none of them is for its read model', async () => {
  await civic.caughtUp(undefined, [recordHistory.name]);
  const before = await civic.log.head();
  const scannedTo = String(Number(before) + 1).padStart(20, '0') as Position;
  const emptyBatch: LogBatch = { events: [], scannedTo, scannedId: civic.identifiers.next() };
  let offered = 0;
  const log: EventLog = {
    ...civic.log,
    async *subscribe(): AsyncGenerator<LogBatch, void, undefined> {
      offered += 1;
      yield emptyBatch;
    },
  };
  const projector = civic.startProjector([recordHistory], { log, owner: 'remembers' });
  await untilTrue('the lost position is offered again and again', () => offered > 2);
  await projector.stop();
  const rows = await civic.generations.list();
  expect(rows.find(({ projection, state }) => projection === recordHistory.name && state === 'live')!.checkpoint).toBe(
    before,
  );

  const store = createProcessorStore(civic.database.transactor);
  const { token } = (await store.acquireReactor('test', 'owner', 0, 1_000))!;
  const lease = { name: 'test', owner: 'owner', token };
  const move = { from: '' as Position, handled: 0, logId: null, last: null };
  expect(await store.advance(lease, { ...move, to: scannedTo, proof: farthestOf(civic.log, emptyBatch) })).toBe(false);
  const [newest] = (await civic.log.readAll({ after: '' as Position, limit: 1_000 })).events.slice(-1);
  expect(
    await store.advance(lease, {
      ...move,
      to: before,
      proof: farthestOf(civic.log, { events: [newest!], scannedTo: before }),
    }),
  ).toBe(true);
});
