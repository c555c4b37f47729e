import { Agent, request } from 'node:http';

export interface Question {
  readonly kind: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LoadAnswer {
  readonly status: number;
  readonly text: string;
  /** The answer was the last one of its connection. */
  readonly last: boolean;
}

/** One client with one connection, kept as long as the server allows. */
export interface KeptClient {
  /** Rejects with the error of the connection; never repeats a request. */
  ask(baseUrl: string, question: Question): Promise<LoadAnswer>;
  close(): void;
}

export function keptClient(): KeptClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    ask: (baseUrl, { method, path, headers = {}, body }) =>
      new Promise((resolve, reject) => {
        const typed = body === undefined ? {} : { 'content-type': 'application/json' };
        const outgoing = request(`${baseUrl}${path}`, { agent, method, headers: { ...typed, ...headers } });
        outgoing.once('error', (error) => reject(Object.assign(error, { kept: outgoing.reusedSocket })));
        outgoing.once('response', (came) => {
          let text = '';
          came.setEncoding('utf8').on('data', (part: string) => (text += part));
          came.once('error', reject);
          came.once('end', () =>
            resolve({ status: came.statusCode!, text, last: came.headers.connection === 'close' }),
          );
        });
        outgoing.end(body);
      }),
    close: () => agent.destroy(),
  };
}

/** No connection was made: no process listens, or it stops to listen at this moment. */
export const notConnected = ({ syscall, code }: NodeJS.ErrnoException): boolean =>
  syscall === 'connect' && (code === 'ECONNREFUSED' || code === 'ECONNRESET');

/** A new connection that the kernel of the server reset; a process that closes it sends an end instead. */
export const notHandedOver = (error: NodeJS.ErrnoException & { kept?: boolean }): boolean =>
  error.kept === false && (error.code === 'EPIPE' || error.message === 'read ECONNRESET');

/** The results of clients that send requests without a pause. */
export class Met {
  readonly answered = new Map<string, number>();
  readonly failed: string[] = [];
  /** Connections that no process accepted, before a request was sent. */
  refused = 0;

  note(kind: string, status: number, text: string): void {
    if (status >= 200 && status < 300) this.answered.set(kind, (this.answered.get(kind) ?? 0) + 1);
    else this.failed.push(`${kind}: ${status} ${text.slice(0, 200)}`);
  }

  total(): number {
    return [...this.answered.values()].reduce((sum, count) => sum + count, 0);
  }
}
