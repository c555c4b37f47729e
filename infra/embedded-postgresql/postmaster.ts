import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { program } from './binaries.ts';
import type { BoundedLog } from './bounded-log.ts';
import type { DataLayout } from './data-layout.ts';
import { dataArgument } from './copied-programs.ts';
import type { LaunchPlan } from './launch-plan.ts';
import { EmbeddedDatabaseRefused } from './refusal.ts';
import { serverArguments } from './server-settings.ts';
import { endRemains } from './server-processes.ts';
import { failureReason } from './start-failure.ts';

/** A running PostgreSQL server, child of this process. */
export interface Postmaster {
  readonly pid: number;
  /** Resolves with the manner of its end once the process has ended. */
  readonly ended: Promise<string>;
  /** Fast shutdown: ends the sessions, writes a checkpoint, resolves when the process has ended. */
  stop(): Promise<void>;
}

export interface PostmasterStart {
  readonly layout: DataLayout;
  readonly plan: LaunchPlan;
  readonly socketDirectory: string;
  readonly log: BoundedLog;
  /** Descriptor of the locked file, inherited by the server and its children. */
  readonly lock: number;
}

const patience = { fastShutdown: 60_000, immediateShutdown: 5_000, lastWords: 1_000, look: 8 };

/** Starts the server on an existing cluster and resolves when it takes connections; throws `EmbeddedDatabaseRefused` with the reason. */
export async function startPostmaster(start: PostmasterStart): Promise<Postmaster> {
  const { layout, plan, log } = start;
  const pidFile = join(layout.cluster, 'postmaster.pid');
  await endRemains(layout.cluster);
  const [file = '', ...prefix] = plan.prefix;
  const data = dataArgument(plan, layout.cluster);
  const child = spawn(file, [...prefix, program(plan.native, 'postgres'), ...serverArguments(data.argument, start.socketDirectory)], {
    cwd: data.cwd,
    stdio: ['ignore', 'ignore', 'pipe', start.lock],
    env: { PATH: process.env['PATH'], TZ: 'UTC' },
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => log.write(chunk));
  const state = { ended: false };
  const ended = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      state.ended = true;
      resolve(how);
    };
    child.once('exit', (code, signal) => end(signal === null ? `exit status ${code}` : `killed by ${signal}`));
    child.once('error', (error) => end(error.message));
  });
  const lastWords = new Promise<void>((resolve) => child.once('close', () => resolve()));
  while (!isReady(pidFile, child.pid)) {
    if (state.ended) {
      await Promise.race([lastWords, after(patience.lastWords)]);
      throw new EmbeddedDatabaseRefused(failureReason(log.tail, layout));
    }
    await after(patience.look);
  }
  return { pid: child.pid ?? 0, ended, stop: async () => stop(child, ended) };
}

/** Line 1 of the file is the server's process number, line 8 its state. */
function isReady(pidFile: string, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(pidFile, 'utf8').split('\n');
    return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  const harder = [
    setTimeout(() => child.kill('SIGQUIT'), patience.fastShutdown),
    setTimeout(() => child.kill('SIGKILL'), patience.fastShutdown + patience.immediateShutdown),
  ];
  child.kill('SIGINT');
  await ended;
  harder.forEach(clearTimeout);
}
