import { DatabaseUnavailable, DeadlineExceeded, type Statement } from '../../domain/ports/database.ts';
import {
  type AppendOutcome,
  type ErasingLog,
  type EventLog,
  LOG_START,
  LogUnavailable,
  OutcomeUnknown,
  type ReadAll,
  type RewrittenEvent,
  type StreamAppend,
} from '../../domain/ports/event-log.ts';
import { appendOutcomes, AppendQueue, openAppendLane, singleEvent } from './append-queue.ts';
import { openAppendNotifications } from './append-notifications.ts';
import { positionDistance } from './log-position.ts';
import { logReads } from './log-reads.ts';
import { appendSeparately, checkAppends } from '../system/appends.ts';
import { subscribeTo } from '../system/log-subscription.ts';
import { windowed } from './log-window.ts';
import { openPipelinedConnections, type PipelinedConnections } from './pipelined-connection.ts';
import { columnArrays } from './column-arrays.ts';

export interface EventLogSettings {
  readonly dsn: string;
  /** Deadline of one read or one group of appends. */
  readonly statementTimeoutMs: number;
  readonly lanes?: number;
  /** For the command that copies the log: only it may append to a store before the move is committed. */
  readonly copiesLog?: boolean;
}

/** At most this many appends of one call join groups of other callers. */
const FEW = 20;
/** Milliseconds between polls of a subscriber that receives no notification. */
const POLL_MS = 250;
const LANES = 2;
const READ_CONNECTIONS = 2;
const APPEND_GRACE_MS = 2_000;

/** A writer that freezes before its commit holds the lock; PostgreSQL 17 and newer end its transaction. */
const LIMIT_TRANSACTIONS = `
  select set_config('transaction_timeout', '15s', false) where current_setting('server_version_num')::integer >= 170000`;

const COPIES_LOG = `select set_config('civic.copies_log', 'on', false)`;

/** The event log on PostgreSQL. Connects on first use and after each loss; `close` waits for statements that were sent. */
export function openEventLog(settings: EventLogSettings): EventLog & ErasingLog & { forget(): void; close(): Promise<void> } {
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
  const news = openAppendNotifications(dsn, POLL_MS);
  const connections = openPipelinedConnections({ dsn, purpose: 'log-reads', statementTimeoutMs, inOrder: true }, READ_CONNECTIONS);
  const reads = logReads(async (statement: Statement) => {
    try {
      return (await connections.run(statement)).rows;
    } catch (error) {
      throw error instanceof DatabaseUnavailable ? new LogUnavailable('the log could not be reached', { cause: error }) : error;
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
      // Each of a few appends joins a group of other callers, so that they need no commit of their own.
      return await appendSeparately(appends, joinGroup);
    },
    appendErasure: async (append, rewritten) => await appendErasure(connections, append, rewritten),
    subscribe(subscribe) {
      let seen = 0;
      const read = async (question: ReadAll) => {
        seen = news.count;
        return await followed.read(question);
      };
      return subscribeTo({ read, untilGrown: async (_last, signal) => await news.wait(seen, signal) }, subscribe);
    },
    /** Drops the events in memory, after the log has lost history. */
    forget: followed.forget,
    identity: async () => (await reads.readAll({ after: LOG_START, limit: 1 })).events[0]?.id ?? null,
    distance: positionDistance,
    async close() {
      await queue.close();
      await Promise.all([...lanes.map(async (lane) => await lane.close()), connections.close(), news.close()]);
    },
  };
}

/** In one transaction; a trigger accepts only what the erasure describes. Throws `OutcomeUnknown` when the connection is lost meanwhile. */
async function appendErasure(
  connections: PipelinedConnections,
  append: StreamAppend,
  rewritten: readonly RewrittenEvent[],
): Promise<AppendOutcome> {
  const [event] = append.events;
  if (event === undefined || append.events.length > 1) throw new TypeError('an erasure is one event');
  const values = [
    ...singleEvent(append, event),
    columnArrays.texts(rewritten.map(({ stream }) => stream)),
    columnArrays.bigints(rewritten.map(({ revision }) => revision)),
    columnArrays.jsons(rewritten.map(({ data }) => data)),
    columnArrays.jsons(rewritten.map(({ metadata }) => metadata)),
  ];
  const text = 'select actual, start from civic.append_erasure($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)';
  try {
    const { rows } = await connections.run({ text, values });
    return appendOutcomes([append], rows[0]!)[0]!;
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable || error instanceof DeadlineExceeded)) throw error;
    throw new OutcomeUnknown('the connection to the log was lost while an erasure was under way', { cause: error });
  }
}
