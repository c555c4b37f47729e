import { destination, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Logger } from '../../domain/ports/logger.ts';

/** Names under which a secret could reach a log line by mistake; their values are never written. */
const SECRET_PATHS = ['authorization', '*.authorization', 'headers.authorization', 'key', 'secret', 'password'];

/** Structured logs on standard error, so that standard output holds a command's answer alone. */
export const createLogger = (level: string, format: 'pretty' | 'json'): Logger => {
  const options = { level, redact: SECRET_PATHS, base: undefined };
  return format === 'pretty'
    ? pino(options, pretty({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' }))
    : pino(options, destination({ fd: 2, sync: true }));
};
