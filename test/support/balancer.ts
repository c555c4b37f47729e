import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';

export interface Backend {
  readonly baseUrl: string;
  readonly opsUrl: string;
}

/** A plain proxy before several processes: sends requests in turn to those with a good `/readyz`, without retries. */
export interface Balancer {
  readonly url: string;
  /** Errors between it and a process. */
  readonly failures: string[];
  isUp(backend: Backend): boolean;
  close(): Promise<void>;
}

const CHECK_EVERY_MS = 25;

export async function startBalancer(backends: readonly Backend[]): Promise<Balancer> {
  const up = new Set<Backend>();
  const failures: string[] = [];
  const over = new AbortController();
  const agent = new Agent({ keepAlive: true });
  const checking = backends.map(async (backend) => {
    while (!over.signal.aborted) {
      const ready = await fetch(`${backend.opsUrl}/readyz`, {
        signal: AbortSignal.any([over.signal, AbortSignal.timeout(5_000)]),
      }).then(
        async (answer) => (await answer.arrayBuffer(), answer.ok),
        () => false,
      );
      if (ready) up.add(backend);
      else up.delete(backend);
      await after(CHECK_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  });
  let turn = 0;
  const server = createServer((incoming, answer) => {
    const ready = [...up];
    const backend = ready[(turn += 1) % ready.length];
    const fail = (reason: string): void => {
      failures.push(`${incoming.method} ${incoming.url}: ${reason}`);
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502).end();
    };
    if (backend === undefined) return fail('no process is ready');
    const { connection: _hop, ...headers } = incoming.headers;
    const outgoing = request(`${backend.baseUrl}${incoming.url}`, { agent, method: incoming.method, headers });
    outgoing.once('error', (error) => fail((error as NodeJS.ErrnoException).code ?? error.message));
    outgoing.once('response', (came) => {
      const { connection: _of, ...answerHeaders } = came.headers;
      came.once('error', (error) => fail(error.message));
      answer.writeHead(came.statusCode!, answerHeaders);
      came.pipe(answer);
    });
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failures,
    isUp: (backend) => up.has(backend),
    async close() {
      over.abort();
      await Promise.all(checking);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
}
