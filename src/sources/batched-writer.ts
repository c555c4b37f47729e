import type { RecordChange, RecordWriter } from '../../commands/records/record-writer.ts';
import type { Position } from '../../domain/ports/event-log.ts';

const BATCH = 500;

export interface RejectedChange {
  readonly resource: string;
  readonly id: string;
  readonly reason: string;
}

/** Collects changes, writes them 500 at a time and counts the outcomes. One batch is written at a time. */
export class BatchedWriter {
  appended = 0;
  unchanged = 0;
  removed = 0;
  readonly rejected: RejectedChange[] = [];
  /** Position of the newest event written; null without one. */
  position: Position | null = null;
  #pending: RecordChange[] = [];
  #writing: Promise<void> = Promise.resolve();
  readonly #writer: RecordWriter;

  constructor(writer: RecordWriter) {
    this.#writer = writer;
  }

  /** Resolves when there is room for more; rejects with the error of a write. */
  async add(changes: readonly RecordChange[]): Promise<void> {
    this.#pending.push(...changes);
    if (this.#pending.length < BATCH) return;
    await this.#queue(BATCH);
  }

  async flush(): Promise<void> {
    await this.#queue(1);
  }

  #queue(atLeast: number): Promise<void> {
    this.#writing = this.#drain(this.#writing, atLeast);
    return this.#writing;
  }

  async #drain(previous: Promise<void>, atLeast: number): Promise<void> {
    await previous;
    while (this.#pending.length >= atLeast) {
      const batch = this.#pending.slice(0, BATCH);
      this.#pending = this.#pending.slice(BATCH);
      await this.#write(batch);
    }
  }

  async #write(batch: readonly RecordChange[]): Promise<void> {
    const outcomes = await this.#writer.write(batch, {});
    for (const [index, outcome] of outcomes.entries()) {
      const change = batch[index];
      if (change === undefined) continue;
      if (outcome.kind === 'unchanged') this.unchanged += 1;
      else if (outcome.kind === 'rejected') this.rejected.push({ resource: change.resource, id: change.id, reason: outcome.reason });
      else {
        this.appended += 1;
        if (change.op === 'remove') this.removed += 1;
        if (this.position === null || outcome.position > this.position) this.position = outcome.position;
      }
    }
  }
}
