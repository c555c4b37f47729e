import { createRecordWriter, type RecordWriter } from '../../commands/records/write-records.ts';
import { openEventLog } from '../../infra/postgresql/log/event-log.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';

export interface LinkedLog {
  readonly log: EventLog;
  /** Appends as an import does. */
  readonly writer: RecordWriter;
  close(): Promise<void>;
}

const STATEMENT_MS = 20_000;
const WRITE_MS = 30_000;

/** The log over the connection of the commands, which faults cut and stall. */
export function openLinkedLog(dsn: string): LinkedLog {
  const log = openEventLog({ dsn, statementTimeoutMs: STATEMENT_MS });
  const writer = createRecordWriter({ log, clock: systemClock, identifiers: randomIdentifiers, deadlineMs: WRITE_MS });
  return { log, writer, close: () => log.close() };
}
