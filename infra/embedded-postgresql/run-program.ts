import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { DataLayout } from './data-directory.ts';
import { type LaunchPlan, program, WORKING_DIRECTORY } from './launch-plan.ts';
import { EmbeddedDatabaseRefused, failureReason } from './refusal.ts';

export interface ClusterStart {
  readonly layout: DataLayout;
  readonly plan: LaunchPlan;
  /** Descriptor of the data directory's lock, which the program inherits. */
  readonly lock: number;
}

interface ProgramRun {
  readonly name: 'initdb' | 'postgres';
  readonly folder: string;
  readonly args: (data: string) => readonly string[];
}

/** Returns the command that runs a program as the owner of the data. */
export function commandOf(plan: LaunchPlan, { name, folder, args }: ProgramRun) {
  const [cwd, data] = plan.fromCopy ? [folder, WORKING_DIRECTORY] : ['/', folder];
  // A server on macOS becomes multithreaded and exits if LC_ALL is unset.
  const env = { PATH: process.env['PATH'], TZ: 'UTC', LC_ALL: 'C' };
  return { command: [...plan.prefix, program(plan.native, name), ...args(data)], cwd, env };
}

/** Runs a program of PostgreSQL and waits for its end. Throws `EmbeddedDatabaseRefused` if it fails. */
export async function runProgram({ layout, plan, lock }: ClusterStart, run: ProgramRun, input = ''): Promise<void> {
  const { command, ...place } = commandOf(plan, run);
  const [file = '', ...args] = command;
  const child = spawn(file, args, { ...place, stdio: ['pipe', 'ignore', 'pipe', lock] });
  // A program that ends before it has read its input is judged by its exit status.
  child.stdin!.on('error', () => undefined).end(input);
  const [errors, [status]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
  if (status !== 0) throw new EmbeddedDatabaseRefused(failureReason(errors.split('\n'), layout));
}
