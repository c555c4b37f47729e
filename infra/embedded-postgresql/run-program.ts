import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { program } from './binaries.ts';
import type { DataLayout } from './data-directory.ts';
import { dataArgument, type LaunchPlan } from './launch-plan.ts';
import { EmbeddedDatabaseRefused } from './refusal.ts';
import { failureReason } from './start-failure.ts';

/** A data directory, and how programs of PostgreSQL are run on it. */
export interface ClusterStart {
  readonly layout: DataLayout;
  readonly plan: LaunchPlan;
  /** Descriptor of the data directory's lock, inherited by the program. */
  readonly lock: number;
}

export interface ProgramRun extends ClusterStart {
  readonly name: 'initdb' | 'postgres';
  /** The folder of the data that it works on. */
  readonly folder: string;
  readonly arguments: (data: string) => readonly string[];
  readonly input: string;
}

/** Runs a program of PostgreSQL as the account of the server, to its end. Throws `EmbeddedDatabaseRefused` when it fails. */
export async function runProgram({ layout, plan, lock, name, folder, input, ...run }: ProgramRun): Promise<void> {
  const [file = '', ...prefix] = plan.prefix;
  const data = dataArgument(plan, folder);
  const child = spawn(file, [...prefix, program(plan.native, name), ...run.arguments(data.argument)], {
    cwd: data.cwd,
    stdio: ['pipe', 'ignore', 'pipe', lock],
    env: { PATH: process.env['PATH'], TZ: 'UTC' },
  });
  // A program that ends before it has read its input is judged by its exit status.
  child.stdin?.on('error', () => undefined).end(input);
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const errors = text(child.stderr ?? Readable.from([]));
  if ((await ended) !== 0) throw new EmbeddedDatabaseRefused(failureReason((await errors).split('\n'), layout));
}
