import { destination, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Logger } from '../../domain/ports/logger.ts';

/** Names of fields whose values are never logged, since they may hold a secret. */
const SECRET_PATHS = ['authorization', '*.authorization', 'headers.authorization', 'key', 'secret', 'password'];

/** Structured logs on standard error: standard output is for the answer of a command. */
export function createLogger(level: string, format: 'pretty' | 'json'): Logger {
  const options = { level, redact: SECRET_PATHS, base: undefined };
  return format === 'pretty'
    ? pino(options, pretty({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' }))
    : pino(options, destination({ fd: 2, sync: true }));
}
