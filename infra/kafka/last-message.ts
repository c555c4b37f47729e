import type { Kafka } from 'kafkajs';
import { NotYet } from '../../domain/ports/reactors.ts';
import { atMost, withAdmin } from './failures.ts';

const READ_MS = 60_000;
const END_MS = 5_000;
/** Offsets after the last committed message: its marker, and messages of aborted transactions. */
const FIRST_LOOK_BACK = 16n;

/** The last committed message of a topic with one partition; null where there is none. `group` is used once and leaves nothing behind. */
export async function readLastMessage(kafka: Kafka, topic: string, group: string): Promise<Buffer | null> {
  const offsets = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic));
  const [low, high] = [BigInt(offsets[0]!.low), BigInt(offsets[0]!.high)];
  for (let back = FIRST_LOOK_BACK; ; back *= 16n) {
    const from = high - back > low ? high - back : low;
    const found = await readFrom(kafka, { topic, group: `${group}.${back}`, from, end: high });
    if (found !== null || from === low) return found;
  }
}

interface Stretch {
  readonly topic: string;
  readonly group: string;
  readonly from: bigint;
  /** Exclusive. */
  readonly end: bigint;
}

async function readFrom(kafka: Kafka, { topic, group, from, end }: Stretch): Promise<Buffer | null> {
  if (from >= end) return null;
  const consumer = kafka.consumer({
    groupId: group,
    allowAutoTopicCreation: false,
    maxWaitTimeInMs: 100,
    retry: { restartOnFailure: async () => false },
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => undefined);
  const timer = setTimeout(() => reject(new NotYet(`${topic} was not read to its end in time`)), READ_MS);
  let last: { readonly offset: bigint; readonly value: Buffer } | null = null;
  // Called also for batches of markers only.
  consumer.on('consumer.end_batch_process', ({ payload }) => {
    if (BigInt(payload.lastOffset) >= end - 1n) resolve();
  });
  let crashed = false;
  consumer.on('consumer.crash', ({ payload }) => {
    crashed = true;
    reject(payload.error);
  });
  try {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch }) => {
        const message = batch.messages.at(-1);
        if (message === undefined || message.value === null) return;
        const offset = BigInt(message.offset);
        if (offset < end && (last === null || offset > last.offset)) last = { offset, value: message.value };
      },
    });
    // A run that failed at once has emitted its event already, and cannot be positioned.
    if (!crashed) consumer.seek({ topic, partition: 0, offset: String(from) });
    await promise;
    return (last as { readonly value: Buffer } | null)?.value ?? null;
  } finally {
    clearTimeout(timer);
    await atMost(END_MS, consumer.disconnect());
  }
}
