import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RecordChange } from '../../commands/records/write-records.ts';
import type { InletMessage } from '../../domain/ports/kafka.ts';
import { createInletPart } from '../../src/processors/reactors/inlet/inlet-part.ts';
import { openTestCivic, type TestCivic, untilTrue } from '../support/civic.ts';
import { recordId, remove, upsert } from '../support/civic-records.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { inletParts, messageOf, type RunningInlet, startInlet, valueOf, variantsOf } from '../support/inlet.ts';
import { readTopic, sendAll } from '../support/kafka-client.ts';
import { type KafkaPeer, startKafkaPeer } from '../support/kafka-peer.ts';

let database: TestDatabase;
let civic: TestCivic;
let peer: KafkaPeer;
let inlets: RunningInlet[];
let topic: string;
let numbers = 0;

beforeAll(async () => {
  database = await startTestDatabase();
  civic = await openTestCivic(database.url);
  peer = await startKafkaPeer();
});
beforeEach(() => {
  inlets = [];
  topic = `changes-${randomUUID()}`;
  numbers += 100;
});
afterEach(async () => {
  await Promise.all(inlets.map((inlet) => inlet.stop()));
});
afterAll(async () => {
  await civic.close();
  await peer.stop();
  await database.close();
});

function inlet(overrides?: Parameters<typeof startInlet>[3]): RunningInlet {
  const started = startInlet(civic, peer.brokers, topic, overrides);
  inlets.push(started);
  return started;
}
const createTopic = (partitions: number) => void peer.store.create(topic, partitions);
const id = (number: number) => recordId('topics', numbers + number);
const upsertTopic = (number: number, variant: number): RecordChange => upsert('topics', numbers + number, variant);
const removeTopic = (number: number): RecordChange => remove('topics', numbers + number);
const send = (...changes: readonly RecordChange[]) => sendAll(peer.brokers, topic, changes.map(messageOf));
const total = ({ completed }: RunningInlet) => completed.appended + completed.unchanged + completed.rejected;
const took = (running: RunningInlet, count: number) =>
  untilTrue(`${count} messages are completed`, () => total(running) >= count);

test('messages become records by the ordinary commands, in the order of each record', async () => {
  createTopic(3);
  const running = inlet();
  await send(
    upsertTopic(1, 1),
    upsertTopic(2, 1),
    upsertTopic(1, 2),
    removeTopic(2),
    upsertTopic(1, 1),
    upsertTopic(3, 4),
    upsertTopic(3, 4),
  );
  await took(running, 7);
  expect(running.completed).toEqual({ appended: 6, unchanged: 1, rejected: 0 });
  expect(await variantsOf(civic, id(1))).toEqual(['topic-1', 'topic-2', 'topic-1']);
  expect(await variantsOf(civic, id(2))).toEqual(['topic-1', 'removed']);
  expect(await variantsOf(civic, id(3))).toEqual(['topic-4']);
});

test('a message without a change is set aside unchanged, with reason and place, and stops nothing', async () => {
  createTopic(1);
  const running = inlet();
  const bad = [
    '{',
    '{"op":"rename"}',
    JSON.stringify({ op: 'upsert', resource: 'topics', id: id(1), data: { slug: 7 } }),
  ];
  await sendAll(peer.brokers, topic, [
    messageOf(upsertTopic(1, 1)),
    ...bad.map((value) => ({ key: 'bad', value })),
    { key: 'none', value: null },
    messageOf(upsertTopic(1, 2)),
  ]);
  await took(running, 6);
  expect(running.completed).toEqual({ appended: 2, unchanged: 0, rejected: 4 });
  expect(await variantsOf(civic, id(1))).toEqual(['topic-1', 'topic-2']);
  const aside = await readTopic(peer.brokers, `${topic}.rejected`);
  expect(new Set(aside.map(({ value }) => value))).toEqual(new Set([...bad, null]));
  expect(aside).toHaveLength(4);
  const ofOffset = new Map(aside.map((message) => [message.headers['civic-offset'], message]));
  expect(ofOffset.get('2')).toMatchObject({
    key: 'bad',
    headers: { 'civic-topic': topic, 'civic-partition': '0', 'civic-reason': 'op must be "upsert" or "remove"' },
  });
  expect(ofOffset.get('3')?.headers['civic-reason']).toMatch(/slug/);
  expect(ofOffset.get('4')?.headers['civic-reason']).toMatch(/no value/);
});

test('repeated messages change nothing, also when the brokers have lost the offset of the group', async () => {
  createTopic(2);
  const first = inlet();
  await send(upsertTopic(1, 1), upsertTopic(1, 2), upsertTopic(1, 1), upsertTopic(2, 1));
  await took(first, 4);
  await first.stop();
  await civic.writer.write([upsertTopic(1, 9)], {});
  for (const partition of [0, 1])
    peer.store.commit([{ group: `civic.inlet.${topic}`, topic, partition, offset: 0n, metadata: null }]);
  const second = inlet();
  await send(upsertTopic(3, 1));
  await took(second, 1);
  expect(second.completed).toEqual({ appended: 1, unchanged: 0, rejected: 0 });
  expect(await variantsOf(civic, id(1))).toEqual(['topic-1', 'topic-2', 'topic-1', 'topic-9']);
});

test('after a crash before the commit of the offset, a repeat does not overwrite later changes of others', async () => {
  createTopic(1);
  const { parts } = inletParts(civic);
  const crashing = inlet({ store: { ...parts.store, complete: () => new Promise(() => undefined) } });
  await send(upsertTopic(1, 1), upsertTopic(2, 1), upsertTopic(1, 2), upsertTopic(1, 1));
  await untilTrue('it was written', async () => (await variantsOf(civic, id(1))).length === 3);
  await civic.writer.write([upsertTopic(1, 9)], {});
  const next = inlet();
  inlets = [next];
  void crashing.stop();
  await send(upsertTopic(3, 1));
  await took(next, 5);
  expect(next.completed).toEqual({ appended: 1, unchanged: 4, rejected: 0 });
  expect(await variantsOf(civic, id(1))).toEqual(['topic-1', 'topic-2', 'topic-1', 'topic-9']);
  expect(await variantsOf(civic, id(2))).toEqual(['topic-1']);
});

test('inlets that join and leave share the partitions, and each message takes effect once', async () => {
  createTopic(4);
  const records = [1, 2, 3, 4, 5, 6, 7, 8];
  let variant = 0;
  const round = async () => {
    for (const end = variant + 5; variant < end; variant += 1)
      await send(...records.map((number) => upsertTopic(number, variant)));
  };
  const one = inlet();
  await round();
  await took(one, 1);
  const two = inlet();
  await untilTrue('both work', async () => {
    await round();
    return total(two) > 0;
  });
  const alone = total(two);
  await Promise.all([round(), one.stop()]);
  await untilTrue('the other one has all of it', async () => {
    const last = await Promise.all(records.map((number) => variantsOf(civic, id(number))));
    return last.every((each) => each.at(-1) === `topic-${variant - 1}`);
  });
  expect(total(two)).toBeGreaterThan(alone);
  const all = Array.from({ length: variant }, (_, index) => `topic-${index}`);
  for (const number of records) expect(await variantsOf(civic, id(number))).toEqual(all);
});

test('a recreated topic of the same name is not taken for the old one', async () => {
  createTopic(1);
  const first = inlet();
  await send(upsertTopic(1, 1), upsertTopic(1, 2));
  await took(first, 2);
  await first.stop();
  peer.store.remove(topic);
  createTopic(1);
  inlet();
  await send(upsertTopic(1, 7));
  await untilTrue('the warning is logged', () =>
    civic.logger.warnings.some((line) => line.includes(topic) && line.includes('another topic with the same name')),
  );
  expect(await variantsOf(civic, id(1))).toEqual(['topic-1', 'topic-2']);
});

describe('two processes that both assume to own a partition', () => {
  const PART = { topic: 'by hand', partition: 0 };
  let part: { readonly topic: string; readonly partition: number };
  const nothing = async () => undefined;
  const messages = (from: number, ...changes: readonly RecordChange[]): readonly InletMessage[] =>
    changes.map((change, index) => ({ offset: BigInt(from + index), key: null, value: Buffer.from(valueOf(change)) }));
  beforeEach(() => {
    part = { ...PART, topic: `by hand ${topic}` };
  });

  /** An inlet that pauses at one place, as a frozen process does. */
  const frozenAt = async (place: 'before its claim' | 'after its claim') => {
    const { parts } = inletParts(civic);
    const [reached, wake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const freeze = async () => {
      reached.resolve();
      await wake.promise;
    };
    const store = {
      ...parts.store,
      claim: async (...args: Parameters<typeof parts.store.claim>) => {
        if (place === 'before its claim') await freeze();
        const isOurs = await parts.store.claim(...args);
        if (place === 'after its claim') await freeze();
        return isOurs;
      },
    };
    const taker = createInletPart({ ...parts, store }, part);
    await taker.from(100n);
    return { taker, reached: reached.promise, wake: wake.resolve };
  };

  test.each(['before its claim', 'after its claim'] as const)(
    'one that was frozen %s does not overwrite later changes',
    async (place) => {
      const zombie = await frozenAt(place);
      const late = zombie.taker.take(messages(0, upsertTopic(1, 1), upsertTopic(2, 1)), 2n, nothing);
      late.catch(() => undefined);
      await zombie.reached;
      const next = createInletPart(inletParts(civic).parts, part);
      expect(await next.from(100n)).toEqual({ offset: 0n, isFresh: true });
      expect(await next.take(messages(0, upsertTopic(1, 1), upsertTopic(2, 1), upsertTopic(1, 2)), 3n, nothing)).toBe(
        3n,
      );
      zombie.wake();
      await expect(late).rejects.toThrow(/acquired by another process/);
      expect(await variantsOf(civic, id(1))).toEqual(['topic-1', 'topic-2']);
      expect(await variantsOf(civic, id(2))).toEqual(['topic-1']);
    },
  );

  test('one that was frozen before its claim does not decide again on later messages', async () => {
    const zombie = await frozenAt('before its claim');
    const late = zombie.taker.take(messages(0, upsertTopic(1, 1)), 1n, nothing);
    late.catch(() => undefined);
    await zombie.reached;
    await civic.writer.write([upsertTopic(1, 1)], {});
    const next = createInletPart(inletParts(civic).parts, part);
    await next.from(100n);
    await next.take(messages(0, upsertTopic(1, 1), upsertTopic(1, 2)), 2n, nothing);
    zombie.wake();
    await expect(late).rejects.toThrow(/acquired by another process/);
    expect(await variantsOf(civic, id(1))).toEqual(['topic-1', 'topic-2']);
  });

  test('completed messages are skipped when they are delivered again', async () => {
    const taker = createInletPart(inletParts(civic).parts, part);
    await taker.from(100n);
    await taker.take(messages(0, upsertTopic(1, 1), upsertTopic(1, 2)), 2n, nothing);
    expect(await taker.take(messages(0, upsertTopic(1, 1), upsertTopic(1, 2), upsertTopic(1, 3)), 3n, nothing)).toBe(
      3n,
    );
    expect(await variantsOf(civic, id(1))).toEqual(['topic-1', 'topic-2', 'topic-3']);
  });

  test('a started portion is decided again as a whole, once all of its messages are read', async () => {
    const { parts } = inletParts(civic);
    const first = createInletPart({ ...parts, store: { ...parts.store, complete: async () => false } }, part);
    await first.from(100n);
    await expect(
      first.take(messages(5, upsertTopic(1, 1), upsertTopic(1, 2), upsertTopic(2, 1)), 8n, nothing),
    ).rejects.toThrow(/another process/);
    await civic.writer.write([upsertTopic(1, 9)], {});
    const next = createInletPart(parts, part);
    await next.from(100n);
    expect(await next.take(messages(5, upsertTopic(1, 1)), 6n, nothing)).toBe(0n);
    expect(await next.take(messages(6, upsertTopic(1, 2), upsertTopic(2, 1), upsertTopic(1, 4)), 9n, nothing)).toBe(9n);
    expect(await variantsOf(civic, id(1))).toEqual(['topic-1', 'topic-2', 'topic-9', 'topic-4']);
  });
});
