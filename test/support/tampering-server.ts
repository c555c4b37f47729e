import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer of a service that a test can change. */
export interface Tampered {
  status: number;
  readonly headers: Headers;
  body: string;
}

export interface TamperingServer {
  readonly url: string;
  /** Sets the change of every later answer. */
  alter: (answer: Tampered) => void;
  close(): Promise<void>;
}

const NOT_HANDED_ON = ['connection', 'content-length', 'content-encoding', 'keep-alive', 'transfer-encoding'];

/** Forwards requests to a service and returns its answers changed. Close it in `afterAll` or `finally`. */
export async function startTamperingServer(upstream: string): Promise<TamperingServer> {
  const server = createServer((request, response) => {
    void (async () => {
      const answer = await handOn(upstream, request);
      tampering.alter(answer);
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(answer.body);
    })().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const tampering: TamperingServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    alter: () => undefined,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
  return tampering;
}

async function handOn(upstream: string, request: IncomingMessage): Promise<Tampered> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { authorization, 'content-type': type, 'idempotency-key': token } = request.headers;
  const answer = await fetch(upstream + (request.url ?? ''), {
    method: request.method ?? 'GET',
    headers: {
      'accept-encoding': 'identity',
      ...(authorization === undefined ? {} : { authorization }),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(token === undefined ? {} : { 'idempotency-key': String(token) }),
    },
    ...(parts.length === 0 ? {} : { body: Buffer.concat(parts) }),
  });
  const headers = new Headers(answer.headers);
  for (const name of NOT_HANDED_ON) headers.delete(name);
  return { status: answer.status, headers, body: await answer.text() };
}
