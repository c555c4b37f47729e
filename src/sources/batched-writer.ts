import type { RecordOutcome } from '../../commands/records/handle-each.ts';
import type { RecordChange, RecordWriter } from '../../commands/records/write-records.ts';
import { MAX_BATCH_BYTES, type Position } from '../../domain/ports/event-log.ts';

const CHANGES_A_BATCH = 500;

/** Length of the texts of a change, in UTF-16 code units. */
function sizeOf(change: RecordChange): number {
  if (change.op === 'remove') return 0;
  return Object.values(change.content as object).reduce(
    (sum: number, value: unknown) => sum + (typeof value === 'string' ? value.length : 0),
    0,
  );
}

const newBatch = () => ({ changes: [] as RecordChange[], records: new Set<string>(), bytes: 0 });
type Batch = ReturnType<typeof newBatch>;

/** Keeps the changes of one record in order. Awaits `onRejected`, so that a slow disk slows down an import. */
export class BatchedWriter {
  appended = 0;
  unchanged = 0;
  /** Number of removes among the appended changes. */
  removed = 0;
  rejected = 0;
  /** Position of the newest event; null without one. */
  position: Position | null = null;
  #batch = newBatch();
  #sending: Promise<void> = Promise.resolve();
  /** A batch that failed stays, so that the next one and `flush` throw its error. */
  readonly #underWay = new Map<Batch, Promise<void>>();
  readonly #writer: RecordWriter;
  readonly #concurrency: number;
  readonly #onRejected: (change: RecordChange, reason: string) => Promise<void> | void;

  /** A `concurrency` of 1 writes everything in the order in which it was added. */
  constructor(
    writer: RecordWriter,
    concurrency: number,
    onRejected: (change: RecordChange, reason: string) => Promise<void> | void,
  ) {
    this.#writer = writer;
    this.#concurrency = concurrency;
    this.#onRejected = onRejected;
  }

  /** Resolves when there is room for more; rejects with the error of a write. */
  async add(changes: readonly RecordChange[]): Promise<void> {
    for (const change of changes) await this.addOne(change, sizeOf(change));
  }

  /** The same, of a change whose text has so many bytes: large ones are written few at a time. */
  async addOne(change: RecordChange, bytes: number): Promise<void> {
    const batch = this.#batch;
    batch.changes.push(change);
    batch.records.add(`${change.resource} ${change.id.toLowerCase()}`);
    batch.bytes += bytes;
    if (batch.changes.length === CHANGES_A_BATCH || batch.bytes >= MAX_BATCH_BYTES) await this.#send();
  }

  async flush(): Promise<void> {
    await this.#send();
    await Promise.all(this.#underWay.values());
  }

  #send(): Promise<void> {
    this.#sending = this.#start(this.#sending, this.#batch);
    this.#batch = newBatch();
    return this.#sending;
  }

  async #start(before: Promise<void>, batch: Batch): Promise<void> {
    await before;
    while (this.#underWay.size >= this.#concurrency) await Promise.race(this.#underWay.values());
    for (const [other, done] of this.#underWay) if (!batch.records.isDisjointFrom(other.records)) await done;
    const writing = this.#write(batch.changes).then(() => void this.#underWay.delete(batch));
    writing.catch(() => undefined);
    this.#underWay.set(batch, writing);
  }

  async #write(changes: readonly RecordChange[]): Promise<void> {
    if (changes.length === 0) return;
    const outcomes = await this.#writer.write(changes, {});
    for (const [index, outcome] of outcomes.entries()) await this.#count(changes[index]!, outcome);
  }

  async #count(change: RecordChange, outcome: RecordOutcome): Promise<void> {
    this[outcome.kind] += 1;
    if (outcome.kind === 'rejected') await this.#onRejected(change, outcome.reason);
    if (outcome.kind !== 'appended') return;
    if (change.op === 'remove') this.removed += 1;
    if (this.position === null || outcome.position > this.position) this.position = outcome.position;
  }
}
