import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as after } from 'node:timers/promises';
import type { SeededRandom } from './seeded-random.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Fault of a request that is not passed on unchanged. */
const FAULTS = [
  'lost request',
  'lost answer',
  'delayed',
  'cut off',
  'cut off and declared whole',
  'sent twice',
  'former answer',
] as const;
export type ProxyFault = (typeof FAULTS)[number];

export interface UnreliableProxy {
  readonly baseUrl: string;
  /** Number of times each fault happened. */
  readonly faults: ReadonlyMap<ProxyFault, number>;
  close(): Promise<void>;
}

const MAX_DELAY_MS = 400;

/** An HTTP proxy on 127.0.0.1 that damages this part of its requests. `target` is called for each request. */
export async function openUnreliableProxy(
  target: () => string,
  random: SeededRandom,
  part: number,
): Promise<UnreliableProxy> {
  const faults = new Map<ProxyFault, number>(FAULTS.map((fault) => [fault, 0]));
  /** The last good answer by path, without the query. */
  const former = new Map<string, Answer>();
  const ask = (method: string, url: string, headers: Answer['headers']): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { 'content-length': _, connection: __, host: ___, ...passed } = headers;
      const outgoing = request(new URL(url, target()), { method, headers: passed }, (answer) => {
        const { statusCode: status = 502, headers: answered } = answer;
        buffer(answer).then((body) => resolve({ status, headers: answered, body }), reject);
      });
      outgoing.on('error', reject).end();
    });
  const write = (response: ServerResponse, { status, headers, body }: Answer, declared: number): void => {
    const { 'transfer-encoding': _, connection: __, 'keep-alive': ___, ...passed } = headers;
    response.writeHead(status, { ...passed, 'content-length': declared });
    response.write(body);
    if (declared === body.length) response.end();
    else setTimeout(() => response.destroy(), 5);
  };
  const server = createServer((incoming, response) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const fault = random.chance(part) ? FAULTS[random.below(FAULTS.length)]! : null;
    const cut = random.next();
    const handle = async (): Promise<void> => {
      await buffer(incoming);
      const path = url.split('?')[0]!;
      const old = former.get(path);
      if (fault === 'lost request') return void response.destroy();
      if (fault === 'delayed') await after(cut * MAX_DELAY_MS);
      if (fault === 'sent twice') await ask(method, url, headers);
      if (fault === 'former answer' && old !== undefined) return write(response, old, old.body.length);
      const answer = await ask(method, url, headers);
      if (answer.status < 300) former.set(path, answer);
      if (fault === 'lost answer') return void response.destroy();
      const shortened = { ...answer, body: answer.body.subarray(0, Math.floor(cut * answer.body.length)) };
      if (fault === 'cut off') return write(response, shortened, answer.body.length);
      if (fault === 'cut off and declared whole') return write(response, shortened, shortened.body.length);
      return write(response, answer, answer.body.length);
    };
    if (fault !== null) faults.set(fault, faults.get(fault)! + 1);
    handle().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
