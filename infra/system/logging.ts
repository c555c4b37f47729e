import { destination, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Logger } from '../../domain/ports/logger.ts';
import { StandardError } from './standard-error.ts';

/** Names of fields whose values are never logged, since they may hold a secret. */
const SECRET_PATHS = ['authorization', '*.authorization', 'headers.authorization', 'key', 'secret', 'password'];

/**
 * Structured logs on standard error: standard output is for the answer of a command. A service waits for no reader of its lines, except for
 * that of a terminal; a command ends soon, and its lines stand where they were written.
 */
export function createLogger(level: string, format: 'pretty' | 'json', isService = false): Logger {
  const options = { level, redact: SECRET_PATHS, base: undefined };
  if (format === 'pretty') {
    return pino(options, pretty({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' }));
  }
  const logger: Logger = pino(
    options,
    isService ? new StandardError((lines) => logger.warn({ lines }, DROPPED)) : destination({ fd: 2, sync: true }),
  );
  return logger;
}

const DROPPED = 'standard error was not read or refused lines for a time, and log lines were dropped';
