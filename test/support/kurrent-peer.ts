import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { setTimeout as sleep } from 'node:timers/promises';
import grpc from '@grpc/grpc-js';
import {
  batchBusy,
  batchStored,
  batchTooLarge,
  expectedOf,
  type Gathered,
  proposed,
  streamName,
  total,
} from './kurrent-peer-appends.ts';
import { noFaults, type PeerFaults, takeFault } from './kurrent-peer-faults.ts';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import {
  caughtUpAnswer,
  checkpointAnswer,
  confirmationAnswer,
  filterOf,
  InvalidPlace,
  notFoundAnswer,
  recordedAnswer,
  recordsOf,
  startOfAll,
} from './kurrent-peer-reads.ts';
import { PeerStore } from './kurrent-peer-store.ts';

export interface KurrentPeer {
  readonly url: string;
  readonly port: number;
  readonly store: PeerStore;
  readonly faults: PeerFaults;
  readonly way: TcpProxy;
  /** Calls of each kind that were begun, and the reads that the client cancelled. */
  readonly calls: Record<'read' | 'subscribe' | 'batchAppend' | 'cancelledRead', number>;
  /** Record of the log at which each subscription began. */
  readonly subscribedAt: readonly number[];
  /**
   * Truncates the log to this many records and cuts every connection, as a server that starts again from a restored
   * disk image.
   */
  setBack(records: number): void;
  stop(): Promise<void>;
}

export interface KurrentPeerSettings {
  readonly store?: PeerStore;
  /** False: a server that is too old and does not know batches. */
  readonly batches?: boolean;
  readonly maxAppendBytes?: number;
  /** PEM texts; without them the connection is not encrypted. */
  readonly tls?: { readonly key: string; readonly certificate: string };
  /** Credentials that every call must carry. */
  readonly password?: string;
}

type Call = { readonly metadata: grpc.Metadata };

function failure(
  code: grpc.status,
  details: string,
  about: Record<string, string> = {},
): Partial<grpc.StatusObject> & Error {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(about)) metadata.set(name, value);
  return Object.assign(new Error(details), { code, details, metadata });
}

async function delivered<Answer>(call: grpc.ServerWritableStream<unknown, Answer>, answer: Answer): Promise<void> {
  if (call.cancelled || call.write(answer)) return;
  await new Promise<void>((resolve) => {
    const events = ['drain', 'cancelled', 'close'];
    const go = (): void => {
      for (const event of events) call.off(event, go);
      resolve();
    };
    for (const event of events) call.on(event, go);
  });
}

/** A server in this process that speaks the wire protocol of KurrentDB by the client's own definitions of it. */
export async function startKurrentPeer(settings: KurrentPeerSettings = {}): Promise<KurrentPeer> {
  const { store = new PeerStore(), batches = true, maxAppendBytes = 4_194_304, tls, password } = settings;
  const faults = noFaults();
  const subscribedAt: number[] = [];
  const calls = { read: 0, subscribe: 0, batchAppend: 0, cancelledRead: 0 };

  /** The reason for which a call is refused. */
  const refusal = ({ metadata }: Call) => {
    if (takeFault(faults, 'refuseCalls')) return failure(grpc.status.UNAVAILABLE, 'Server is not ready');
    const expected = password === undefined ? undefined : `Basic ${Buffer.from(password).toString('base64')}`;
    if (expected !== undefined && metadata.get('authorization')[0] !== expected) {
      return failure(grpc.status.UNAUTHENTICATED, 'Access Denied', { exception: 'access-denied' });
    }
    if (faults.leaderPort !== 0 && metadata.get('requires-leader')[0] === 'true') {
      const leader = { 'leader-endpoint-host': '127.0.0.1', 'leader-endpoint-port': String(faults.leaderPort) };
      return failure(grpc.status.NOT_FOUND, 'Leader info available', { exception: 'not-leader', ...leader });
    }
    return null;
  };

  const subscribe = async (
    call: grpc.ServerWritableStream<ReadReq, ReadResp>,
    options: ReadReq.Options,
  ): Promise<void> => {
    let at = startOfAll(store, options);
    subscribedAt.push(at);
    const passes = filterOf(options);
    const interval = options.getFilter()!.getMax() * options.getFilter()!.getCheckpointintervalmultiplier();
    let passed = 0;
    let wake: () => void = () => undefined;
    const ignore = store.listen(() => wake());
    call.once('cancelled', () => wake());
    await delivered(call, confirmationAnswer());
    while (!call.cancelled) {
      for (; at < store.records.length && !call.cancelled && !faults.muteSubscriptions; at += 1) {
        const record = store.records[at]!;
        if (faults.delaySubscriptions > 0) await sleep(faults.delaySubscriptions);
        if (passes(record)) await delivered(call, recordedAnswer(record));
        else if ((passed += 1) % interval === 0) await delivered(call, checkpointAnswer(record.place));
      }
      await delivered(call, caughtUpAnswer());
      const woken = new Promise<void>((resolve) => (wake = resolve));
      if (at < store.records.length && !faults.muteSubscriptions) continue;
      await woken;
    }
    ignore();
  };

  const read = async (call: grpc.ServerWritableStream<ReadReq, ReadResp>): Promise<void> => {
    const options = call.request.getOptions()!;
    calls[options.hasSubscription() ? 'subscribe' : 'read'] += 1;
    const refused = refusal(call);
    if (refused !== null) return void call.emit('error', refused);
    try {
      if (options.hasSubscription()) return await subscribe(call, options);
      if (faults.delayReads > 0) await sleep(faults.delayReads);
      const records = recordsOf(store, options);
      if (records === null)
        await delivered(call, notFoundAnswer(streamName(options.getStream()?.getStreamIdentifier())));
      for (const record of records ?? []) {
        if (call.cancelled) return;
        await delivered(call, recordedAnswer(record));
      }
      if (faults.endLate) await sleep(100);
      if (call.cancelled) calls.cancelledRead += 1;
      call.end();
    } catch (error) {
      const refused = options.hasSubscription()
        ? failure(grpc.status.INVALID_ARGUMENT, 'Trying to read from an invalid position.')
        : failure(grpc.status.UNKNOWN, 'Unexpected FilteredReadAllResult: InvalidPosition');
      call.emit('error', error instanceof InvalidPlace ? refused : (error as Error));
    }
  };

  /** True if the append must not be answered; `store` puts it in the log. */
  const fails = (append: () => void): boolean => {
    if (takeFault(faults, 'cutBeforeStoring')) {
      way.cut();
      return true;
    }
    if (takeFault(faults, 'cutAfterStoring')) {
      append();
      way.cut();
      return true;
    }
    if (!takeFault(faults, 'neverAnswer')) return false;
    append();
    return true;
  };

  const batchAppend = (call: grpc.ServerDuplexStream<BatchAppendReq, BatchAppendResp>): void => {
    calls.batchAppend += 1;
    const refused = batches ? refusal(call) : failure(grpc.status.UNIMPLEMENTED, 'unknown method BatchAppend');
    if (refused !== null) return void call.emit('error', refused);
    const gathering = new Map<string, Gathered>();
    /** Later messages are also lost after a lost append or a refused call. */
    let isCut = false;
    call.on('data', (request: BatchAppendReq) => {
      if (isCut) return;
      const id = request.getCorrelationId()!.getString();
      const options = request.getOptions();
      if (options !== undefined) {
        gathering.set(id, {
          stream: streamName(options.getStreamIdentifier()),
          expected: expectedOf(options),
          events: [],
        });
      }
      const gathered = gathering.get(id)!;
      gathered.events.push(...request.getProposedMessagesList().map(proposed));
      if (!request.getIsFinal()) return;
      gathering.delete(id);
      const later = refusal(call);
      if (later !== null) {
        isCut = true;
        call.emit('error', later);
        return;
      }
      const { stream, expected, events } = gathered;
      if (total(events) > maxAppendBytes) return void call.write(batchTooLarge(id, gathered, maxAppendBytes));
      if (takeFault(faults, 'busy')) return void call.write(batchBusy(id, gathered));
      const append = () => store.append(stream, expected, events);
      const cuts = faults.cutBeforeStoring + faults.cutAfterStoring;
      if (!fails(append)) call.write(batchStored(id, gathered, append()));
      isCut = faults.cutBeforeStoring + faults.cutAfterStoring < cuts;
    });
    call.on('end', () => call.end());
    call.on('error', () => undefined);
  };

  const server = new grpc.Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });
  const none = (_: unknown, answer: (error: Partial<grpc.StatusObject>) => void): void =>
    answer(failure(grpc.status.UNIMPLEMENTED, 'not here'));
  const implementation = {
    read: (call: Parameters<typeof read>[0]) => void read(call),
    append: none,
    batchAppend,
    delete: none,
    tombstone: none,
  };
  server.addService(streamsGrpc.StreamsService, implementation);
  // The client appends in batches where the server says that it takes them.
  server.addService(featuresGrpc.ServerFeaturesService, {
    getSupportedMethods: (_: unknown, answer: (error: null, methods: features.SupportedMethods) => void) => {
      const method = new features.SupportedMethod()
        .setServiceName('event_store.client.streams.streams')
        .setMethodName('batchappend');
      answer(
        null,
        new features.SupportedMethods().setEventStoreServerVersion('24.10.0').setMethodsList(batches ? [method] : []),
      );
    },
  });
  const credentials =
    tls === undefined
      ? grpc.ServerCredentials.createInsecure()
      : grpc.ServerCredentials.createSsl(null, [
          { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.certificate) },
        ]);
  const bound = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', credentials, (error, port) => (error === null ? resolve(port) : reject(error))),
  );
  const way = await openTcpProxy(() => ({ port: bound, host: '127.0.0.1' }));
  return {
    url: `esdb://127.0.0.1:${way.port}?tls=${tls !== undefined}`,
    port: way.port,
    store,
    faults,
    way,
    calls,
    subscribedAt,
    setBack(records) {
      store.setBack(records);
      way.cut();
    },
    async stop() {
      server.forceShutdown();
      await way.goDown().catch(() => undefined);
    },
  };
}
