import { connect, type Socket } from 'node:net';

/** An answer: its status and its body's bytes. */
export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** One kept-alive connection, one request at a time; as little work as a client can do, so that the server is what is measured. */
export class Connection {
  readonly #socket: Socket;
  readonly #host: string;
  #chunks: Buffer[] = [];
  #length = 0;
  #wanted = -1;
  #bodyAt = 0;
  #status = 0;
  #resolve: ((answer: Answer) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  constructor(url: string) {
    const { hostname, port, host } = new URL(url);
    this.#host = host;
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', (error) => this.#reject?.(error));
    this.#socket.on('close', () => this.#reject?.(new Error('the server closed the connection')));
  }

  /** `headers` are whole lines, each ended by CR LF. */
  send(method: string, path: string, headers: string, body = ''): Promise<Answer> {
    const length =
      body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    this.#socket.write(`${method} ${path} HTTP/1.1\r\nHost: ${this.#host}\r\n${headers}${length}\r\n${body}`);
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  close(): void {
    this.#reject = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#wanted < 0 && !this.#readHead()) return;
    if (this.#length < this.#wanted) return;
    const whole = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#length);
    this.#chunks = [];
    this.#length = 0;
    this.#wanted = -1;
    this.#resolve!({ status: this.#status, body: whole.subarray(this.#bodyAt) });
  }

  #readHead(): boolean {
    const start = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#length);
    const end = start.indexOf(HEAD_END);
    if (end < 0) return false;
    const head = start.toString('latin1', 0, end);
    const length = /content-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) throw new Error(`an answer without a length: ${head}`);
    this.#status = Number(head.slice(9, 12));
    this.#bodyAt = end + HEAD_END.length;
    this.#wanted = this.#bodyAt + Number(length);
    return true;
  }
}
