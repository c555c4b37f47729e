import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Adds a key to whatever passes and changes nothing else: for programs that cannot be given one. */
export interface KeyProxy {
  readonly url: string;
  /** Where to, and with whose key; set before anything is sent. */
  target: { readonly port: number; readonly key: string } | undefined;
  close(): Promise<void>;
}

export const startKeyProxy = async (): Promise<KeyProxy> => {
  const server = createServer((received, response) => {
    const { port, key } = proxy.target!;
    const headers = { ...received.headers, authorization: `Bearer ${key}` };
    const sent = request({ host: '127.0.0.1', port, path: received.url, method: received.method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(response);
    });
    sent.once('error', () => response.destroy());
    received.pipe(sent);
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
};
