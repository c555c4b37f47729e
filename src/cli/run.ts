import { setImmediate } from 'node:timers/promises';
import { CommanderError } from '@commander-js/extra-typings';
import type { Civic, Role } from '../app/civic.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { DocumentReader } from '../../domain/ports/documents.ts';
import type { Stores } from '../../domain/ports/stores.ts';
import type { Probes } from '../../domain/ports/probes.ts';
import { useProxiesOf } from '../../plumbing/outgoing-proxy.ts';
import { visible } from '../../plumbing/visible-text.ts';
import { Rejection } from '../../domain/rejections.ts';
import { readSettings, type Settings } from '../app/settings.ts';
import { SyncRefused } from '../sources/source.ts';
import { type CliContext, CommandFailed, MISUSE } from './context.ts';
import { ReaderGone, warn } from './output.ts';
import { createProgram } from './program.ts';
import type { StopSignals } from './stop-signals.ts';

const MAX_LINE_LENGTH = 600;

export interface Running {
  readonly process: NodeJS.Process;
  readonly signals: StopSignals;
  readonly open: (settings: Settings, role: Role, warnings: readonly string[]) => Promise<Civic>;
  /** Opens a sandbox whose clock runs `ahead()` milliseconds ahead of the machine's clock. */
  readonly openAhead: (settings: Settings, ahead: () => number) => Promise<Civic>;
  readonly stores: (settings: Settings, role: Role) => Promise<Stores>;
  readonly documents: () => Promise<DocumentReader>;
  readonly connectors: (settings: Settings) => ReturnType<CliContext['openConnectors']>;
  readonly probes: (settings: Settings) => Promise<Probes>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Runs the command that the arguments name and resolves to the exit status. Prints a failure as one line on standard error. */
export async function runCli({
  process,
  signals,
  open,
  openAhead,
  stores,
  documents,
  connectors,
  probes,
  clock,
}: Running): Promise<number> {
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
    ...signals,
    examination: { environment: process.env, probes, clock },
    async open(role) {
      const { settings, warnings } = readSettings(process.env);
      return open(settings, role, warnings);
    },
    openAhead,
    openDocuments: documents,
    openConnectors: async () => connectors(readSettings(process.env).settings),
    openStores: async (role) => stores(readSettings(process.env).settings, role),
  };
  const status = await run(process, context);
  // The stream emits the error of the last write in a later turn.
  await setImmediate();
  return isWritten ? status : 1;
}

async function run(process: NodeJS.Process, context: CliContext): Promise<number> {
  try {
    loadDotEnv(process);
    useProxies(context);
    await (await createProgram(context, process.argv[2])).parseAsync(process.argv);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSE;
    if (!(error instanceof ReaderGone)) process.stderr.write(`civic: ${formatError(error)}\n`);
    if (error instanceof SyncRefused) return MISUSE;
    return error instanceof CommandFailed ? error.exitCode : 1;
  }
}

/** Runs after `.env` is loaded, which may name the proxies. */
function useProxies(context: CliContext): void {
  let warning: string | null;
  try {
    warning = useProxiesOf(context.examination.environment);
  } catch (error) {
    throw new CommandFailed((error as Error).message, MISUSE);
  }
  if (warning !== null) warn(context, warning);
}

function loadDotEnv(process: NodeJS.Process): void {
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new CommandFailed(`.env cannot be read: ${(error as Error).message}`);
  }
}

/** Formats an error on one line with invisible characters escaped; a rejection starts with its code. */
function formatError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const text = error instanceof Rejection ? `${error.code}: ${message}` : message;
  return visible(text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_LINE_LENGTH));
}
