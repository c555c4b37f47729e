import { hash } from 'node:crypto';
import type { DueJob } from '../../../domain/ports/reactors.ts';
import type { Repetition } from './jobs.ts';

/** A part of a job, with its own lease and its own times; the list of parts may change while the service runs. */
export interface JobPart {
  readonly lease: string;
  readonly run: (signal: AbortSignal) => Promise<unknown>;
}

/** Number of parts of a job that a process runs at a time. */
export const MAX_RUNNING_PARTS = 4;
/** Number of parts among them that run for the first time, so that many new parts do not delay the others. */
export const MAX_FIRST_RUNS = 2;

/** Number of repetitions of parts that start after each check, as a multiple of what their interval requires. */
const CATCH_UP_FACTOR = 2;

interface PartsRuntime {
  /** Returns the jobs that are due and that no process runs, the most overdue first. */
  readonly listDue: (leases: readonly string[]) => Promise<readonly DueJob[]>;
  readonly runPart: (part: JobPart) => Promise<void>;
  readonly failed: (error: unknown) => void;
  readonly stopping: AbortSignal;
  /** Number of checks in one interval of the parts. */
  readonly checksPerInterval: number;
}

interface WaitingPart extends JobPart {
  readonly isFirst: boolean;
}

/**
 * Each run finds the parts that are due. All parts that never ran start as soon as there is room. Only a few of the
 * others start per run, so that a process does not repeat all parts at once after a pause of the service. Reports the
 * error of a part to `failed` and continues with the others. Starts none after `stopping` has aborted.
 */
export function partsOf(
  parts: () => Promise<readonly JobPart[]>,
  { listDue, runPart, failed, stopping, checksPerInterval }: PartsRuntime,
): Pick<Repetition, 'run' | 'ended'> {
  const running = new Map<WaitingPart, Promise<unknown>>();
  let waiting: readonly WaitingPart[] = [];
  const canStart = ({ isFirst }: WaitingPart): boolean =>
    running.size < MAX_RUNNING_PARTS &&
    !stopping.aborted &&
    !(isFirst && [...running.keys()].filter((other) => other.isFirst).length >= MAX_FIRST_RUNS);
  const start = (): void => {
    for (let part = waiting.find(canStart); part !== undefined; part = waiting.find(canStart)) {
      const started = part;
      waiting = waiting.filter((other) => other !== started);
      const ended = runPart(started)
        .catch(failed)
        .finally(() => {
          running.delete(started);
          start();
        });
      running.set(started, ended);
    }
  };
  return {
    run: async () => {
      const all = new Map((await parts()).map((part) => [part.lease, part]));
      const due = await listDue([...all.keys()]);
      const runningLeases = new Set([...running.keys()].map(({ lease }) => lease));
      const startable = due
        .filter(({ name }) => !runningLeases.has(name))
        .map(({ name, isFirst }) => ({ ...all.get(name)!, isFirst }));
      const repetitions = Math.ceil((CATCH_UP_FACTOR * all.size) / checksPerInterval);
      waiting = [
        ...startable.filter(({ isFirst }) => isFirst),
        ...startable.filter(({ isFirst }) => !isFirst).slice(0, repetitions),
      ];
      start();
    },
    ended: () => Promise.all(running.values()),
  };
}

/**
 * Returns the time of the next run of a part, at most one interval after `now`. A part runs at the same point of each
 * interval, which its name determines, so that the runs of many parts are spread over the interval.
 */
export function nextRunOf(lease: string, everyMs: number, now: number): number {
  const offset = Number.parseInt(hash('sha256', lease, 'hex').slice(0, 8), 16) % everyMs;
  return now + everyMs - ((now - offset) % everyMs);
}
