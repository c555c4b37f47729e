import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isAlive, watchResident } from '../fuzz/process-watch.ts';
import { type AttackedProcess, startAttackedProcess } from '../support/attacked-process.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { EMPTY_ANSWERS, type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { type RawConnection, rawConnection } from '../support/http-raw.ts';
import { withNightly } from '../support/test-runs.ts';

const HEAP_MB = 512;
const MAX_RESIDENT_MB = 400;
/** The expected number is a few dozen. */
const MAX_UNANSWERED = 100;
const MAX_MS = 900_000;
/** Each request is answered in a separate turn: everything sent before it has been read. */
const PROBES = 20;

const REQUEST = 'GET /llms.txt HTTP/1.1\r\nhost: x\r\n\r\n';
const FLOOD = Buffer.from(REQUEST.repeat(Math.floor(65_536 / REQUEST.length)));

const probe = async (url: string): Promise<void> =>
  void (await (await fetch(url, { headers: { connection: 'close' } })).text());

describe('connections that pipeline 64 KB of requests and never read', { timeout: MAX_MS }, () => {
  let database: TestDatabase;
  let attacked: AttackedProcess;
  const sockets = new Set<Socket>();
  beforeAll(async () => {
    database = await startTestDatabase();
    attacked = await startAttackedProcess(database.url, { heapMb: HEAP_MB });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await attacked?.stop();
    await database?.close();
  });

  const flood = async (): Promise<void> => {
    const socket = connect({ port: attacked.port, host: '127.0.0.1' });
    sockets.add(socket);
    await new Promise<void>((resolve) => {
      socket.on('error', () => resolve());
      socket.once('connect', () => {
        socket.write(FLOOD);
        resolve();
      });
    });
  };

  test.each(withNightly([150], [2_000]))(
    `%i of them leave the process alive and under ${MAX_RESIDENT_MB} MB`,
    async (count) => {
      const pid = attacked.pid!;
      const resident = watchResident(pid);
      const isLost = (): boolean => !isAlive(pid) || resident.largestMb() > MAX_RESIDENT_MB;
      for (let opened = 0; opened < count && !isLost(); opened += 1) await flood();
      for (let probes = 0; probes < PROBES && !isLost(); probes += 1)
        await probe(`${attacked.baseUrl}/llms.txt`).catch(() => undefined);
      expect({ isAlive: isAlive(pid), largestMb: resident.stop() }).toEqual({
        isAlive: true,
        largestMb: expect.toSatisfy((largestMb: number) => largestMb < MAX_RESIDENT_MB) as number,
      });
      await probe(`${attacked.baseUrl}/llms.txt`);
    },
  );
});

describe('one connection that pipelines and never reads', () => {
  let edge: HttpEdge;
  let raw: RawConnection;
  beforeAll(async () => {
    edge = await startHttpEdge();
  });
  afterEach(() => {
    raw.socket.destroy();
    edge.calls.length = 0;
    edge.answerWith({});
  });
  afterAll(() => edge.close());

  const request = (path: string): string =>
    `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${edge.keys.all}\r\n\r\n`;

  test(`has at most ${MAX_UNANSWERED} requests in progress`, async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    edge.answerWith({ readCivicHealth: () => released.then(() => EMPTY_ANSWERS.readCivicHealth()) });
    raw = await rawConnection(edge.port);
    raw.socket.pause();
    raw.send(request('/api/v1/data/health').repeat(1_000));
    for (let probes = 0; probes < PROBES; probes += 1) await probe(`${edge.url}/api/v1/data/nothing`);
    expect(edge.calls.length).toBeGreaterThan(0);
    expect(edge.calls.length).toBeLessThanOrEqual(MAX_UNANSWERED);
    release();
  });

  test('gets no more answers once its unread answers fill the buffers', async () => {
    const text = JSON.stringify({ data: { items: [] }, meta: { nextCursor: 'c'.repeat(1_000_000), hasMore: false } });
    edge.answerWith({ readCivicChanges: async () => ({ text, items: 0 }) });
    raw = await rawConnection(edge.port);
    raw.socket.pause();
    for (let bytesSent = 0; bytesSent < 40; bytesSent += 1) {
      raw.send(request('/api/v1/data/changes'));
      await probe(`${edge.url}/api/v1/data/nothing`);
    }
    expect(edge.calls.length).toBeGreaterThan(0);
    expect(edge.calls.length).toBeLessThan(40);
  });

  test('with an offered upgrade gets one answer, and no byte of a later body is taken for a request', async () => {
    raw = await rawConnection(edge.port);
    const smuggled = request('/api/v1/data/changes');
    const upgrade = 'GET /llms.txt HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n';
    raw.send(`${upgrade}POST /api/v1/data/snapshots HTTP/1.1\r\nhost: x\r\ncontent-length: ${smuggled.length}\r\n\r\n`);
    await raw.until((received) => received.includes('\r\n\r\n'));
    raw.send(smuggled);
    const received = await raw.ended();
    expect(received.match(/HTTP\/1\.1 \d+/g)).toHaveLength(1);
    expect(received.toLowerCase()).toContain('connection: close');
    expect(edge.calls).toEqual([]);
  });
});
