import { DatabaseUnavailable, DeadlineExceeded, type Statement } from '../../../domain/ports/database.ts';
import {
  type AppendOutcome,
  type ErasingLog,
  type EventLog,
  LOG_START,
  LogUnavailable,
  OutcomeUnknown,
  type RewrittenEvent,
  type StreamAppend,
} from '../../../domain/ports/event-log.ts';
import { appendOutcomes, AppendQueue, type AppendRow, openAppendLane, singleEvent } from './append-queue.ts';
import { openAppendNotifications } from './append-notifications.ts';
import { positionDistance } from './log-position.ts';
import { logReads } from './log-reads.ts';
import { appendSeparately, checkAppends } from '../../system/appends.ts';
import { subscribeTo } from '../../system/log-subscription.ts';
import { windowed } from '../../system/log-window.ts';
import { openStatementPool, type StatementPool } from '../connection/statement-pool.ts';

export interface EventLogSettings {
  readonly dsn: string;
  /** Deadline of a read or of a group of appends, in milliseconds. */
  readonly statementTimeoutMs: number;
  readonly lanes?: number;
  /** Set by the command that copies the log. Only this command may append before the move is committed. */
  readonly copiesLog?: boolean;
}

/** Maximum number of appends in one call that join the groups of other callers. */
const FEW = 20;
/** Milliseconds between polls of a subscriber that receives no notification. */
const POLL_MS = 250;
const LANES = 2;
const READ_CONNECTIONS = 2;
const APPEND_GRACE_MS = 2_000;

/** Ends the transaction of a frozen writer, which would block the log. Requires PostgreSQL 17 or newer. */
const LIMIT_TRANSACTIONS = `
  select set_config('transaction_timeout', '15s', false)
  where current_setting('server_version_num')::integer >= 170000`;

const COPIES_LOG = `select set_config('civic.copies_log', 'on', false)`;

/**
 * Opens the event log in PostgreSQL. Connects on first use and after each loss. `close` waits for statements in flight.
 */
export function openEventLog(
  settings: EventLogSettings,
): EventLog & ErasingLog & { forget(): void; close(): Promise<void> } {
  const { dsn, statementTimeoutMs } = settings;
  const lanes = Array.from({ length: settings.lanes ?? LANES }, () =>
    openAppendLane({
      dsn,
      purpose: 'log-appends',
      statementTimeoutMs,
      plansForGrowth: true,
      graceMs: APPEND_GRACE_MS,
      onConnect: settings.copiesLog === true ? `${LIMIT_TRANSACTIONS}; ${COPIES_LOG}` : LIMIT_TRANSACTIONS,
    }),
  );
  const queue = new AppendQueue(lanes);
  const joinGroup = async (append: StreamAppend): Promise<AppendOutcome> => (await queue.enqueue([append], false))[0]!;
  const notifications = openAppendNotifications(dsn, POLL_MS);
  const connections = openStatementPool(
    { dsn, purpose: 'log-reads', statementTimeoutMs, inOrder: true },
    READ_CONNECTIONS,
  );
  const reads = logReads(async <Row>(statement: Statement) => {
    try {
      return (await connections.query<Row>(statement)).rows;
    } catch (error) {
      throw error instanceof DatabaseUnavailable
        ? new LogUnavailable('the log could not be reached', { cause: error })
        : error;
    }
  });
  const followed = windowed(reads.readAll);
  return {
    ...reads,
    async append(append) {
      checkAppends([append]);
      return await joinGroup(append);
    },
    async appendEach(appends) {
      checkAppends(appends);
      if (appends.length > FEW) return await queue.enqueue(appends, true);
      // A few appends join the groups of other callers, so that they need no extra commit.
      return await appendSeparately(appends, joinGroup);
    },
    appendErasure: async (append, rewritten) => await appendErasure(connections, append, rewritten),
    subscribe: (subscribe) => subscribeTo(notifications.news.follow(followed.read), subscribe),
    /** Drops the cached events after the log has lost history. */
    forget: followed.forget,
    identity: async () => (await reads.readAll({ after: LOG_START, limit: 1 })).events[0]?.id ?? null,
    distance: positionDistance,
    async close() {
      await queue.close();
      await Promise.all([...lanes.map(async (lane) => await lane.close()), connections.close(), notifications.close()]);
    },
  };
}

/**
 * Appends an erasure and rewrites the erased events in one transaction. A trigger allows only the changes that the
 * erasure describes. Throws `OutcomeUnknown` if the connection is lost before the answer.
 */
async function appendErasure(
  connections: StatementPool,
  append: StreamAppend,
  rewritten: readonly RewrittenEvent[],
): Promise<AppendOutcome> {
  const [event] = append.events;
  if (event === undefined || append.events.length > 1) throw new TypeError('an erasure is one event');
  const values = [
    ...singleEvent(append, event),
    rewritten.map(({ stream }) => stream),
    rewritten.map(({ revision }) => revision),
    rewritten.map(({ data }) => data),
    rewritten.map(({ metadata }) => metadata),
  ];
  const text = 'select actual, start from civic.append_erasure($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)';
  try {
    const { rows } = await connections.query<AppendRow>({ text, values });
    return appendOutcomes([append], rows[0]!)[0]!;
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable || error instanceof DeadlineExceeded)) throw error;
    throw new OutcomeUnknown('the connection to the log was lost while an erasure was under way', { cause: error });
  }
}
