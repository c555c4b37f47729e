import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import { Backoff } from '../../domain/retry.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { InletMessage, InletPart } from '../../domain/ports/kafka.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { asFailure, atMost } from './failures.ts';
import { causes, type NeededRights } from './refusals.ts';

/** Takes the messages of one partition and stores the offset up to which every message was processed. */
export interface PartTaker {
  from(end: bigint): Promise<{ readonly offset: bigint; readonly isFresh: boolean }>;
  take(messages: readonly InletMessage[], reached: bigint, stillThere: () => Promise<void>): Promise<bigint>;
}

export interface InletConsumerParts {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly createPart: (part: InletPart) => PartTaker;
  readonly times?: { readonly sessionMs: number; readonly againMs: number } | undefined;
}

/** The group notices a dead member after `sessionMs`; another member takes its partitions over at its next heartbeat. */
const TIMES = { sessionMs: 8_000, againMs: 2_000 };
/** Milliseconds that a member has to rejoin the group when it is processing a portion. */
const REBALANCE_MS = 30_000;
const MAX_PAUSE_MS = 30_000;
const END_MS = 10_000;

export const inletGroup = (topic: string): string => `civic.inlet.${topic}`;

export const inletRights = (topic: string): NeededRights => ({
  TOPIC_AUTHORIZATION_FAILED: `Describe and Read on the topic ${topic}`,
  GROUP_AUTHORIZATION_FAILED: `Read on the group ${inletGroup(topic)}`,
});

const WAIT_MS = 500;

/** Takes messages in a group with the inlets of all other processes, until the signal aborts. Retries after every failure. */
export async function runInletConsumer(parts: InletConsumerParts, stopping: AbortSignal): Promise<void> {
  const { clock, logger, topic, times = TIMES } = parts;
  const backoff = new Backoff(times.againMs, MAX_PAUSE_MS);
  let logged = '';
  while (!stopping.aborted) {
    try {
      await consumeUntilEnd(parts, stopping, () => {
        backoff.reset();
        logged = '';
      });
    } catch (error) {
      const reason = reasonOf(parts, error);
      // A lasting failure is logged once.
      if (reason !== logged) logger.warn({ topic, error: reason }, 'the inlet was interrupted');
      logged = reason;
    }
    await clock.sleep(backoff.take(), stopping).catch(() => undefined);
  }
}

function reasonOf({ kafka, topic }: InletConsumerParts, error: unknown): string {
  if ([...causes(error)].some(({ type }) => type === 'UNKNOWN_TOPIC_OR_PARTITION')) return `there is no topic ${topic}; it is waited for`;
  return asFailure(error, { kafka, rights: inletRights(topic) }).message;
}

async function consumeUntilEnd(
  { kafka, topic, logger, createPart, times = TIMES }: InletConsumerParts,
  stopping: AbortSignal,
  onTaking: () => void,
): Promise<void> {
  const consumer = kafka.consumer({
    groupId: inletGroup(topic),
    allowAutoTopicCreation: false,
    sessionTimeout: times.sessionMs,
    rebalanceTimeout: REBALANCE_MS,
    heartbeatInterval: times.sessionMs / 10,
    maxWaitTimeInMs: WAIT_MS,
    // A crash of the client ends this run; the next run opens a new consumer.
    retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000, restartOnFailure: async () => false },
  });
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  ended.catch(() => undefined);
  const onStop = (): void => resolve();
  stopping.addEventListener('abort', onStop, { once: true });
  const taking = new Map<number, PartTaker>();
  consumer.on('consumer.crash', ({ payload }) => reject(payload.error));
  // In a new generation of the group another member may have had our partitions: each one is loaded again.
  consumer.on('consumer.group_join', ({ payload }) => {
    taking.clear();
    onTaking();
    logger.info({ topic, partitions: payload.memberAssignment[topic] ?? [] }, 'the inlet takes from its partitions');
  });
  const partOf = (partition: number): PartTaker => {
    const known = taking.get(partition) ?? createPart({ topic, partition });
    taking.set(partition, known);
    return known;
  };
  try {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: async (payload) => {
        try {
          await takeBatch(consumer, partOf(payload.batch.partition), payload, times.sessionMs / 10);
        } catch (error) {
          taking.delete(payload.batch.partition);
          logger.warn({ topic, partition: payload.batch.partition, error: (error as Error).message }, 'messages could not be taken yet');
          throw error;
        }
      },
    });
    if (!stopping.aborted) await ended;
  } finally {
    stopping.removeEventListener('abort', onStop);
    await atMost(END_MS, consumer.disconnect());
  }
}

async function takeBatch(consumer: Consumer, taker: PartTaker, payload: EachBatchPayload, heartbeatMs: number) {
  const { batch } = payload;
  if (!payload.isRunning() || payload.isStale()) return;
  const { topic, partition } = batch;
  const { offset, isFresh } = await taker.from(BigInt(batch.highWatermark));
  if (isFresh && BigInt(batch.firstOffset() ?? offset) !== offset) {
    // The offset that the brokers store may be older than ours, or missing.
    consumer.seek({ topic, partition, offset: String(offset) });
    return;
  }
  const messages = batch.messages.map(({ offset: at, key, value }) => ({ offset: BigInt(at), key, value }));
  // A portion may take longer than a session. The error of a heartbeat is thrown by the next heartbeat that is awaited.
  const beating = setInterval(() => void payload.heartbeat().catch(() => undefined), heartbeatMs);
  const completed = await taker
    .take(messages, BigInt(batch.lastOffset()) + 1n, () => payload.heartbeat())
    .finally(() => clearInterval(beating));
  payload.resolveOffset(batch.messages.at(-1)!.offset);
  await consumer.commitOffsets([{ topic, partition, offset: String(completed) }]);
  await payload.heartbeat();
}
