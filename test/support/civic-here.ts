import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import fs, { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { parseEnv } from 'node:util';
import { runCli } from '../../src/cli/run.ts';
import { listenForStopSignals } from '../../src/cli/stop-signals.ts';
import {
  openCivic,
  openCivicAhead,
  openConnectors,
  openDocuments,
  openStoresAlone,
  probesOf,
} from '../../src/app/composition.ts';
import { withoutProgress } from './without-progress.ts';

export interface AnsweredHere {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const STDERR = 2;

/** Routes log lines, which bypass the streams, to the command that wrote them. */
const saying = new AsyncLocalStorage<(bytes: Uint8Array) => void>();
const writeSync = fs.writeSync.bind(fs) as (fd: number, ...args: readonly unknown[]) => number;
fs.writeSync = ((fd: number, data: string | Uint8Array, ...rest: readonly unknown[]) => {
  const say = fd === STDERR ? saying.getStore() : undefined;
  if (say === undefined) return writeSync(fd, data, ...rest);
  const bytes = Buffer.from(data as string);
  say(bytes);
  return bytes.length;
}) as typeof fs.writeSync;

const collecting = (take: (bytes: Uint8Array) => void): Writable =>
  new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      take(chunk);
      done();
    },
  });

const running = { count: 0, folder: '', outside: '' };
function enter(folder: string): void {
  if (running.count === 0) Object.assign(running, { folder, outside: process.cwd() });
  if (running.folder !== folder) throw new Error('commands of two folders cannot run in one process at once');
  running.count += 1;
  process.chdir(folder);
}
function leave(): void {
  running.count -= 1;
  if (running.count === 0) process.chdir(running.outside);
}

/**
 * Runs a command as `src/main.ts` does, in this process: with these arguments and this environment alone, in this working directory,
 * and with streams that are no terminal. It has neither signals nor a reader that goes away: those want a process of their own, and so
 * does whether it ends by itself (`leavingNothingOpen`).
 */
export async function runCivicHere(
  args: readonly string[],
  {
    cwd,
    env,
    input = '',
  }: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly input?: string | Buffer | undefined;
  },
): Promise<AnsweredHere> {
  const chunks = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const sayError = (bytes: Uint8Array): void => void chunks.stderr.push(bytes);
  const environment: Record<string, string> = { ...env };
  const own = Object.assign(new EventEmitter(), {
    argv: [process.execPath, 'civic', ...args],
    env: environment,
    stdin: Readable.from(input.length === 0 ? [] : [Buffer.from(input as string)], { objectMode: false }),
    stdout: collecting((bytes) => chunks.stdout.push(bytes)),
    stderr: collecting(sayError),
    loadEnvFile() {
      for (const [name, value] of Object.entries(parseEnv(readFileSync(join(cwd, '.env'), 'utf8'))))
        environment[name] ??= value ?? '';
    },
  });
  enter(cwd);
  let exitCode: number;
  try {
    exitCode = await saying.run(sayError, () =>
      runCli({
        process: own as unknown as NodeJS.Process,
        signals: listenForStopSignals(own as unknown as NodeJS.Process),
        open: openCivic,
        openAhead: openCivicAhead,
        stores: openStoresAlone,
        documents: openDocuments,
        connectors: openConnectors,
        probes: async (settings) => probesOf(settings),
        clock: Date,
      }),
    );
  } finally {
    leave();
  }
  const text = (parts: readonly Uint8Array[]) => Buffer.concat(parts).toString('utf8');
  return { exitCode, stdout: text(chunks.stdout), stderr: withoutProgress(text(chunks.stderr)) };
}
