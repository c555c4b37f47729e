import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordHistory } from '../../projections/record-history/projection.ts';
import type { EventLog, LogBatch, Position } from '../../src/domain/ports/event-log.ts';
import { readFeedHead } from '../../queries/feed-head.ts';
import { openTestCivic, type TestCivic } from '../support/civic.ts';
import { randomChanges, randomFrom, testSeed } from '../support/civic-records.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { expectedFeed } from '../support/history-checker.ts';
import { untilTrue } from '../support/until-reached.ts';

let server: TestDatabase;
let civic: TestCivic;

beforeAll(async () => {
  server = await startTestDatabase();
  civic = await openTestCivic(server.url);
});
afterAll(async () => {
  await civic?.close();
  await server?.close();
});

test('an event that the log has lost is not folded out of memory, and those that it has are', async () => {
  const projector = civic.startProjector();
  await civic.writer.write(randomChanges(randomFrom(testSeed()), 10, 4), {});
  await civic.settled();
  await projector.stop();
  const { position, fingerprint } = await readFeedHead(civic.reads);
  const [last] = (await civic.log.readAll({ after: '' as Position, limit: 1000 })).events.slice(-1);
  const lost = { ...last!, position: String(Number(last!.position) + 1).padStart(20, '0') as Position, id: civic.identifiers.next() };
  let offered = 0;
  let isOver = false;
  const log: EventLog = {
    ...civic.log,
    async *subscribe(subscribe): AsyncGenerator<LogBatch, void, undefined> {
      if (!isOver) {
        offered += 1;
        yield { events: [lost], scannedTo: lost.position };
      }
      yield* civic.log.subscribe(subscribe);
    },
  };
  civic.startProjector([recordHistory], { log, owner: 'remembers' });
  await untilTrue('the lost event is offered again and again', () => offered > 2);
  expect(await readFeedHead(civic.reads)).toMatchObject({ position, fingerprint });
  isOver = true;
  await civic.writer.write(randomChanges(randomFrom(testSeed() + 1), 10, 4), {});
  await civic.settled(undefined, [recordHistory.name]);
  const feed = await expectedFeed(civic.log);
  expect(feed.length).toBeGreaterThan(position);
  expect(await readFeedHead(civic.reads)).toMatchObject({ position: feed.length, fingerprint: feed.at(-1)!.fingerprint });
});
