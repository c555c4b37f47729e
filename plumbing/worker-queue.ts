import { Worker } from 'node:worker_threads';
import type { Clock } from '../domain/ports/clock.ts';

/** Interval between checks of a worker. */
const CHECK_MS = 250;
/** Processor time between two checks that a worker uses for the checks themselves. */
const IDLE_MS = 2;
/** A worker that waits for nothing stops using its processor; the machine can delay it for seconds only. */
const MAX_IDLE_MS = 30_000;

/** Messages of a worker: `ready` first, followed by one for each task, in order. */
export type WorkerAnswer<Result> = 'ready' | { readonly result: Result } | { readonly failure: string };

/** The task is the cause of the failure and would fail again. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed';
}

interface WorkerQueueOptions<Task> {
  /** Name of the worker in messages, such as "the classifier". */
  readonly of: string;
  /** The module of the worker thread. */
  readonly entry: URL;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Milliseconds of processor time after which a task without a result is overdue. */
  readonly deadlineMs: number;
  /** Limit of the worker's heap in megabytes; also of its memory outside the heap. */
  readonly memoryMb: number;
  /** Number of tasks that are sent before the first is answered. */
  readonly sentAhead: number;
  readonly send: (worker: Worker, task: Task) => void;
}

interface Waiting<Task, Result> {
  readonly task: Task;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

interface Running {
  readonly worker: Worker;
  /** Number of waiting tasks that were sent to it. */
  sent: number;
  isReady: boolean;
}

interface Usage {
  readonly running: Running;
  readonly answers: number;
  readonly usedMs: number;
  readonly outsideHeapMb: number;
}

/**
 * Runs tasks in a worker thread, so that none blocks the event loop or exhausts the memory.
 * - No worker: until the first task. A worker that cannot start rejects all tasks that wait.
 * - Starting: tasks are sent, and the deadline does not run.
 * - Ready: the worker answers in the order of the tasks. Each answer restarts the deadline.
 * - Replaced: an overdue, idle, too large or failed worker is terminated, its first task is rejected with `TaskFailed`, and the others go to a new worker.
 * - Closed: nothing waits, and no worker runs.
 */
export class WorkerQueue<Task, Result> {
  readonly #options: WorkerQueueOptions<Task>;
  readonly #closing = new AbortController();
  readonly #waiting: Waiting<Task, Result>[] = [];
  #running: Running | null = null;
  /** Answers so far, of all workers. */
  #answers = 0;
  #isWatching = false;

  constructor(options: WorkerQueueOptions<Task>) {
    this.#options = options;
  }

  run(task: Task): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#closing.signal.throwIfAborted();
      this.#waiting.push({ task, resolve, reject });
      this.#send();
      if (!this.#isWatching) void this.#watch();
    });
  }

  /** Rejects waiting tasks and terminates the worker. */
  async close(): Promise<void> {
    this.#closing.abort(new Error(`${this.#options.of} is closed`));
    this.#rejectAll(this.#closing.signal.reason as Error);
    const running = this.#running;
    this.#running = null;
    await running?.worker.terminate();
  }

  #send(): void {
    const { sentAhead, send } = this.#options;
    const running = (this.#running ??= this.#start());
    for (const { task } of this.#waiting.slice(running.sent, sentAhead)) {
      running.sent += 1;
      send(running.worker, task);
    }
  }

  #start(): Running {
    const { entry, memoryMb } = this.#options;
    const worker = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
    worker.unref();
    const running: Running = { worker, sent: 0, isReady: false };
    worker.on('message', (answer: WorkerAnswer<Result>) => {
      if (this.#running === running) this.#take(running, answer);
    });
    worker.on('error', (error) => this.#replace(running, (error as Error).message));
    worker.on('exit', (code) => this.#replace(running, `the worker thread ended with code ${code}`));
    return running;
  }

  #take(running: Running, answer: WorkerAnswer<Result>): void {
    this.#answers += 1;
    if (answer === 'ready') {
      running.isReady = true;
      return;
    }
    const { resolve, reject } = this.#waiting.shift()!;
    running.sent -= 1;
    if ('result' in answer) resolve(answer.result);
    else reject(new TaskFailed(answer.failure));
    this.#send();
  }

  async #watch(): Promise<void> {
    this.#isWatching = true;
    let watched: Watched | undefined;
    try {
      while (this.#waiting.length > 0) {
        const current = await this.#readUsage();
        watched = current && followUsage(watched, current);
        if (watched !== undefined && watched.current.answers === this.#answers) this.#judge(watched);
        await this.#options.clock.sleep(CHECK_MS, this.#closing.signal);
      }
    } catch {
      // Closed.
    } finally {
      this.#isWatching = false;
    }
  }

  /** Reads what the current worker uses. */
  async #readUsage(): Promise<Usage | undefined> {
    const [running, answers] = [this.#running, this.#answers];
    if (running === null || !running.isReady) return undefined;
    const { worker } = running;
    const usage = await Promise.all([worker.cpuUsage(), worker.getHeapStatistics()]).catch(() => null);
    if (usage === null) return undefined;
    const [cpu, { external_memory: outsideHeap }] = usage;
    return { running, answers, usedMs: (cpu.user + cpu.system) / 1_000, outsideHeapMb: outsideHeap / 1_000_000 };
  }

  #judge({ first, current, idleMs }: Watched): void {
    const { deadlineMs, memoryMb } = this.#options;
    if (current.usedMs - first.usedMs >= deadlineMs)
      this.#replace(current.running, `no result within ${deadlineMs} ms of processor time`);
    else if (current.outsideHeapMb > memoryMb)
      this.#replace(current.running, `needs more than ${memoryMb} MB of memory`);
    else if (idleMs >= MAX_IDLE_MS) this.#replace(current.running, `no progress within ${MAX_IDLE_MS} ms`);
  }

  #replace(running: Running, reason: string): void {
    if (this.#running !== running) return;
    this.#running = null;
    void running.worker.terminate();
    if (!running.isReady)
      return this.#rejectAll(new Error(`the worker thread of ${this.#options.of} does not start: ${reason}`));
    this.#waiting.shift()?.reject(new TaskFailed(reason));
    if (this.#waiting.length > 0) this.#send();
  }

  #rejectAll(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

/** Resources that a worker has used since its last answer. */
interface Watched {
  readonly first: Usage;
  readonly current: Usage;
  /** Milliseconds in which it used no processor time. */
  readonly idleMs: number;
}

function followUsage(watched: Watched | undefined, current: Usage): Watched {
  const first = watched?.first;
  if (watched === undefined || first?.running !== current.running || first.answers !== current.answers)
    return { first: current, current, idleMs: 0 };
  const isIdle = current.usedMs - watched.current.usedMs < IDLE_MS;
  return { first, current, idleMs: isIdle ? watched.idleMs + CHECK_MS : 0 };
}
