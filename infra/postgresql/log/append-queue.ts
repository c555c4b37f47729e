import {
  type AppendOutcome,
  LogUnavailable,
  type NewEvent,
  OutcomeUnknown,
  type StreamAppend,
} from '../../../domain/ports/event-log.ts';
import {
  DatabaseUnavailable,
  DeadlineExceeded,
  type Statement,
  type StatementValue,
} from '../../../domain/ports/database.ts';
import { isConnectionLoss, isReadTimeout } from '../connection/errors.ts';
import { openClientPool } from '../connection/client-pool.ts';
import { runAlone } from '../connection/run-statement.ts';
import type { Session } from '../connection/sessions.ts';
import { toPosition } from './log-position.ts';

interface Waiting {
  readonly appends: readonly StreamAppend[];
  /** True for a batch, which forms its own group whatever its size. */
  readonly batch: boolean;
  readonly resolve: (outcomes: readonly AppendOutcome[]) => void;
  readonly reject: (error: unknown) => void;
}

const GROUP_EVENTS = 200;
/** Most appends to busy streams that are skipped while a group is formed. */
const LOOK_AHEAD = 1_000;

/** Groups the appends of many callers so that they share a commit. Appends to one stream stay in order. */
export class AppendQueue {
  readonly #idle: AppendLane[];
  readonly #busyStreams = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  #waiting: Waiting[] = [];
  #scheduled = false;
  #closed = false;

  constructor(lanes: readonly AppendLane[]) {
    this.#idle = [...lanes];
  }

  async enqueue(appends: readonly StreamAppend[], batch: boolean): Promise<readonly AppendOutcome[]> {
    if (this.#closed) throw new LogUnavailable('the log was closed; nothing was sent');
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ appends, batch, resolve, reject });
      this.#schedule();
    });
  }

  /** Rejects waiting and new appends. Resolves when those already sent are answered. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const each of this.#waiting.splice(0)) each.reject(new LogUnavailable('the log was closed; nothing was sent'));
    await Promise.all(this.#underWay);
  }

  /** Sends groups at the end of this turn of the event loop, so that appends of the same turn share a group. */
  #schedule(): void {
    if (this.#scheduled || this.#idle.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      while (this.#idle.length > 0 && this.#waiting.length > 0) {
        const group = this.#takeGroup();
        if (group.length === 0) return;
        const sending = this.#send(this.#idle.shift()!, group);
        this.#underWay.add(sending);
        void sending.finally(() => this.#underWay.delete(sending));
      }
    });
  }

  /**
   * Takes the next group: at most `GROUP_EVENTS` events, one append per stream, and no stream that another lane writes.
   */
  #takeGroup(): Waiting[] {
    const group: Waiting[] = [];
    const skipped: Waiting[] = [];
    const streams = new Set<string>();
    let size = 0;
    let next = 0;
    for (; next < this.#waiting.length && skipped.length < LOOK_AHEAD; next += 1) {
      const each = this.#waiting[next]!;
      if (each.batch) {
        if (group.length > 0 || skipped.length > 0) break;
        group.push(each);
        next += 1;
        break;
      }
      const { stream, events } = each.appends[0]!;
      if (size > 0 && size + events.length > GROUP_EVENTS) break;
      if (streams.has(stream) || this.#busyStreams.has(stream)) skipped.push(each);
      else {
        group.push(each);
        size += events.length;
      }
      streams.add(stream);
    }
    this.#waiting = [...skipped, ...this.#waiting.slice(next)];
    return group;
  }

  async #send(lane: AppendLane, group: readonly Waiting[]): Promise<void> {
    const streams = group.flatMap(({ appends, batch }) => (batch ? [] : [appends[0]!.stream]));
    for (const stream of streams) this.#busyStreams.add(stream);
    try {
      const outcomes = await lane.send(group.flatMap(({ appends }) => appends));
      let from = 0;
      for (const { appends, resolve } of group) resolve(outcomes.slice(from, (from += appends.length)));
    } catch (error) {
      await this.#retrySeparately(lane, group, error);
    }
    for (const stream of streams) this.#busyStreams.delete(stream);
    this.#idle.push(lane);
    this.#schedule();
  }

  /** Resends each append alone, so that a defect of one (invalid JSON) does not fail the others of its group. */
  async #retrySeparately(lane: AppendLane, group: readonly Waiting[], error: unknown): Promise<void> {
    const isFinal = group.length === 1 || error instanceof OutcomeUnknown || error instanceof LogUnavailable;
    for (const { appends, resolve, reject } of group) {
      if (isFinal) reject(error);
      else await lane.send(appends).then(resolve, reject);
    }
  }
}

type AppendLane = ReturnType<typeof openAppendLane>;

/**
 * Maps an error. An error response proves that nothing is stored; after a broken or silent connection it is unknown.
 */
function appendError(error: unknown): unknown {
  if (!(error instanceof DatabaseUnavailable || error instanceof DeadlineExceeded)) return error;
  if (isConnectionLoss(error.cause) || isReadTimeout(error.cause)) {
    return new OutcomeUnknown('the connection to the log was lost while an append was under way', { cause: error });
  }
  return new LogUnavailable(error.message, { cause: error });
}

/**
 * Opens a connection for appends. With two lanes, the second one's statement is parsed while the first one is flushed.
 */
export function openAppendLane(session: Session) {
  const pool = openClientPool(session, 1, { idleTimeoutMillis: 0 });
  return {
    /**
     * Appends a group in one transaction. Throws `LogUnavailable` if nothing is stored, `OutcomeUnknown` if that is
     * uncertain.
     */
    async send(appends: readonly StreamAppend[]): Promise<readonly AppendOutcome[]> {
      let isSent = false;
      try {
        const { rows } = await pool.run(({ client }) => {
          isSent = true;
          return runAlone<AppendRow>(client, appendStatement(appends));
        });
        return appendOutcomes(appends, rows[0]!);
      } catch (error) {
        if (isSent) throw appendError(error);
        throw new LogUnavailable('the log could not be reached; nothing was sent', { cause: error });
      }
    },
    close: pool.close,
  };
}

/** Returns the first eight arguments of the SQL functions that append one event. */
export function singleEvent({ stream, expectedRevision }: StreamAppend, event: NewEvent): readonly StatementValue[] {
  const { id, type, schemaVersion, data, metadata, time } = event;
  return [stream, expectedRevision, id, type, schemaVersion, data, JSON.stringify(metadata), time];
}

function appendGroup(appends: readonly StreamAppend[]): Statement {
  const events = appends.flatMap((append) => append.events);
  const appendNos = appends.flatMap((append, index) => append.events.map(() => index + 1));
  const eventNos = appends.flatMap((append) => append.events.map((_, index) => index + 1));
  return {
    name: 'append_group',
    text: 'select actual, starts as start from civic.append_group($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
    values: [
      appends.map(({ stream }) => stream),
      appends.map(({ expectedRevision }) => expectedRevision),
      appends.map((append) => append.events.length),
      appendNos,
      eventNos,
      events.map(({ id }) => id),
      events.map(({ type }) => type),
      events.map(({ schemaVersion }) => schemaVersion),
      events.map(({ data }) => data),
      events.map(({ metadata }) => JSON.stringify(metadata)),
      events.map(({ time }) => time),
    ],
  };
}

/** Builds one statement, and so one commit, for appends to different streams. */
function appendStatement(appends: readonly StreamAppend[]): Statement {
  const [append] = appends;
  const [event] = append?.events ?? [];
  if (appends.length === 1 && append?.events.length === 1 && event !== undefined) {
    const text = 'select actual, start from civic.append_one($1, $2, $3, $4, $5, $6, $7, $8)';
    return { name: 'append_one', text, values: singleEvent(append, event) };
  }
  return appendGroup(appends);
}

/** Row of a statement that appends: a number for one append, an array for a group. */
export interface AppendRow {
  readonly actual: number | readonly string[];
  readonly start: number | readonly string[];
}

const toNumbers = (column: number | readonly string[]): readonly number[] => [column].flat().map(Number);

/** Converts the only row of the statement to outcomes, in the order of the appends. */
export function appendOutcomes(appends: readonly StreamAppend[], row: AppendRow): readonly AppendOutcome[] {
  const actual = toNumbers(row.actual);
  const starts = toNumbers(row.start);
  return appends.map(({ expectedRevision, events }, index) =>
    starts[index]! < 0
      ? { kind: 'conflict', actualRevision: actual[index]! }
      : {
          kind: 'appended',
          position: toPosition(starts[index]! + events.length),
          revision: expectedRevision + events.length,
        },
  );
}
