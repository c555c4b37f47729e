import { destination, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Logger } from '../../domain/ports/logger.ts';
import { StandardError } from './standard-error.ts';

/** Fields whose values are never logged, because they might contain a secret. */
const SECRET_PATHS = ['authorization', '*.authorization', 'headers.authorization', 'key', 'secret', 'password'];

/**
 * Creates a logger that writes structured lines to standard error; standard output is reserved for the results of
 * commands. A service writes asynchronously, so a slow reader never blocks it, except to a terminal. A command writes
 * synchronously, so that its lines appear in order with its output.
 */
export function createLogger(level: string, format: 'pretty' | 'json', isService = false): Logger {
  const options = { level, redact: SECRET_PATHS, base: undefined };
  if (format === 'pretty') {
    return pino(
      options,
      pretty({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' }),
    );
  }
  const logger: Logger = pino(
    options,
    isService ? new StandardError((lines) => logger.warn({ lines }, DROPPED)) : destination({ fd: 2, sync: true }),
  );
  return logger;
}

const DROPPED = 'standard error was not read or refused lines for a time, and log lines were dropped';
