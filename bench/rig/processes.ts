import { type ChildProcess, fork, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const running = new Set<ChildProcess>();

function track(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Resolves when the process has ended. */
export const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', () => resolve()));

/** Stops a process that was started here and waits for its end. */
export async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await ended(child);
  clearTimeout(hard);
}

/** Stops everything that was started here and still runs. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(stop));
}

export const start = (command: string, args: readonly string[], environment: NodeJS.ProcessEnv): ChildProcess =>
  track(spawn(command, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] }));

/** Runs a program of this folder in a separate process, one job at a time. The job and its result are messages. */
export interface Worker extends AsyncDisposable {
  readonly pid: number;
  ask<Answer>(job: object): Promise<Answer>;
}

export function startWorker(path: URL | string, environment: Readonly<Record<string, string>> = {}): Worker {
  const child = track(
    fork(path, [], { env: { ...process.env, ...environment }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
  );
  return {
    pid: child.pid!,
    ask: <Answer>(job: object) =>
      new Promise<Answer>((resolve, reject) => {
        const rejectAsEnded = () => reject(new Error(`${String(path)} ended before it answered`));
        child.once('exit', rejectAsEnded);
        child.once('message', (answer: { readonly error?: string; readonly value?: Answer }) => {
          child.off('exit', rejectAsEnded);
          if (answer.error === undefined) resolve(answer.value as Answer);
          else reject(new Error(answer.error));
        });
        child.send(job);
      }),
    [Symbol.asyncDispose]: () => stop(child),
  };
}

/** The other end of `startWorker`: answers each job with what the function resolves to. */
export function serveJobs(work: (job: never) => Promise<unknown>): void {
  process.on('message', (job: unknown) => {
    work(job as never).then(
      (value) => process.send!({ value }),
      (error: Error) => process.send!({ error: error.stack ?? error.message }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}

/** Resident memory of a process, in megabytes. */
export const residentMb = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 102.4) /
  10;

const TICKS_A_SECOND = 100;

/** Processor time that a process has used so far, in seconds. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** The embedded server of a data directory and its backends. */
export function postgresqlProcesses(dataDir: string): readonly number[] {
  const first = Number(readFileSync(join(dataDir, 'postgresql/postmaster.pid'), 'utf8').split('\n')[0]);
  return [first, ...readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').trim().split(' ').map(Number)];
}
