import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openedFeed } from '../../commands/feed/feed-identity.ts';
import { FEED_OPENED } from '../../domain/events/feed-events.ts';
import { eventId } from '../../domain/identifiers.ts';
import { FEED_STREAM } from '../../domain/streams.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { DAY_MS, openTestCivic, RETENTION_MS, type TestCivic, untilTrue } from '../support/civic.ts';
import { randomChanges, randomFrom, remove, upsert } from '../support/civic-records.ts';
import { copyTestDatabase, startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { type KafkaPeer, startKafkaPeer } from '../support/kafka-peer.ts';
import { readTopic, sendAll } from '../support/kafka-client.ts';
import {
  FEED_TOPIC,
  feedItems,
  readChained,
  relayAtRest,
  relayRow,
  type RunningRelay,
  startRelay,
} from '../support/relay.ts';

let database: TestDatabase;
let civic: TestCivic;
let peer: KafkaPeer;
let relays: RunningRelay[];

beforeEach(async () => {
  database = await startTestDatabase();
  civic = await openTestCivic(database.url);
  civic.startProjector();
  peer = await startKafkaPeer();
  relays = [];
});
afterEach(async () => {
  await Promise.all(relays.map((relay) => relay.stop()));
  await civic.close();
  await peer.stop();
  await database.close();
});

function relay(options?: Parameters<typeof startRelay>[2]): RunningRelay {
  const started = startRelay(civic, peer.brokers, options);
  relays.push(started);
  return started;
}
const write = (...changes: Parameters<TestCivic['writer']['write']>[0]) => civic.writer.write(changes, {});
const positions = async () => (await readChained(peer.brokers)).map(({ headers }) => Number(headers['civic-position']));
const dense = (to: number) => Array.from({ length: to }, (_, index) => index + 1);
const ends = () => [...(peer.store.topics.get(FEED_TOPIC) ?? [])].map(({ end }) => end);
async function paused(): Promise<string> {
  await untilTrue('the relay is paused', async () => typeof (await relayRow(civic))?.pausedReason === 'string');
  return (await relayRow(civic))!.pausedReason!;
}

test('the topic contains every item once, unchanged, keyed by its record, with its position in headers', async () => {
  await civic.writer.write(randomChanges(randomFrom(7), 300), {});
  relay();
  await civic.writer.write(randomChanges(randomFrom(8), 300), {});
  await relayAtRest(civic);
  const messages = await readChained(peer.brokers);
  const items = await feedItems(civic);
  expect(messages.map(({ headers }) => Number(headers['civic-position']))).toEqual(dense(items.length));
  for (const [index, { key, value, headers }] of messages.entries()) {
    const item = JSON.parse(items[index]!) as Record<string, string>;
    expect(key).toBe(`${item['resource']}/${item['recordId']}`);
    expect(value).toBe(item['operation'] === 'remove' ? null : items[index]);
    expect(headers).toEqual({
      'civic-feed': civic.feedId,
      'civic-position': String(index + 1),
      'civic-follows': String(index),
      'civic-operation': item['operation'],
      'civic-version': item['version'],
      'civic-changed-at': item['changedAt'],
    });
  }
  expect(messages.filter(({ value }) => value === null).length).toBeGreaterThan(5);
  for (const key of new Set(messages.map((message) => message.key))) {
    const ofRecord = messages.filter((message) => message.key === key);
    expect(new Set(ofRecord.map(({ partition }) => partition)).size).toBe(1);
    expect(ofRecord.map(({ offset }) => offset)).toEqual(
      ofRecord.map(({ offset }) => offset).toSorted((one, other) => Number(one - other)),
    );
  }
  expect(peer.store.configs.get(FEED_TOPIC)?.get('cleanup.policy')).toBe('compact');
});

test('a leader change to a broker that has answered before loses and repeats nothing', async () => {
  const second = await startKafkaPeer({ store: peer.store, node: 2 });
  try {
    for (const index of [3, 4, 5]) peer.store.lead(index, 2);
    relay();
    await civic.writer.write(randomChanges(randomFrom(7), 100), {});
    await relayAtRest(civic);
    for (const leader of [1, 2]) {
      // The former leader refuses the client.
      for (const index of [3, 4, 5]) peer.store.lead(index, leader);
      await civic.writer.write(randomChanges(randomFrom(7 + leader), 100), {});
      await relayAtRest(civic);
      expect(await positions()).toEqual(dense((await feedItems(civic)).length));
    }
  } finally {
    await second.stop();
  }
});

test('a broker that is slow while another one fails has each message once', async () => {
  const second = await startKafkaPeer({ store: peer.store, node: 2 });
  try {
    for (const index of [3, 4, 5]) peer.store.lead(index, 2);
    relay();
    await relayAtRest(civic);
    second.faults.slowMs = 400;
    peer.faults.cutBefore.set('Produce', 1);
    await civic.writer.write(randomChanges(randomFrom(7), 100), {});
    await relayAtRest(civic);
    expect(peer.faults.cutBefore.get('Produce')).toBe(0);
    expect(await positions()).toEqual(dense((await feedItems(civic)).length));
  } finally {
    await second.stop();
  }
});

test('a rebuild of the record history and a restart of the relay publish nothing', async () => {
  await civic.writer.write(randomChanges(randomFrom(3), 200), {});
  const first = relay();
  await relayAtRest(civic);
  await untilTrue('all is published', () => first.published.reduce((sum, count) => sum + count, 0) > 0);
  const before = ends();
  const building = await civic.generations.create(recordHistory, 'building', Date.now());
  await untilTrue('the rebuild is live', async () => (await civic.live(recordHistory.name)) === building.generation);
  await first.stop();
  const second = relay();
  await relayAtRest(civic);
  await untilTrue(
    'the second one has looked at its topic',
    () => civic.logger.told.filter((line) => line.includes('the relay goes on')).length > 0,
  );
  expect(ends()).toEqual(before);
  await write(upsert('topics', 99, 1));
  await untilTrue('the next change is published', () => second.published.length > 0);
  expect(second.published).toEqual([1]);
  const items = await feedItems(civic);
  expect(await positions()).toEqual(dense(items.length));
});

test('a connection that is lost around any step of a transaction loses and repeats nothing', async () => {
  relay();
  const steps = ['AddPartitionsToTxn', 'Produce', 'EndTxn'].flatMap((call) => [
    ['cutBefore', call] as const,
    ['cutAfter', call] as const,
  ]);
  for (const [number, [fault, call]] of steps.entries()) {
    peer.faults[fault].set(call, 1);
    await civic.writer.write(randomChanges(randomFrom(number), 40), {});
    await untilTrue('the fault was met', () => peer.faults[fault].get(call) === 0);
  }
  await relayAtRest(civic);
  expect(await positions()).toEqual(dense((await feedItems(civic)).length));
});

test('while the brokers are away it waits without a pause, and then continues where it was', async () => {
  relay();
  await civic.writer.write(randomChanges(randomFrom(1), 50), {});
  await relayAtRest(civic);
  await peer.goDown();
  await civic.writer.write(randomChanges(randomFrom(2), 50), {});
  await untilTrue('it has met their absence', () =>
    civic.logger.warnings.some((line) => line.includes('Kafka brokers')),
  );
  await peer.comeBack();
  peer.faults.slowMs = 20;
  await relayAtRest(civic);
  expect(await positions()).toEqual(dense((await feedItems(civic)).length));
});

test('of two relays one works, and the other takes over when it stops', async () => {
  const both = [relay(), relay()];
  await civic.writer.write(randomChanges(randomFrom(4), 60), {});
  await relayAtRest(civic);
  const [working, waiting] = both[0]!.published.length > 0 ? both : both.toReversed();
  expect(waiting!.published).toEqual([]);
  await working!.stop();
  await civic.writer.write(randomChanges(randomFrom(5), 60), {});
  await relayAtRest(civic);
  expect(waiting!.published.length).toBeGreaterThan(0);
  expect(await positions()).toEqual(dense((await feedItems(civic)).length));
});

test('a relay that was fenced while it published adds nothing, nor does its open transaction', async () => {
  let isIntruding = false;
  relay({
    around: (topic) => ({
      name: topic.name,
      open: async () => {
        const publication = await topic.open();
        return {
          ...publication,
          publish: async (messages, place) => {
            // Another relay takes the topic over and publishes the same messages first.
            if (isIntruding) {
              isIntruding = false;
              const other = await topic.open();
              await other.publish(messages, place);
              await other.end();
            }
            await publication.publish(messages, place);
          },
        };
      },
    }),
  });
  await civic.writer.write(randomChanges(randomFrom(6), 30), {});
  await relayAtRest(civic);
  isIntruding = true;
  await civic.writer.write(randomChanges(randomFrom(9), 30), {});
  await relayAtRest(civic);
  expect(isIntruding).toBe(false);
  expect(await positions()).toEqual(dense((await feedItems(civic)).length));
});

test('records too large for one send are sent one by one', async () => {
  const large = (number: number) => {
    const change = upsert('topics', number, 1) as { content: object };
    return { ...change, content: { ...change.content, description: 'x'.repeat(900_000) } } as ReturnType<typeof upsert>;
  };
  await write(large(1), large(2), upsert('topics', 3, 1), large(4));
  relay();
  await relayAtRest(civic);
  expect(await positions()).toEqual([1, 2, 3, 4]);
});

describe('where history has been pruned', () => {
  const pruned = async () => {
    const changes = [
      upsert('topics', 1, 1),
      upsert('topics', 2, 1),
      upsert('topics', 3, 1),
      upsert('topics', 1, 2),
      remove('topics', 2),
    ];
    for (const change of changes) await write(change);
    await civic.caughtUp();
    civic.clock.advance(RETENTION_MS + DAY_MS);
    await write(upsert('topics', 4, 1));
    await civic.caughtUp();
    expect(await civic.prune()).toBeGreaterThan(0);
  };

  test('a new topic begins with the current records, marks this, and continues with every change', async () => {
    await pruned();
    relay();
    await relayAtRest(civic);
    await write(upsert('topics', 3, 7), remove('topics', 4));
    await relayAtRest(civic);
    const messages = await readChained(peer.brokers);
    expect(messages.map(({ headers }) => [headers['civic-position'], headers['civic-boundary']])).toEqual([
      ['3', '6'],
      ['4', '6'],
      ['6', '6'],
      ['7', undefined],
      ['8', undefined],
    ]);
  });

  test('a topic that is too far behind is not continued: the relay pauses and names the next step', async () => {
    const first = relay();
    await write(upsert('topics', 9, 1));
    await relayAtRest(civic);
    await first.stop();
    await pruned();
    relay();
    expect(await paused()).toMatch(/is at position 1, and changes up to \d+ are no longer retained: delete the topics/);
    expect(await positions()).toEqual([1]);
  });
});

describe('the owner of a topic', () => {
  test('after a restore the new feed is published from its beginning, under its own name', async () => {
    const first = relay();
    await write(upsert('topics', 1, 1), upsert('topics', 2, 1));
    await relayAtRest(civic);
    await first.stop();
    const opened = (await openedFeed(civic.log))!;
    const [commandId, feedId] = [civic.identifiers.next(), civic.identifiers.next()];
    const data = JSON.stringify({ feedId, reason: 'restored' });
    const event = {
      id: eventId(commandId, 0),
      type: FEED_OPENED,
      schemaVersion: 1,
      data,
      metadata: { commandId },
      time: civic.clock.now(),
    };
    await civic.log.append({ stream: FEED_STREAM, expectedRevision: opened.revision, events: [event] });
    await civic.caughtUp();
    relay();
    await untilTrue('the new feed is published', async () => ends().reduce((sum, end) => sum + end, 0n) > 4n);
    await relayAtRest(civic);
    const messageNames = (await readTopic(peer.brokers, FEED_TOPIC)).map(
      ({ headers }) => `${headers['civic-feed']} ${headers['civic-position']}`,
    );
    expect(messageNames.toSorted()).toEqual([civic.feedId, feedId].flatMap((id) => [`${id} 1`, `${id} 2`]).toSorted());
  });

  test('a topic of another service’s feed is left alone', async () => {
    const other = '00000000-0000-4000-8000-000000000001';
    peer.store.create(FEED_TOPIC, 3);
    peer.store.create(`${FEED_TOPIC}.place`, 1);
    await sendAll(peer.brokers, FEED_TOPIC, [{ key: 'topics/1', value: '{}' }]);
    await sendAll(peer.brokers, `${FEED_TOPIC}.place`, [
      { key: FEED_TOPIC, value: JSON.stringify({ feedId: other, position: 4, boundary: 0 }) },
    ]);
    await write(upsert('topics', 1, 1));
    const before = ends();
    relay();
    expect(await paused()).toContain(`carries the feed ${other}, which was never this log's`);
    expect(ends()).toEqual(before);
  });

  test('a topic with messages of unknown position is left alone', async () => {
    peer.store.create(FEED_TOPIC, 3);
    await sendAll(peer.brokers, FEED_TOPIC, [{ key: 'topics/1', value: '{}' }]);
    relay();
    expect(await paused()).toContain('has no checkpoint');
  });

  test('a deleted topic is filled again, also without changes', async () => {
    const first = relay();
    await write(upsert('topics', 1, 1), upsert('topics', 2, 1));
    await relayAtRest(civic);
    await first.stop();
    peer.store.remove(FEED_TOPIC);
    relay();
    await untilTrue('it is filled again', () => ends().some((end) => end > 0n));
    expect(await positions()).toEqual([1, 2]);
  });

  test('a topic whose messages have all expired is continued, not filled again', async () => {
    const first = relay();
    await write(upsert('topics', 1, 1), upsert('topics', 2, 1));
    await relayAtRest(civic);
    await first.stop();
    for (const partition of peer.store.topics.get(FEED_TOPIC)!) partition.forgetAll();
    const second = relay();
    await write(upsert('topics', 3, 1));
    await untilTrue('the next change is published', () => second.published.length > 0);
    expect(second.published).toEqual([1]);
  });
});

test.each([
  ['has grown past them', 15],
  ['is shorter than the topic', 2],
])('pauses with the reason if the topic has changes that the feed has lost, and the feed %s', async (_, written) => {
  await civic.writer.write(randomChanges(randomFrom(1), 10), {});
  relay();
  await relayAtRest(civic);
  await relays[0]!.stop();
  await civic.close();
  const image = await copyTestDatabase(database);
  civic = await openTestCivic(database.url);
  civic.startProjector();
  await civic.writer.write(randomChanges(randomFrom(2), 10), {});
  relay();
  await relayAtRest(civic);
  await relays[1]!.stop();
  await civic.close();
  await database.close();
  database = image;
  civic = await openTestCivic(database.url);
  civic.startProjector();
  await civic.writer.write(randomChanges(randomFrom(3), written), {});
  await civic.caughtUp();
  const published = ends();
  relay();
  expect(await paused()).toMatch(/carries changes up to position \d+ that the service has lost: run `civic feed renew/);
  expect(ends()).toEqual(published);
});
