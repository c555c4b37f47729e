import { CommanderError } from 'commander';
import { createLogger } from '../infra/system/logging.ts';
import { CommandFailed, type CliContext } from './cli/context.ts';
import { createProgram } from './cli/program.ts';
import { openCivic } from './composition.ts';
import { readSettings } from './settings.ts';

const MISUSE = 2;

const loadDotEnv = (): void => {
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw new CommandFailed(`.env cannot be read: ${(error as Error).message}`);
  }
};

const stopping = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => stopping.abort(new CommandFailed(`stopped by ${signal}`, 130)));
}

const context: CliContext = {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  stopping: stopping.signal,
  async open(role) {
    const { settings, warnings } = readSettings(process.env);
    const level = role === 'command' && process.env['CIVIC_LOG_LEVEL'] === undefined ? 'warn' : settings.CIVIC_LOG_LEVEL;
    const logger = createLogger(level, settings.CIVIC_LOG_FORMAT ?? (process.stderr.isTTY ? 'pretty' : 'json'));
    for (const warning of warnings) logger.warn({}, warning);
    return openCivic(settings, role, logger);
  },
};

/** One line of at most a few hundred characters: what is wrong and what to do. */
const oneLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').trim().slice(0, 600);

const run = async (): Promise<number> => {
  try {
    loadDotEnv();
    await createProgram(context).parseAsync(process.argv);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSE;
    process.stderr.write(`civic: ${oneLine(error)}\n`);
    return error instanceof CommandFailed ? error.exitCode : 1;
  }
};

process.exitCode = await run();
