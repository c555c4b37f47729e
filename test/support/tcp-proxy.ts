import { createConnection, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';

export interface TcpProxy {
  readonly port: number;
  /** Cuts every open connection. */
  cut(): void;
  /** Keeps old and new connections open and forwards nothing. */
  stall(): void;
  /** Delays each chunk in both directions by this many milliseconds; 0 for no delay. */
  slow(milliseconds: number): void;
  /** Ends one side of every open connection; the other side is not informed until `flow`. */
  halfOpen(side: 'near' | 'far'): void;
  /** Ends what `stall` and `halfOpen` began. */
  flow(): void;
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
}

/** A proxy on 127.0.0.1 that a test can cut, stall, slow down and close. `target` is called for each connection. */
export async function openTcpProxy(target: () => NetConnectOpts): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const pairs = new Set<readonly [Socket, Socket]>();
  const orphans = new Set<Socket>();
  /** These are not read until the chunk before was forwarded, so that chunks stay in order. */
  const passing = new Set<Socket>();
  let stalled = false;
  let delay = 0;
  const resume = (socket: Socket): void => {
    passing.delete(socket);
    if (!stalled) socket.resume();
  };
  const hold = (socket: Socket): void => {
    passing.add(socket);
    socket.pause();
  };
  const server = createServer((near) => {
    const far = createConnection(target());
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [one, other] of [pair, pair.toReversed()] as [Socket, Socket][]) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on('data', (chunk: Buffer) => {
        if (delay > 0) {
          hold(one);
          void after(delay).then(() => other.write(chunk, () => resume(one)));
        } else if (!other.write(chunk)) {
          hold(one);
          other.once('drain', () => resume(one));
        }
      });
      one.on('error', () => undefined);
      one.once('close', () => {
        sockets.delete(one);
        passing.delete(one);
        pairs.delete(pair);
        if (!orphans.has(other)) other.destroy();
      });
      if (stalled) one.pause();
    }
  });
  const listen = async (port: number): Promise<void> =>
    await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as { port: number };
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    cut,
    stall() {
      stalled = true;
      for (const socket of sockets) socket.pause();
    },
    slow(milliseconds) {
      delay = milliseconds;
    },
    halfOpen(side) {
      for (const [near, far] of pairs) {
        orphans.add(side === 'near' ? far : near);
        (side === 'near' ? near : far).destroy();
      }
    },
    flow() {
      stalled = false;
      for (const orphan of orphans) orphan.destroy();
      orphans.clear();
      for (const socket of sockets) if (!passing.has(socket)) socket.resume();
    },
    async goDown() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
    comeBack: async () => await listen(port),
  };
}

/** Address of the PostgreSQL server of a connection string: a port, or a socket in a folder. */
export function serverAt(url: string): NetConnectOpts {
  const { hostname, port } = new URL(url);
  const number = Number(port || '5432');
  if (hostname.startsWith('%2F')) return { path: `${decodeURIComponent(hostname)}/.s.PGSQL.${number}` };
  return { host: hostname, port: number };
}

/** The connection string by which a database is reached through a proxy. */
export function urlThrough({ port }: Pick<TcpProxy, 'port'>, url: string): string {
  const behind = new URL(url);
  behind.hostname = '127.0.0.1';
  behind.port = String(port);
  behind.searchParams.delete('host');
  return behind.toString();
}
