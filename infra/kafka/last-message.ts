import type { Kafka } from 'kafkajs';
import { NotYet } from '../../domain/ports/reactors.ts';
import { disconnected, withAdmin } from './connection.ts';

const READ_MS = 60_000;
/** Offsets after the last committed message: its marker, and messages of aborted transactions. */
const FIRST_LOOK_BACK = 16n;

/** The last committed message of a topic with one partition; null where there is none. `group` is used once and leaves nothing behind. */
export async function readLastMessage(kafka: Kafka, topic: string, group: string): Promise<Buffer | null> {
  const offsets = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic));
  const [low, high] = [BigInt(offsets[0]!.low), BigInt(offsets[0]!.high)];
  if (low === high) return null;
  for (let back = FIRST_LOOK_BACK; ; back *= 16n) {
    const from = high - back > low ? high - back : low;
    const found = await readFrom(kafka, topic, `${group}.${back}`, { from, end: high });
    if (found !== null || from === low) return found;
  }
}

/** The last committed message between two offsets, `end` exclusive. */
async function readFrom(
  kafka: Kafka,
  topic: string,
  groupId: string,
  { from, end }: { readonly from: bigint; readonly end: bigint },
): Promise<Buffer | null> {
  const retry = { restartOnFailure: async () => false };
  const consumer = kafka.consumer({ groupId, allowAutoTopicCreation: false, maxWaitTimeInMs: 100, retry });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => undefined);
  const timer = setTimeout(() => reject(new NotYet(`${topic} was not read to its end in time`)), READ_MS);
  const found: { offset: bigint; value: Buffer | null } = { offset: -1n, value: null };
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
        const { offset, value } = batch.messages.at(-1) ?? { offset: '-1', value: null };
        if (value !== null && BigInt(offset) < end && BigInt(offset) > found.offset)
          Object.assign(found, { offset: BigInt(offset), value });
      },
    });
    // A run that failed at once has emitted its event already, and cannot be positioned.
    if (!crashed) consumer.seek({ topic, partition: 0, offset: String(from) });
    await promise;
    return found.value;
  } finally {
    clearTimeout(timer);
    await disconnected(consumer);
  }
}
