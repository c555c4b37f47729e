import { createConnection, createServer, type Socket } from 'node:net';

export interface PeerProxy {
  readonly port: number;
  /** Cuts every connection that stands. */
  cut(): void;
  /** Keeps every connection, also new ones, and lets nothing through. */
  stall(): void;
  flow(): void;
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
}

/** The way from clients to the peer (a port, or the path of a socket), which a test can cut, stall and close. */
export const openPeerProxy = async (target: number | string): Promise<PeerProxy> => {
  const sockets = new Set<Socket>();
  let stalled = false;
  const server = createServer((near) => {
    const far = typeof target === 'string' ? createConnection(target) : createConnection(target, '127.0.0.1');
    const ends = [near, far];
    for (const [one, other] of [ends, ends.toReversed()] as [Socket, Socket][]) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on('data', (chunk: Buffer) => {
        if (!other.write(chunk)) {
          one.pause();
          other.once('drain', () => !stalled && one.resume());
        }
      });
      one.on('error', () => undefined);
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      if (stalled) one.pause();
    }
  });
  const listen = async (port: number): Promise<void> => await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
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
    flow() {
      stalled = false;
      for (const socket of sockets) socket.resume();
    },
    async goDown() {
      const gone = new Promise((resolve) => server.close(resolve));
      cut();
      await gone;
    },
    comeBack: async () => await listen(port),
  };
};
