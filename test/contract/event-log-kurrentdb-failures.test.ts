import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import { LOG_START, LogUnavailable, NO_STREAM, OutcomeUnknown, type Position } from '../../domain/ports/event-log.ts';
import { appended, freshStream, newEvent, newEvents, readOn } from '../support/event-log-builders.ts';
import { one, useKurrentLogs } from '../support/kurrent-logs.ts';
import type { KurrentPeer } from '../support/kurrent-peer.ts';
import { PeerStore } from '../support/kurrent-peer-store.ts';
import { STALL_MS } from '../support/until-reached.ts';

/** A deadline that a test can wait for and that an ordinary call on a busy machine does not exceed. */
const BRIEF_MS = 2_000;

const { startPeer, open, following } = useKurrentLogs();
const stored = (peer: KurrentPeer): number => peer.store.records.filter(({ type }) => !type.startsWith('$')).length;

describe('a failing append', () => {
  test('is stored once and answered as a success when its answer was lost', async () => {
    const peer = await startPeer();
    const log = open(peer.url);
    for (const fault of ['cutAfterStoring', 'cutBeforeStoring'] as const) {
      const append = { ...one(), events: newEvents(3) };
      peer.faults[fault] = 1;
      const outcome = appended(await log.append(append));
      expect(outcome.revision).toBe(2);
      const events = await log.readStream(append.stream, NO_STREAM, 10);
      expect(events.map(({ id }) => id)).toEqual(append.events.map(({ id }) => id));
      expect(events.at(-1)!.position).toBe(outcome.position);
    }
    expect(stored(peer)).toBe(6);
  });

  test('has an unknown outcome if it cannot be sent again in time; a later repetition finds the outcome', async () => {
    const peer = await startPeer();
    const log = open(peer.url, { againMs: 0 });
    await log.append(one());
    for (const fault of ['cutAfterStoring', 'cutBeforeStoring'] as const) {
      const append = one();
      peer.faults[fault] = 1;
      await expect(log.append(append)).rejects.toBeInstanceOf(OutcomeUnknown);
      expect(await log.readStream(append.stream, NO_STREAM, 10)).toHaveLength(fault === 'cutAfterStoring' ? 1 : 0);
      await expect(log.append(append)).resolves.toMatchObject({ kind: 'appended', revision: 0 });
      expect(await log.readStream(append.stream, NO_STREAM, 10)).toHaveLength(1);
    }
  });

  test('has an unknown outcome when the server never answers, and does not delay other appends', async () => {
    const peer = await startPeer();
    const log = open(peer.url, { deadlineMs: BRIEF_MS });
    await log.append(one());
    peer.faults.neverAnswer = 1;
    const silent = log.append(one()).catch((error: unknown) => error);
    await expect.poll(() => peer.faults.neverAnswer).toBe(0);
    await expect(log.append(one())).resolves.toMatchObject({ kind: 'appended' });
    peer.faults.neverAnswer = 1_000;
    expect(await silent).toBeInstanceOf(OutcomeUnknown);
  });

  test('over a call that ended silently moves the next appends to a new call', async () => {
    const peer = await startPeer();
    const log = open(peer.url, { deadlineMs: BRIEF_MS, againMs: STALL_MS });
    await log.append(one());
    peer.faults.neverAnswer = 3;
    const appends = Array.from({ length: 3 }, one);
    const outcomes = await Promise.all(appends.map(async (append) => await log.append(append)));
    for (const outcome of outcomes) expect(appended(outcome).revision).toBe(0);
    for (const { stream } of appends) expect(await log.readStream(stream, NO_STREAM, 9)).toHaveLength(1);
    expect(peer.calls.batchAppend).toBe(2);
  });

  test('is refused as not stored while the server is busy, not ready or unreachable', async () => {
    const peer = await startPeer();
    const log = open(peer.url, { againMs: 0 });
    await log.append(one());
    const before = stored(peer);
    peer.faults.busy = 1;
    await expect(log.append(one())).rejects.toBeInstanceOf(LogUnavailable);
    await peer.way.goDown();
    // The first append may still be sent on the lost connection.
    await log.append(one()).catch(() => undefined);
    await expect(log.append(one())).rejects.toBeInstanceOf(LogUnavailable);
    await expect(log.head()).rejects.toBeInstanceOf(LogUnavailable);
    await peer.way.comeBack();
    expect(stored(peer)).toBe(before);
    await expect(log.append(one())).resolves.toMatchObject({ kind: 'appended' });
  });

  test('that is over the limit of the server names the setting of the server to raise', async () => {
    const peer = await startPeer({ maxAppendBytes: 1_000 });
    const log = open(peer.url);
    const large = { ...one(), events: [newEvent({ data: JSON.stringify('x'.repeat(2_000)) })] };
    const neighbours = await Promise.allSettled([log.append(one()), log.append(large), log.append(one())]);
    expect(neighbours.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await expect(log.append(large)).rejects.toThrow(/1000 bytes.*MaxAppendSize/);
  });
});

describe('a server without batches, older than 22.10', () => {
  test('is refused at the first append, which names the version that is needed', async () => {
    const peer = await startPeer({ batches: false });
    const log = open(peer.url);
    await expect(log.append(one())).rejects.toThrow(/use version 22\.10/);
    expect(stored(peer)).toBe(0);
  });
});

describe('a connection', () => {
  test('that was refused, and a closed log, receive no request', async () => {
    const log = open('esdb://127.0.0.1:1?tls=false');
    await expect(log.append(one())).rejects.toBeInstanceOf(LogUnavailable);
    await expect(log.head()).rejects.toBeInstanceOf(LogUnavailable);
    const peer = await startPeer();
    const closed = open(peer.url);
    await closed.append(one());
    await closed.close();
    await expect(closed.append(one())).rejects.toBeInstanceOf(LogUnavailable);
    await expect(closed.head()).rejects.toBeInstanceOf(LogUnavailable);
  });

  test('that is stalled ends a read at its deadline', async () => {
    const peer = await startPeer();
    const log = open(peer.url, { deadlineMs: BRIEF_MS });
    await log.append(one());
    peer.way.stall();
    await expect(log.readLast([freshStream()])).rejects.toBeInstanceOf(DeadlineExceeded);
  });

  test('that is cut between reads is made again without an error', async () => {
    const peer = await startPeer();
    const log = open(peer.url);
    const append = one();
    await log.append(append);
    for (let round = 0; round < 5; round += 1) {
      peer.way.cut();
      expect(await log.readStream(append.stream, NO_STREAM, 1)).toHaveLength(1);
    }
    peer.faults.refuseCalls = 1;
    expect(await log.readStream(append.stream, NO_STREAM, 1)).toHaveLength(1);
  });

  test('to a node that is not the leader is redirected to the leader, also when the leader moves', async () => {
    const store = new PeerStore();
    const [first, second] = [await startPeer({ store }), await startPeer({ store })];
    first.faults.leaderPort = second.port;
    const log = open(first.url);
    const append = one();
    expect(await log.head()).toBe(LOG_START);
    await log.append(append);
    expect(first.calls.batchAppend + second.calls.batchAppend).toBeGreaterThan(0);
    expect(await log.readStream(append.stream, NO_STREAM, 1)).toHaveLength(1);
    expect(second.calls.read).toBeGreaterThan(0);
    first.faults.leaderPort = 0;
    second.faults.leaderPort = first.port;
    expect(await log.readStream(append.stream, NO_STREAM, 1)).toHaveLength(1);
    first.faults.leaderPort = second.port;
    second.faults.leaderPort = 0;
    const moved = { ...append, expectedRevision: 0, events: newEvents(2) };
    await expect(log.append(moved)).resolves.toMatchObject({ kind: 'appended', revision: 2 });
    expect(await log.readStream(append.stream, NO_STREAM, 9)).toHaveLength(3);
  });

  test('is encrypted with the certificate and credentials of the connection string', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'civic-tls-'));
    try {
      const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
      const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
      execFileSync(
        'openssl',
        ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, ...subject],
        {
          stdio: 'pipe',
        },
      );
      const tls = { key: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') };
      const peer = await startPeer({ tls, password: 'civic:p@ss word' });
      const at = (credentials: string) =>
        `kurrentdb://${credentials}127.0.0.1:${peer.port}?tls=true&tlsCAFile=${encodeURIComponent(certificate)}`;
      const log = open(at('civic:p%40ss%20word@'));
      await expect(log.append(one())).resolves.toMatchObject({ kind: 'appended' });
      expect(await log.head()).not.toBe(LOG_START);
      const stranger = open(at('civic:wrong@'));
      await expect(stranger.head()).rejects.toThrow(/refuses these credentials/);
      const untrusting = open(`esdb://civic:p%40ss%20word@127.0.0.1:${peer.port}?tls=true`);
      await expect(untrusting.head()).rejects.toBeInstanceOf(LogUnavailable);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a subscription', () => {
  test('continues where it was after cut connections, an unreachable server, and refusals', async () => {
    const peer = await startPeer();
    const [writer, reader] = [open(peer.url), open(peer.url)];
    const all = following(reader, LOG_START);
    const appendSome = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) await writer.append(one());
    };
    for (let round = 0; round < 6; round += 1) {
      await appendSome(10);
      if (round % 3 === 0) peer.way.cut();
      else if (round % 3 === 1) {
        await peer.way.goDown();
        await peer.way.comeBack();
      } else peer.faults.refuseCalls = 3;
      await appendSome(10);
      await expect.poll(() => all.seen.length, { timeout: STALL_MS }).toBe(20 * (round + 1));
    }
    await all.end();
    expect(peer.subscribedAt.at(-1)).toBeGreaterThan(60);
    expect(all.seen).toEqual((await readOn(writer, LOG_START)).map(({ position }) => position));
  });

  test('that the server leaves without messages polls and subscribes again', async () => {
    const peer = await startPeer();
    const [writer, reader] = [open(peer.url), open(peer.url, { pollMs: 50 })];
    await writer.append(one());
    const all = following(reader, LOG_START);
    await expect.poll(() => peer.calls.subscribe).toBe(1);
    peer.faults.muteSubscriptions = true;
    for (let n = 0; n < 5; n += 1) await writer.append(one());
    await expect.poll(() => all.seen.length).toBe(6);
    peer.faults.muteSubscriptions = false;
    await expect.poll(() => peer.calls.subscribe).toBeGreaterThan(1);
    await writer.append(one());
    await expect.poll(() => all.seen.length).toBe(7);
    await all.end();
    expect(all.seen).toEqual((await readOn(writer, LOG_START)).map(({ position }) => position));
  });

  test('stays the same one while followers read on before it delivers', async () => {
    const peer = await startPeer();
    // No poll of a follower that waits for long begins another one.
    const [writer, reader] = [open(peer.url), open(peer.url, { pollMs: STALL_MS })];
    await writer.append(one());
    const followers = [undefined, [newEvent().type], undefined].map((types) =>
      following(reader, LOG_START, 100, types),
    );
    await expect.poll(() => peer.calls.subscribe).toBe(1);
    peer.faults.delaySubscriptions = 10;
    for (let n = 0; n < 60; n += 1) await writer.append(one());
    for (const { seen } of followers) await expect.poll(() => seen.length).toBe(61);
    expect(peer.calls.subscribe).toBe(1);
  });

  test('is shared by many followers', async () => {
    const peer = await startPeer();
    const log = open(peer.url);
    await log.append(one());
    const followers = Array.from({ length: 8 }, () => following(log, LOG_START));
    for (const { seen } of followers) await expect.poll(() => seen.length).toBe(1);
    for (let n = 0; n < 30; n += 1) await log.append(one());
    for (const { seen } of followers) await expect.poll(() => seen.length).toBe(31);
    expect(peer.calls.subscribe).toBe(1);
    for (const each of followers) await each.end();
  });
});

describe('a log of another program', () => {
  test('is reported with the foreign event', async () => {
    const peer = await startPeer();
    const log = open(peer.url);
    await log.append(one());
    peer.store.append('orders-1', NO_STREAM, [
      {
        id: crypto.randomUUID(),
        type: 'OrderPlaced',
        contentType: 'application/json',
        data: Buffer.from('{}'),
        metadata: Buffer.from('{"x":1}'),
      },
    ]);
    await expect(readOn(log, LOG_START)).rejects.toThrow(/OrderPlaced.*belongs to another program/);
  });

  test('refuses a position of a log in PostgreSQL', async () => {
    const peer = await startPeer();
    const log = open(peer.url);
    await log.append(one());
    const foreign = '00000000000000000007' as Position;
    await expect(log.readAll({ after: foreign, limit: 1 })).rejects.toThrow(/no position of a log on KurrentDB/);
  });

  test('has an identity of its own, which differs from that of a copy and is the same on every connection', async () => {
    const [one_, other] = [await startPeer(), await startPeer()];
    const append = one();
    expect(await open(one_.url).identity()).toBeNull();
    await open(one_.url).append(append);
    await new Promise((resolve) => setTimeout(resolve, 2));
    await open(other.url).append(append);
    const identity = await open(one_.url).identity();
    expect(identity).toMatch(/^[0-9a-f-]{36}$/);
    expect(await open(one_.url).identity()).toBe(identity);
    expect(await open(other.url).identity()).not.toBe(identity);
  });
});
