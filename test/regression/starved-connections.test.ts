import { setTimeout as after } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { type EdgeSettings, type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { isWholeResponse, parseResponse, type RawConnection, rawConnection } from '../support/http-raw.ts';

let edge: HttpEdge | undefined;
let raw: RawConnection | undefined;
afterEach(async () => {
  raw?.socket.destroy();
  await edge?.close();
});

async function open(timeouts: EdgeSettings['timeouts']): Promise<{ edge: HttpEdge; raw: RawConnection }> {
  edge = await startHttpEdge({ timeouts });
  raw = await rawConnection(edge.port);
  return { edge, raw };
}

const HEALTH = 'GET /api/v1/data/health HTTP/1.1';
const head = (line: string, ...headers: string[]): string =>
  [line, 'host: x', `authorization: Bearer ${edge!.keys.all}`, ...headers, '', ''].join('\r\n');

/** Blocks the process, as on a machine without free CPU time: sockets and timers wait. */
const starve = (milliseconds: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

const answers = (received: string): number => received.match(/HTTP\/1\.1 /g)?.length ?? 0;
const statusOf = (received: string): number => parseResponse(received.slice(received.lastIndexOf('HTTP/1.1 '))).status;

describe('a request that has not arrived in full', () => {
  test('is refused at the end of the request time if its body does not follow headers that were read late', async () => {
    const { edge, raw } = await open({ headers: 400, request: 800 });
    const text = head('POST /api/v1/data/batch HTTP/1.1', 'content-type: application/json', 'content-length: 100');
    raw.send(text.slice(0, 40));
    await readBy(edge);
    raw.send(text.slice(40));
    starve(700);
    expect(parseResponse(await raw.ended()).status).toBe(400);
  });

  test('is refused at the end of its time if its body arrives slowly, with some bytes in each turn', async () => {
    const { raw } = await open({ headers: 400, request: 400 });
    raw.send(head('POST /api/v1/data/batch HTTP/1.1', 'content-type: application/json', 'content-length: 5000'));
    let drops: NodeJS.Immediate;
    const drop = (): void => {
      raw.send(' ');
      starve(1);
      drops = setImmediate(drop);
    };
    drop();
    const received = await raw.ended();
    clearImmediate(drops!);
    expect(parseResponse(received).body).toContain('did not arrive in time');
  });
});

describe('an idle connection', () => {
  test('whose client begins late is not refused, and its time counts from the first byte', async () => {
    const { edge, raw } = await open({ headers: 200 });
    const slow = await rawConnection(edge.port);
    // Node checks for timed-out connections each 100 ms.
    await after(700);
    expect(raw.received()).toBe('');
    raw.send(head(HEALTH));
    expect(parseResponse(await raw.until(isWholeResponse)).status).toBe(200);
    slow.send(head(HEALTH).slice(0, 40));
    expect(parseResponse(await slow.ended()).status).toBe(400);
  });

  test('on which nothing is ever sent is ended without an answer', async () => {
    const { raw } = await open({ headers: 200, request: 300 });
    expect(await raw.ended()).toBe('');
  });

  test('stays open for longer than the advertised time', async () => {
    const { raw } = await open({ keepAlive: 1_000, keepAliveMargin: 60_000 });
    raw.send(head(HEALTH));
    expect(parseResponse(await raw.until(isWholeResponse)).headers['keep-alive']).toBe('timeout=1');
    // Node closes it after two seconds by default.
    await after(2_500);
    raw.send(head(HEALTH));
    expect(statusOf(await raw.until((received) => answers(received) === 2 && received.endsWith('}')))).toBe(200);
  });

  test('is ended when nothing is sent on it', async () => {
    const { raw } = await open({ keepAlive: 100, keepAliveMargin: 100 });
    raw.send(head(HEALTH));
    expect(statusOf(await raw.ended())).toBe(200);
  });
});

/** Resolves when the bytes sent on the other connection have been read: a later request on this one was answered. */
const readBy = async ({ url }: HttpEdge): Promise<void> =>
  void (await (await fetch(`${url}/api/v1/data/nothing`)).text());
