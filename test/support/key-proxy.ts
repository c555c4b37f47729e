import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Adds a key to each request, for programs without a setting for it. */
export interface KeyProxy {
  readonly url: string;
  /** The target and the key; set before the first request. */
  target: { readonly port: number; readonly key: string } | undefined;
  close(): Promise<void>;
}

export async function startKeyProxy(): Promise<KeyProxy> {
  const server = createServer((received, response) => {
    const { port, key } = proxy.target!;
    const headers = { ...received.headers, authorization: `Bearer ${key}` };
    const outgoing = request(
      { host: '127.0.0.1', port, path: received.url, method: received.method, headers, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.rawHeaders);
        answer.pipe(response);
      },
    );
    outgoing.once('error', () => response.destroy());
    received.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: KeyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}
