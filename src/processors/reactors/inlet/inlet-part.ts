import { parseChange, type RecordChange, type RecordWriter } from '../../../../commands/records/write-records.ts';
import { derivedId } from '../../../../domain/identifiers.ts';
import type { EventLog, EventMetadata } from '../../../../domain/ports/event-log.ts';
import type {
  InletMessage,
  InletPart,
  InletPartTaker,
  InletStore,
  RefusedMessage,
  TakenPart,
} from '../../../../domain/ports/kafka.ts';
import { LeaseLost } from '../../../../plumbing/while-leased.ts';
import { chunksOf } from '../../../../plumbing/chunks.ts';

export interface InletDependencies {
  readonly store: InletStore;
  readonly log: EventLog;
  readonly writer: RecordWriter;
  /** Stores messages that do not parse or whose change was rejected. A crash might store the same ones twice. */
  readonly putAside: (refused: readonly RefusedMessage[]) => Promise<void>;
  readonly counters: { appended: number; unchanged: number; rejected: number };
}

const MESSAGES_AT_ONCE = 500;

/**
 * Applies each message exactly once. Before an append, a claim is stored: the command id, the end offset and the
 * revision of each stream. After a crash the next owner finds the appended changes in the streams and repeats the rest
 * under the same command id. A stored change is never repeated, so an older change cannot overwrite a newer one.
 */
export function createInletPart(deps: InletDependencies, part: InletPart): InletPartTaker {
  let acquired: TakenPart | null = null;
  /** Messages that were read but not written. */
  let waiting: readonly InletMessage[] = [];

  return {
    async from(end) {
      const isFresh = acquired === null;
      acquired ??= await deps.store.take(part);
      if (end >= acquired.next) return { offset: acquired.next, isFresh };
      throw new Error(
        `partition ${part.partition} of ${part.topic} ends at ${end}, and was processed up to ${acquired.next}: it is another topic with the same name; rename it`,
      );
    },
    async take(messages, reached, confirmOwner) {
      if (acquired === null) throw new Error('messages arrived for a partition that was not acquired');
      const { next } = acquired;
      waiting = [...waiting, ...messages.filter(({ offset }) => offset >= next)];
      for (;;) {
        const { claim }: TakenPart = acquired;
        // An interrupted portion is repeated as a whole, so its last message must have been read.
        if (claim !== null && reached < claim.to) return acquired.next;
        const portion: readonly InletMessage[] =
          claim === null ? waiting.slice(0, MESSAGES_AT_ONCE) : waiting.filter(({ offset }) => offset < claim.to);
        const last = portion.at(-1);
        if (claim === null && last === undefined) return acquired.next;
        const to: bigint = claim?.to ?? last!.offset + 1n;
        await giveCommand(deps, part, acquired, portion, to);
        waiting = waiting.slice(portion.length);
        acquired = { token: acquired.token, next: to, claim: null };
        await confirmOwner();
      }
    },
  };
}

async function giveCommand(
  { store, log, writer, putAside, counters }: InletDependencies,
  part: InletPart,
  { token, next, claim }: TakenPart,
  portion: readonly InletMessage[],
  to: bigint,
): Promise<void> {
  const commandId = claim?.commandId ?? derivedId('inlet', part.topic, part.partition, String(next));
  const refused: RefusedMessage[] = [];
  const valid: { readonly message: InletMessage; readonly change: RecordChange }[] = [];
  for (const message of portion) {
    const change = message.value === null ? 'the message has no value' : parseChange(message.value, 'message');
    if (typeof change === 'string') refused.push({ ...message, part, reason: change });
    else valid.push({ message, change });
  }
  const outcomes = await writer.write(
    valid.map(({ change }) => change),
    {},
    {
      commandId,
      numbers: valid.map(({ message }) => Number(message.offset - next)),
      stored: await storedStreams(log, commandId, claim?.revisions ?? new Map()),
      claim: async (revisions) => {
        if (!(await store.claim(part, token, { commandId, to, revisions }))) throw leaseLost(part);
      },
    },
  );
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.kind === 'rejected') refused.push({ ...valid[index]!.message, part, reason: outcome.reason });
  }
  if (refused.length > 0) await putAside(refused);
  if (!(await store.complete(part, token, to))) throw leaseLost(part);
  for (const { kind } of outcomes) if (kind !== 'rejected') counters[kind] += 1;
  counters.rejected += refused.length;
}

const leaseLost = ({ topic, partition }: InletPart) =>
  new LeaseLost(`partition ${partition} of ${topic} was acquired by another process`);

const STREAMS_AT_ONCE = 32;

/** Returns the streams with an event of the command: the first one after the claimed revision. */
async function storedStreams(
  log: EventLog,
  commandId: string,
  revisions: ReadonlyMap<string, number>,
): Promise<ReadonlySet<string>> {
  const stored = new Set<string>();
  const look = async ([stream, revision]: readonly [string, number]): Promise<void> => {
    const [event] = await log.readStream(stream, revision, 1);
    if (event !== undefined && (JSON.parse(event.metadata) as EventMetadata).commandId === commandId)
      stored.add(stream);
  };
  for (const streams of chunksOf([...revisions], STREAMS_AT_ONCE)) await Promise.all(streams.map(look));
  return stored;
}
