import { destination, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Logger } from '../../domain/ports/logger.ts';

/** Names of fields whose values are never logged, since they may hold a secret. */
const SECRET_PATHS = ['authorization', '*.authorization', 'headers.authorization', 'key', 'secret', 'password'];

/** Bytes of log lines that wait for a reader of standard error; further ones are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Structured logs on standard error: standard output is for the answer of a command. Outside a terminal, a reader that stops reading stops no caller. */
export function createLogger(level: string, format: 'pretty' | 'json'): Logger {
  const options = { level, redact: SECRET_PATHS, base: undefined };
  if (format === 'pretty') {
    return pino(options, pretty({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' }));
  }
  const standardError = destination({ fd: 2, sync: false, maxLength: MAX_WAITING_BYTES });
  const logger = pino(options, standardError);
  let dropped = 0;
  standardError.on('drop', () => (dropped += 1));
  standardError.on('drain', () => {
    if (dropped === 0) return;
    const lines = dropped;
    dropped = 0;
    logger.warn({ lines }, 'standard error was not read for a time, and log lines were dropped');
  });
  return logger;
}
