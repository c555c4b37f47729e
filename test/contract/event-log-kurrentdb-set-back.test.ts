import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { LOG_START } from '../../domain/ports/event-log.ts';
import { newEvent, readOn } from '../support/event-log-builders.ts';
import { one, useKurrentLogs } from '../support/kurrent-logs.ts';
import type { KurrentPeer } from '../support/kurrent-peer.ts';

const { startPeer, open, following } = useKurrentLogs();

/**
 * Restores the log with this many records; every lost event is then written again at its former place, with another id.
 */
function setBackAndWrite(peer: KurrentPeer, records: number): void {
  const lostRecords = peer.store.records.slice(records);
  peer.setBack(records);
  for (const { stream, revision, ...event } of lostRecords)
    peer.store.append(stream, revision - 1, [{ ...event, id: crypto.randomUUID() }]);
  expect(peer.store.records.slice(records).map(({ place }) => place)).toEqual(lostRecords.map(({ place }) => place));
}

describe('a log that is set back and written again', () => {
  test.each([
    ['all types', undefined],
    ['some types', [newEvent().type, 'Another']],
  ])('ends a subscription to %s before its follower reads on', async (_, types) => {
    const peer = await startPeer();
    const [writer, reader] = [open(peer.url), open(peer.url)];
    await writer.append(one());
    const image = peer.store.records.length;
    const all = following(reader, LOG_START, 7, types);
    for (let count = 1; count <= 3; count += 1) {
      await expect.poll(() => all.seen.length).toBe(count);
      if (count < 3) await writer.append(one());
    }
    // Rewritten events arrive before the answer that reveals the rewrite.
    peer.faults.delayReads = 50;
    setBackAndWrite(peer, image);
    await writer.append(one());
    await expect.poll(() => all.failure).toMatchObject({ name: 'HistorySetBack', held: all.seen.at(-1) });
    expect(all.seen).toHaveLength(3);
  });

  test.each(['a follower was told', 'the log was told to forget'])(
    'is read anew from before the lost events once %s',
    async (cause) => {
      const peer = await startPeer();
      const [writer, reader] = [open(peer.url), open(peer.url)];
      await writer.append(one());
      const image = peer.store.records.length;
      const first = following(reader, LOG_START);
      await expect.poll(() => first.seen.length).toBe(1);
      await writer.append(one());
      await expect.poll(() => first.seen.length).toBe(2);
      const firstEvent = first.seen[0]!;
      const isTold = cause === 'a follower was told';
      if (!isTold) await first.end();
      setBackAndWrite(peer, image);
      if (isTold) await expect.poll(() => first.failure).toMatchObject({ name: 'HistorySetBack' });
      else reader.forget();
      const second = following(reader, firstEvent);
      await expect.poll(() => second.ids.length).toBe(1);
      await second.end();
      expect(second.ids).toEqual([(await readOn(writer, firstEvent))[0]!.id]);
    },
  );

  test('ends a subscription whose follower reads on after others have read the new log', async () => {
    const peer = await startPeer();
    const [writer, reader] = [open(peer.url), open(peer.url)];
    await writer.append(one());
    const image = peer.store.records.length;
    await writer.append(one());
    const stop = new AbortController();
    const slow = reader.subscribe({ after: LOG_START, batchSize: 10, signal: stop.signal })[Symbol.asyncIterator]();
    expect((await slow.next()).value).toMatchObject({ events: [{}, {}] });
    setBackAndWrite(peer, image);
    const others = following(reader, LOG_START);
    for (let count = 2; count < 4; count += 1) {
      await expect.poll(() => others.seen.length).toBe(count);
      await writer.append(one());
    }
    await expect(slow.next()).rejects.toMatchObject({ name: 'HistorySetBack' });
  });

  test('does not have the event at a place where no record begins', async () => {
    const peer = await startPeer();
    const log = open(peer.url);
    await log.append(one());
    const image = peer.store.records.length;
    await log.append(one());
    const { scannedTo, scannedId } = await log.readAll({ after: LOG_START, limit: 10 });
    peer.setBack(image);
    for (const types of [undefined, ['Another']]) {
      const read = { after: scannedTo, afterId: scannedId, limit: 10, ...(types === undefined ? {} : { types }) };
      await expect(log.readAll(read)).rejects.toMatchObject({ name: 'HistorySetBack', held: scannedTo });
    }
  });

  test('is not mixed with what a subscription before has received', async () => {
    const peer = await startPeer();
    const [writer, reader] = [open(peer.url), open(peer.url)];
    await writer.append(one());
    const all = following(reader, LOG_START, 100, undefined, 200);
    await expect.poll(() => all.seen.length).toBe(1);
    await expect.poll(() => peer.calls.subscribe).toBe(1);
    const image = peer.store.records.length;
    peer.faults.delayReads = 300;
    peer.way.cut();
    await expect.poll(() => peer.calls.subscribe, { interval: 5 }).toBe(2);
    for (let n = 0; n < 2; n += 1) await writer.append(one());
    setBackAndWrite(peer, image);
    await expect.poll(() => peer.calls.subscribe, { interval: 5 }).toBe(3);
    await writer.append(one());
    peer.faults.delayReads = 0;
    await writer.append(one());
    const ids = (await readOn(writer, LOG_START)).map(({ id }) => id);
    await expect.poll(() => all.failure !== undefined || all.ids.at(-1) === ids.at(-1)).toBe(true);
    if (all.failure === undefined) expect(all.ids).toEqual(ids);
    else expect(all.failure).toMatchObject({ name: 'HistorySetBack' });
  });

  test('is not read on by a read of some types during which it is set back', async () => {
    const peer = await startPeer();
    const [writer, reader] = [open(peer.url), open(peer.url)];
    await writer.append(one());
    const image = peer.store.records.length;
    await writer.append(one());
    const { scannedTo, scannedId } = await reader.readAll({ after: LOG_START, limit: 10 });
    await writer.append(one());
    peer.faults.delayReads = 500;
    const before = peer.calls.read;
    const reading = reader
      .readAll({ after: scannedTo, afterId: scannedId, limit: 10, types: [newEvent().type] })
      .catch((error: unknown) => error);
    await expect.poll(() => peer.calls.read - before, { interval: 5 }).toBe(2);
    setBackAndWrite(peer, image);
    expect(await reading).toMatchObject({ name: 'HistorySetBack', held: scannedTo });
  });

  test('makes a follower whose position is lost subscribe rarely', async () => {
    const peer = await startPeer();
    const [writer, reader] = [open(peer.url), open(peer.url)];
    await writer.append(one());
    const image = peer.store.records.length;
    await writer.append(one());
    const { scannedTo } = await writer.readAll({ after: LOG_START, limit: 10 });
    peer.setBack(image);
    following(reader, scannedTo, 100, [newEvent().type]);
    await expect.poll(() => peer.calls.subscribe).toBeGreaterThan(0);
    await sleep(1_000);
    expect(peer.calls.subscribe).toBeLessThan(10);
  });
});
