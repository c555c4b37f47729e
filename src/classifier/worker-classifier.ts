import type { Worker } from 'node:worker_threads';
import {
  type ClassificationSubject,
  type ClassifiedHit,
  type Classifier,
  NotClassified,
} from '../../domain/ports/classifier.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { TaskFailed, WorkerQueue } from '../../plumbing/worker-queue.ts';
import type { Question } from './answer-subjects.ts';
import { boundedSubject } from './bounded-subject.ts';

/**
 * Processor time of one item. It takes a few milliseconds, the first one of a worker a few hundred, while its rules are
 * compiled. Time in which a busy machine does not run the worker does not count.
 */
export const ITEM_DEADLINE_MS = 2_000;
/** Limit of the worker's heap. Topics and one item need a tenth of it. */
const MEMORY_MB = 256;

export const CLASSIFICATION_WORKER = new URL('classification-worker.ts', import.meta.url);

type Topics = readonly RecordData<'topics'>[];

interface Task {
  readonly subject: ClassificationSubject;
  readonly topics: Topics;
}

interface WorkerClassifierOptions extends Pick<Classifier, 'name' | 'formerNames'> {
  /** The module of the worker thread. */
  readonly entry: URL;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Milliseconds of processor time after which an item without a result is overdue. */
  readonly deadlineMs: number;
}

/** A classifier in a worker thread, so that no text blocks the event loop. */
export class WorkerClassifier implements Classifier {
  readonly name: string;
  readonly formerNames: readonly string[];
  readonly #queue: WorkerQueue<Task, readonly ClassifiedHit[]>;
  /** Topics that were last sent to each worker. */
  readonly #topics = new WeakMap<Worker, Topics>();

  constructor({ name, formerNames, entry, clock, deadlineMs }: WorkerClassifierOptions) {
    this.name = name;
    this.formerNames = formerNames;
    const send = (worker: Worker, task: Task): void => this.#send(worker, task);
    const limits = { deadlineMs, memoryMb: MEMORY_MB, sentAhead: Infinity };
    this.#queue = new WorkerQueue({ of: 'the classifier', entry, clock, ...limits, send });
  }

  async classify(subject: ClassificationSubject, topics: Topics): Promise<readonly ClassifiedHit[]> {
    try {
      return await this.#queue.run({ subject: boundedSubject(subject), topics });
    } catch (error) {
      throw error instanceof TaskFailed ? new NotClassified(error.message) : error;
    }
  }

  /** Rejects waiting items and terminates the worker. */
  close(): Promise<void> {
    return this.#queue.close();
  }

  #send(worker: Worker, { subject, topics }: Task): void {
    const post = (question: Question): void => worker.postMessage(question);
    if (this.#topics.get(worker) !== topics) post({ topics });
    this.#topics.set(worker, topics);
    post({ subject });
  }
}
