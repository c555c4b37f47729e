import { connect, type Socket } from 'node:net';

/** One raw connection, for bytes that no HTTP client sends. */
export interface RawConnection {
  readonly socket: Socket;
  /** All that has been received. */
  received(): string;
  send(text: string | Buffer): void;
  /** Resolves once what was received satisfies the test; rejects when the connection ends before that. */
  until(satisfied: (received: string) => boolean): Promise<string>;
  /** Resolves with everything received once the server has ended the connection. */
  ended(): Promise<string>;
}

export async function rawConnection(port: number, host = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect({ port, host });
  const chunks: Buffer[] = [];
  const received = () => Buffer.concat(chunks).toString('latin1');
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return {
    socket,
    received,
    send: (text) => void socket.write(text),
    until: (satisfied) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (satisfied(received())) resolve(received());
        };
        look();
        socket.on('data', look);
        const ended = (): void => reject(new Error(`the connection ended after: ${received()}`));
        if (socket.closed) ended();
        else socket.once('close', ended);
      }),
    ended: () =>
      new Promise((resolve) => {
        if (socket.closed) resolve(received());
        else socket.once('close', () => resolve(received()));
      }),
  };
}

/** The last response in a received text that holds whole responses with `Content-Length`. */
export function parseResponse(received: string): { status: number; headers: Record<string, string>; body: string } {
  const [head = '', ...rest] = received.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: rest.join('\r\n\r\n') };
}

/** True if one whole response with `Content-Length` was received. */
export function isWholeResponse(received: string): boolean {
  const { headers, body } = parseResponse(received);
  return received.includes('\r\n\r\n') && body.length >= Number(headers['content-length'] ?? 0);
}
