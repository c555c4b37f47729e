import { setImmediate } from 'node:timers/promises';
import { CommanderError } from '@commander-js/extra-typings';
import type { Civic, Role } from '../civic.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Stores } from '../../domain/ports/stores.ts';
import type { Probes } from '../../domain/ports/probes.ts';
import { Rejection } from '../../domain/rejections.ts';
import { readSettings, type Settings } from '../settings.ts';
import { SyncRefused } from '../sources/source.ts';
import { type CliContext, CommandFailed, MISUSE } from './context.ts';
import { ReaderGone } from './output.ts';
import { createProgram } from './program.ts';

const MAX_LINE_LENGTH = 600;

export interface Running {
  readonly process: NodeJS.Process;
  readonly open: (settings: Settings, role: Role, warnings: readonly string[]) => Promise<Civic>;
  /** A sandbox, ahead of the machine's time by what `ahead` says then, in milliseconds. */
  readonly openAhead: (settings: Settings, ahead: () => number) => Promise<Civic>;
  readonly stores: (settings: Settings, role: Role) => Promise<Stores>;
  readonly probes: (settings: Settings) => Promise<Probes>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Runs the command that the arguments name; resolves to the exit status. A failure is one line on standard error. */
export async function runCli({ process, open, openAhead, stores, probes, clock }: Running): Promise<number> {
  const [stopping, hurrying] = [new AbortController(), new AbortController()];
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => (stopping.signal.aborted ? hurrying : stopping).abort(new CommandFailed(`stopped by ${signal}`, 130)));
  }
  let isWritten = true;
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || !isWritten) return;
    isWritten = false;
    process.stderr.write(`civic: the answer could not be written: ${message}\n`);
  });
  process.stderr.on('error', () => undefined);
  const context: CliContext = {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    stopping: stopping.signal,
    hurrying: hurrying.signal,
    examination: { environment: process.env, probes, clock },
    async open(role) {
      const { settings, warnings } = readSettings(process.env);
      return open(settings, role, warnings);
    },
    openAhead,
    openStores: async (role) => stores(readSettings(process.env).settings, role),
  };
  const status = await run(process, context);
  // The stream emits the error of the last write after it.
  await setImmediate();
  return isWritten ? status : 1;
}

async function run(process: NodeJS.Process, context: CliContext): Promise<number> {
  try {
    loadDotEnv(process);
    await (await createProgram(context, process.argv[2])).parseAsync(process.argv);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSE;
    if (!(error instanceof ReaderGone)) process.stderr.write(`civic: ${oneLine(error)}\n`);
    if (error instanceof SyncRefused) return MISUSE;
    return error instanceof CommandFailed ? error.exitCode : 1;
  }
}

function loadDotEnv(process: NodeJS.Process): void {
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw new CommandFailed(`.env cannot be read: ${(error as Error).message}`);
  }
}

/** The message on one line; a rejection begins with its code. */
function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const text = error instanceof Rejection ? `${error.code}: ${message}` : message;
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_LINE_LENGTH);
}
