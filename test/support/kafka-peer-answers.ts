import { setTimeout as after } from 'node:timers/promises';
import { PeerGroup } from './kafka-peer-groups.ts';
import type { Produced } from './kafka-peer-partition.ts';
import type { PeerStore } from './kafka-peer-store.ts';
import { CODES, type WireReader, WireWriter } from './kafka-peer-wire.ts';

/** The state of the peer that answers need. */
export interface PeerState {
  readonly store: PeerStore;
  readonly groups: Map<string, PeerGroup>;
  readonly node: number;
  readonly autoCreate: number;
}

type Answer = (request: WireReader, state: PeerState) => WireWriter | Promise<WireWriter>;

/** Calls that the peer serves, by the number and the version that the protocol gives them; each is advertised in this one version. */
interface Api {
  readonly name: string;
  readonly key: number;
  readonly version: number;
  readonly answer: Answer;
}

const HOST = '127.0.0.1';
const topicsOf = <Part>(
  request: WireReader,
  part: (topic: string) => Part,
): { readonly topic: string; readonly parts: Part[] }[] =>
  request.list(() => {
    const topic = request.text();
    return { topic, parts: request.list(() => part(topic)) };
  });

function groupOf({ groups }: PeerState, id: string): PeerGroup {
  const existing = groups.get(id);
  if (existing !== undefined) return existing;
  const created = new PeerGroup();
  groups.set(id, created);
  return created;
}

const produce: Answer = (request, { store, node }) => {
  const name = request.nullableText();
  request.int16();
  request.int32();
  const topics = topicsOf(request, (topic) => {
    const index = request.int32();
    const bytes = request.bytes();
    const partition = store.partition(topic, index);
    const none = (code: number): Produced => ({ code, base: -1n });
    if (partition === undefined) return { index, produced: none(CODES.unknownTopic) };
    if (store.leaderOf(index) !== node) return { index, produced: none(CODES.notLeader) };
    const refused =
      name === null
        ? CODES.none
        : store.transactions.mayWrite(name, bytes.readBigInt64BE(43), bytes.readInt16BE(51), partition);
    return { index, produced: refused === CODES.none ? partition.append(bytes) : none(refused) };
  });
  const response = new WireWriter();
  response.list(topics, ({ topic, parts }) =>
    response
      .text(topic)
      .list(parts, ({ index, produced }) => response.int32(index).int16(produced.code).int64(produced.base).int64(-1)),
  );
  return response.int32(0);
};

const fetch: Answer = async (request, { store }) => {
  request.int32();
  const waitMs = request.int32();
  const minBytes = request.int32();
  request.int32();
  const committedOnly = request.int8() === 1;
  const topics = topicsOf(request, () => ({
    index: request.int32(),
    from: request.int64(),
    maxBytes: request.int32(),
  }));
  const look = () => {
    store.transactions.expire(Date.now());
    return topics.map(({ topic, parts }) => ({
      topic,
      parts: parts.map(({ index, from, maxBytes }) => ({
        index,
        fetched: store.partition(topic, index)?.fetch(from, maxBytes, committedOnly),
      })),
    }));
  };
  const isEnough = (batches: ReturnType<typeof look>): boolean => {
    const all = batches.flatMap(({ parts }) => parts);
    if (all.some(({ fetched }) => fetched === undefined || fetched.code !== CODES.none)) return true;
    return all.reduce((sum, { fetched }) => sum + (fetched?.bytes.length ?? 0), 0) >= minBytes;
  };
  const until = Date.now() + waitMs;
  let batches = look();
  while (!isEnough(batches) && Date.now() < until) {
    const changed = new Promise<void>((resolve) => {
      for (const { topic, parts } of topics)
        for (const { index } of parts) store.partition(topic, index)?.onChange(resolve);
    });
    await Promise.race([changed, after(until - Date.now())]);
    batches = look();
  }
  const response = new WireWriter().int32(0);
  return response.list(batches, ({ topic, parts }) =>
    response.text(topic).list(parts, ({ index, fetched }) => {
      response
        .int32(index)
        .int16(fetched?.code ?? CODES.unknownTopic)
        .int64(fetched?.high ?? -1)
        .int64(fetched?.stable ?? -1);
      response.list(fetched?.aborted ?? [], ({ producer, first }) => response.int64(producer).int64(first));
      response.bytes(fetched?.bytes ?? Buffer.alloc(0));
    }),
  );
};

const LATEST = -1n;
const listOffsets: Answer = (request, { store }) => {
  request.int32();
  const topics = topicsOf(request, () => ({ index: request.int32(), time: request.int64() }));
  const response = new WireWriter();
  return response.list(topics, ({ topic, parts }) =>
    response.text(topic).list(parts, ({ index, time }) => {
      const partition = store.partition(topic, index);
      const offset = partition === undefined ? -1n : time === LATEST ? partition.end : partition.low;
      response
        .int32(index)
        .int16(partition === undefined ? CODES.unknownTopic : CODES.none)
        .int64(-1)
        .int64(offset);
    }),
  );
};

const metadata: Answer = (request, { store, autoCreate }) => {
  const names = request.nullableList(() => request.text()) ?? [...store.topics.keys()];
  if (request.boolean() && autoCreate > 0) for (const name of names) store.create(name, autoCreate);
  const response = new WireWriter().int32(0);
  response.list([...store.nodes], ([id, port]) => response.int32(id).text(HOST).int32(port).text(null));
  response.text('peer').int32(store.coordinator.node);
  return response.list(names, (name) => {
    const partitions = store.topics.get(name);
    response
      .int16(partitions === undefined ? CODES.unknownTopic : CODES.none)
      .text(name)
      .int8(0);
    response.list(partitions ?? [], (partition) => {
      const index = partitions!.indexOf(partition);
      const replicas = [store.leaderOf(index)];
      response.int16(CODES.none).int32(index).int32(store.leaderOf(index));
      response.list(replicas, (id) => response.int32(id)).list(replicas, (id) => response.int32(id));
    });
  });
};

const createTopics: Answer = (request, { store }) => {
  const topics = request.list(() => {
    const topic = request.text();
    const partitions = request.int32();
    request.int16();
    request.list(() => [request.int32(), request.list(() => request.int32())]);
    const config = new Map(request.list(() => [request.text(), request.nullableText()] as const));
    return { topic, created: store.create(topic, Math.max(1, partitions), config) };
  });
  const response = new WireWriter();
  return response.list(topics, ({ topic, created }) =>
    response
      .text(topic)
      .int16(created ? CODES.none : CODES.topicExists)
      .text(null),
  );
};

const findCoordinator: Answer = (_, { store: { coordinator } }) =>
  new WireWriter().int32(0).int16(CODES.none).text(null).int32(coordinator.node).text(HOST).int32(coordinator.port);

const joinGroup: Answer = async (request, state) => {
  const group = groupOf(state, request.text());
  const [sessionMs, rebalanceMs, member] = [request.int32(), request.int32(), request.text()];
  request.text();
  const protocols = request.list(() => ({ name: request.text(), metadata: request.bytes() }));
  const joined = await group.join({ member, sessionMs, rebalanceMs, protocols });
  const response = new WireWriter().int32(0).int16(joined.code).int32(joined.generation);
  response.text(joined.protocol).text(joined.leader).text(joined.member);
  return response.list(joined.members, ({ id, metadata: bytes }) => response.text(id).bytes(bytes));
};

const syncGroup: Answer = async (request, state) => {
  const group = groupOf(state, request.text());
  const [generation, member] = [request.int32(), request.text()];
  const assignments = new Map(request.list(() => [request.text(), request.bytes()] as const));
  const { code, assignment } = await group.sync(member, generation, assignments);
  return new WireWriter().int32(0).int16(code).bytes(assignment);
};

const heartbeat: Answer = (request, state) => {
  const group = groupOf(state, request.text());
  const generation = request.int32();
  return new WireWriter().int32(0).int16(group.heartbeat(request.text(), generation));
};

const leaveGroup: Answer = (request, state) =>
  new WireWriter().int32(0).int16(groupOf(state, request.text()).leave(request.text()));

const offsetCommit: Answer = (request, state) => {
  const group = request.text();
  const generation = request.int32();
  const code = groupOf(state, group).mayCommit(request.text(), generation);
  request.int64();
  const topics = topicsOf(request, (topic) => ({
    group,
    topic,
    partition: request.int32(),
    offset: request.int64(),
    metadata: request.nullableText(),
  }));
  if (code === CODES.none) for (const { parts } of topics) state.store.commit(parts);
  const response = new WireWriter().int32(0);
  return response.list(topics, ({ topic, parts }) =>
    response.text(topic).list(parts, ({ partition }) => response.int32(partition).int16(code)),
  );
};

const offsetFetch: Answer = (request, { store }) => {
  const group = request.text();
  const named = request.nullableList(() => ({ topic: request.text(), parts: request.list(() => request.int32()) }));
  const topics = named ?? store.committedBy(group).map(({ topic, partition }) => ({ topic, parts: [partition] }));
  const response = new WireWriter().int32(0);
  response.list(topics, ({ topic, parts }) =>
    response.text(topic).list(parts, (partition) => {
      const entry = store.committed(group, topic, partition);
      response
        .int32(partition)
        .int64(entry?.offset ?? -1)
        .text(entry?.metadata ?? null)
        .int16(CODES.none);
    }),
  );
  return response.int16(CODES.none);
};

const initProducerId: Answer = (request, { store }) => {
  const name = request.nullableText();
  const { producer, epoch } = store.transactions.init(name, request.int32());
  return new WireWriter().int32(0).int16(CODES.none).int64(producer).int16(epoch);
};

const addPartitions: Answer = (request, { store }) => {
  const [name, producer, epoch] = [request.text(), request.int64(), request.int16()];
  const topics = topicsOf(request, (topic) => ({ index: request.int32(), topic }));
  const partitions = topics.flatMap(({ parts }) => parts.map(({ topic, index }) => store.partition(topic, index)));
  const existing = partitions.filter((partition) => partition !== undefined);
  const code =
    existing.length < partitions.length
      ? CODES.unknownTopic
      : store.transactions.addPartitions(name, producer, epoch, existing);
  const response = new WireWriter().int32(0);
  return response.list(topics, ({ topic, parts }) =>
    response.text(topic).list(parts, ({ index }) => response.int32(index).int16(code)),
  );
};

const addOffsets: Answer = (request, { store }) => {
  const [name, producer, epoch] = [request.text(), request.int64(), request.int16()];
  return new WireWriter().int32(0).int16(store.transactions.addGroup(name, producer, epoch, request.text()));
};

const endTransaction: Answer = (request, { store }) => {
  const [name, producer, epoch] = [request.text(), request.int64(), request.int16()];
  return new WireWriter().int32(0).int16(store.transactions.end(name, producer, epoch, request.boolean()));
};

const commitInTransaction: Answer = (request, { store }) => {
  const [name, group, producer, epoch] = [request.text(), request.text(), request.int64(), request.int16()];
  const topics = topicsOf(request, (topic) => ({
    group,
    topic,
    partition: request.int32(),
    offset: request.int64(),
    metadata: request.nullableText(),
  }));
  const code = store.transactions.commitLater(
    name,
    producer,
    epoch,
    topics.flatMap(({ parts }) => parts),
  );
  const response = new WireWriter().int32(0);
  return response.list(topics, ({ topic, parts }) =>
    response.text(topic).list(parts, ({ partition }) => response.int32(partition).int16(code)),
  );
};

export const APIS: readonly Api[] = [
  { name: 'Produce', key: 0, version: 3, answer: produce },
  { name: 'Fetch', key: 1, version: 4, answer: fetch },
  { name: 'ListOffsets', key: 2, version: 1, answer: listOffsets },
  { name: 'Metadata', key: 3, version: 4, answer: metadata },
  { name: 'OffsetCommit', key: 8, version: 3, answer: offsetCommit },
  { name: 'OffsetFetch', key: 9, version: 3, answer: offsetFetch },
  { name: 'FindCoordinator', key: 10, version: 1, answer: findCoordinator },
  { name: 'JoinGroup', key: 11, version: 2, answer: joinGroup },
  { name: 'Heartbeat', key: 12, version: 1, answer: heartbeat },
  { name: 'LeaveGroup', key: 13, version: 1, answer: leaveGroup },
  { name: 'SyncGroup', key: 14, version: 1, answer: syncGroup },
  { name: 'CreateTopics', key: 19, version: 1, answer: createTopics },
  { name: 'InitProducerId', key: 22, version: 0, answer: initProducerId },
  { name: 'AddPartitionsToTxn', key: 24, version: 0, answer: addPartitions },
  { name: 'AddOffsetsToTxn', key: 25, version: 0, answer: addOffsets },
  { name: 'EndTxn', key: 26, version: 0, answer: endTransaction },
  { name: 'TxnOffsetCommit', key: 28, version: 0, answer: commitInTransaction },
];

const API_VERSIONS = { key: 18, newest: 2 };

/** The answer to the call that tells which calls there are, in the versions 0 to 2. */
export function versionsAnswer(version: number): WireWriter {
  const response = new WireWriter().int16(version > API_VERSIONS.newest ? CODES.unsupported : CODES.none);
  const spans = [
    ...APIS.map(({ key, version: only }) => [key, only, only] as const),
    [API_VERSIONS.key, 0, API_VERSIONS.newest] as const,
  ];
  response.list(spans, ([key, from, to]) => response.int16(key).int16(from).int16(to));
  return version === 0 || version > API_VERSIONS.newest ? response : response.int32(0);
}
export const VERSIONS_KEY = API_VERSIONS.key;
