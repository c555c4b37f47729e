import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Inlet, InletPart, InletPartTaker, RefusedMessage } from '../../domain/ports/kafka.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { Backoff } from '../../plumbing/retry.ts';
import { disconnected, withAdmin } from './connection.ts';
import { toFailure, callBrokers, isMissingTopic, type KafkaUse } from './failures.ts';
import { idempotentProducer, openPartitionSender } from './partition-sender.ts';

interface InletParts {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly times?: { readonly sessionMs: number; readonly againMs: number } | undefined;
}

/** The group notices a dead member after `sessionMs`. Another member receives its partitions at the next heartbeat. */
const TIMES = { sessionMs: 8_000, againMs: 2_000 };
/** Milliseconds in which a member that is still processing messages must rejoin the group. */
const REBALANCE_MS = 30_000;
const MAX_PAUSE_MS = 30_000;
const WAIT_MS = 500;
const END_MS = 10_000;
export const inletGroup = (topic: string): string => `civic.inlet.${topic}`;

export const inletRights = (topic: string): KafkaUse['rights'] => ({
  TOPIC_AUTHORIZATION_FAILED: `Describe and Read on the topic ${topic}`,
  GROUP_AUTHORIZATION_FAILED: `Read on the group ${inletGroup(topic)}`,
});

/** Creates an inlet, which shares the partitions with the inlets of other processes as one consumer group. */
export function openInlet(parts: InletParts): Inlet {
  const { kafka, topic, clock, logger, times = TIMES } = parts;
  const rejected = createRejectedTopic(kafka, topic);
  return {
    putAside: rejected.putAside,
    async run(createPart, stopping) {
      const backoff = new Backoff(times.againMs, MAX_PAUSE_MS);
      let logged = '';
      while (!stopping.aborted) {
        try {
          await consumeUntilEnd({ ...parts, times }, createPart, stopping, () => {
            backoff.reset();
            logged = '';
          });
        } catch (error) {
          const failure = toFailure(error, { kafka, rights: inletRights(topic) });
          const reason = isMissingTopic(error) ? `there is no topic ${topic}; it is waited for` : failure.message;
          // Log a lasting failure only once.
          if (reason !== logged) logger.warn({ topic, error: reason }, 'the inlet was interrupted');
          logged = reason;
        }
        await clock.sleep(backoff.take(), stopping).catch(() => undefined);
      }
      await rejected.end();
    },
  };
}

async function consumeUntilEnd(
  { kafka, topic, logger, times: { sessionMs } }: Required<InletParts>,
  createPart: (part: InletPart) => InletPartTaker,
  stopping: AbortSignal,
  onTaking: () => void,
): Promise<void> {
  const heartbeatMs = sessionMs / 10;
  const consumer = kafka.consumer({
    groupId: inletGroup(topic),
    allowAutoTopicCreation: false,
    sessionTimeout: sessionMs,
    rebalanceTimeout: REBALANCE_MS,
    heartbeatInterval: heartbeatMs,
    maxWaitTimeInMs: WAIT_MS,
    // A crash of the client ends this run, and the next run opens a new consumer.
    retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000, restartOnFailure: async () => false },
  });
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  ended.catch(() => undefined);
  const onStop = (): void => resolve();
  stopping.addEventListener('abort', onStop, { once: true });
  const taking = new Map<number, InletPartTaker>();
  consumer.on('consumer.crash', ({ payload }) => reject(payload.error));
  // Another member might have had our partitions in between, so their progress is loaded again after each join.
  consumer.on('consumer.group_join', ({ payload }) => {
    taking.clear();
    onTaking();
    logger.info({ topic, partitions: payload.memberAssignment[topic] ?? [] }, 'the inlet joined its group');
  });
  try {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: async (payload) => {
        const { partition } = payload.batch;
        try {
          const taker = taking.get(partition) ?? createPart({ topic, partition });
          taking.set(partition, taker);
          await takeBatch(consumer, taker, payload, heartbeatMs);
        } catch (error) {
          taking.delete(partition);
          logger.warn({ topic, partition, error: (error as Error).message }, 'messages could not be processed yet');
          throw error;
        }
      },
    });
    if (!stopping.aborted) await ended;
  } finally {
    stopping.removeEventListener('abort', onStop);
    await disconnected(consumer, END_MS);
  }
}

async function takeBatch(
  consumer: Consumer,
  taker: InletPartTaker,
  payload: EachBatchPayload,
  heartbeatMs: number,
): Promise<void> {
  const { batch } = payload;
  if (!payload.isRunning() || payload.isStale()) return;
  const { topic, partition } = batch;
  const { offset, isFresh } = await taker.from(BigInt(batch.highWatermark));
  if (isFresh && BigInt(batch.firstOffset() ?? offset) !== offset) {
    // The offset stored by the brokers can be older than ours, or missing.
    consumer.seek({ topic, partition, offset: String(offset) });
    return;
  }
  const messages = batch.messages.map(({ offset: at, key, value }) => ({ offset: BigInt(at), key, value }));
  // Processing can last longer than a session. A failed heartbeat is ignored here: the next awaited heartbeat throws.
  const beating = setInterval(() => void payload.heartbeat().catch(() => undefined), heartbeatMs);
  const completed = await taker
    .take(messages, BigInt(batch.lastOffset()) + 1n, () => payload.heartbeat())
    .finally(() => clearInterval(beating));
  payload.resolveOffset(batch.messages.at(-1)!.offset);
  await consumer.commitOffsets([{ topic, partition, offset: String(completed) }]);
  await payload.heartbeat();
}

const REASON_LENGTH = 1_000;

/**
 * Creates the writer of the topic for invalid messages and rejected changes, each with its reason and origin. Connects
 * for the first message.
 */
function createRejectedTopic(kafka: Kafka, topic: string) {
  const name = `${topic}.rejected`;
  const use = { kafka, rights: { TOPIC_AUTHORIZATION_FAILED: `Create, Describe and Write on the topic ${name}` } };
  let connected: ReturnType<typeof connect> | null = null;
  const connect = async () => {
    await withAdmin(kafka, (admin) =>
      admin.createTopics({ topics: [{ topic: name, numPartitions: 1 }], waitForLeaders: true }),
    );
    const send = await openPartitionSender(kafka, name);
    const producer = idempotentProducer(kafka);
    await producer.connect();
    return { producer, send };
  };
  const end = async (): Promise<void> => {
    const ending = connected;
    connected = null;
    await disconnected({ disconnect: async () => (await ending)?.producer.disconnect() });
  };
  return {
    end,
    putAside: (refused: readonly RefusedMessage[]) =>
      callBrokers(use, async () => {
        try {
          const { producer, send } = await (connected ??= connect());
          const messages = refused.map(({ part, offset, key, value, reason }) => ({
            key,
            value,
            headers: {
              'civic-reason': reason.slice(0, REASON_LENGTH),
              'civic-topic': part.topic,
              'civic-partition': String(part.partition),
              'civic-offset': String(offset),
            },
          }));
          await send(producer, messages);
        } catch (error) {
          // It is unknown if the messages are stored. The next producer starts a new sequence.
          await end();
          throw error;
        }
      }),
  };
}
