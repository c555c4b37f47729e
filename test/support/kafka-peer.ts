import { createServer, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { APIS, type PeerState, VERSIONS_KEY, versionsAnswer } from './kafka-peer-answers.ts';
import { PeerGroup } from './kafka-peer-groups.ts';
import { PeerStore } from './kafka-peer-store.ts';
import { framesOf, WireReader, WireWriter } from './kafka-peer-wire.ts';

/** The faults of the peer, until used up or reset. */
export interface KafkaFaults {
  /** The number of calls by name that are not served and whose connection is cut. */
  readonly cutBefore: Map<string, number>;
  /** The same, after they were served without an answer. */
  readonly cutAfter: Map<string, number>;
  /** The delay of every answer. */
  slowMs: number;
}

export interface KafkaPeer {
  readonly brokers: string;
  readonly store: PeerStore;
  readonly faults: KafkaFaults;
  /** Calls that were begun, by name. */
  readonly calls: Map<string, number>;
  cut(): void;
  /** Accepts no connection any more, and drops the state that a broker has only in memory. */
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

export interface KafkaPeerSettings {
  /** Shared by the brokers of one cluster. */
  readonly store?: PeerStore;
  readonly node?: number;
  /** Partitions of topics that are created on request of clients; 0: none are created. */
  readonly autoCreate?: number;
}

function take(counts: Map<string, number>, name: string): boolean {
  const remaining = counts.get(name) ?? 0;
  if (remaining > 0) counts.set(name, remaining - 1);
  return remaining > 0;
}

/** A broker in this process that speaks the wire protocol of Kafka: topics, groups, idempotent and transactional producers. */
export async function startKafkaPeer(settings: KafkaPeerSettings = {}): Promise<KafkaPeer> {
  const { store = new PeerStore(), node = 1, autoCreate = 0 } = settings;
  const faults: KafkaFaults = { cutBefore: new Map(), cutAfter: new Map(), slowMs: 0 };
  const calls = new Map<string, number>();
  const groups = new Map<string, PeerGroup>();
  const sockets = new Set<Socket>();
  let port = 0;

  const serve = async (socket: Socket, frame: Buffer): Promise<Buffer | null> => {
    const request = new WireReader(frame);
    const [key, version, correlation] = [request.int16(), request.int16(), request.int32()];
    request.nullableText();
    const head = new WireWriter().int32(correlation);
    if (key === VERSIONS_KEY) return head.raw(versionsAnswer(version).finish()).finish();
    const api = APIS.find((each) => each.key === key && each.version === version);
    if (api === undefined) throw new Error(`the peer does not serve call ${key} in version ${version}`);
    calls.set(api.name, (calls.get(api.name) ?? 0) + 1);
    if (take(faults.cutBefore, api.name)) {
      socket.destroy();
      return null;
    }
    const state: PeerState = { store, groups, node, autoCreate };
    const answer = await api.answer(request, state);
    if (take(faults.cutAfter, api.name)) {
      socket.destroy();
      return null;
    }
    if (faults.slowMs > 0) await after(faults.slowMs);
    return head.raw(answer.finish()).finish();
  };

  const answer = async (socket: Socket, frame: Buffer, before: Promise<unknown>): Promise<void> => {
    await before;
    if (socket.destroyed) return;
    const response = await serve(socket, frame);
    if (response !== null && !socket.destroyed) socket.write(new WireWriter().bytes(response).finish());
  };

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    // A broker answers the calls of a connection in their order.
    let last: Promise<unknown> = Promise.resolve();
    socket.on(
      'data',
      framesOf((frame) => {
        const copy = Buffer.from(frame);
        last = answer(socket, copy, last);
        last.catch(() => socket.destroy());
      }),
    );
  });
  const listen = async (requestedPort: number): Promise<void> => {
    await new Promise<void>((resolve) => server.listen(requestedPort, '127.0.0.1', resolve));
    port = (server.address() as { port: number }).port;
    store.nodes.set(node, port);
  };
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const goDown = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    cut();
    await closed;
    for (const group of groups.values()) group.end();
    groups.clear();
  };
  await listen(0);
  return {
    brokers: `127.0.0.1:${port}`,
    store,
    faults,
    calls,
    cut,
    goDown,
    comeBack: () => listen(port),
    stop: () => goDown(),
  };
}
