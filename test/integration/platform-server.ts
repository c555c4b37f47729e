import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';

export type PlatformAnswer = (request: IncomingMessage, url: URL, posted: Record<string, unknown>) => unknown;

/** A platform on loopback. `answerOf` returns the JSON of an answer, a status as a number, or undefined for 404. */
export async function startPlatform(answerOf: PlatformAnswer) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://platform');
    requests.push(`${request.method} ${url.pathname}`);
    void text(request).then((body) => {
      const answer = answerOf(request, url, body === '' ? {} : (JSON.parse(body) as Record<string, unknown>));
      if (typeof answer === 'number') return response.writeHead(answer).end();
      return response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Method and path of each request. */
    requests,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
