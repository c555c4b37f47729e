import { type AppendOutcome, LogUnavailable, type NewEvent, OutcomeUnknown, type StreamAppend } from '../../domain/ports/event-log.ts';
import { DatabaseUnavailable, DeadlineExceeded, type Statement, type StatementValue, type TextRow } from '../../domain/ports/database.ts';
import { isConnectionLoss } from './errors.ts';
import { PipelinedConnection } from './pipelined-connection.ts';
import type { Session } from './sessions.ts';
import { columnArrays } from './column-arrays.ts';
import { toPosition } from './log-position.ts';

interface Waiting {
  readonly appends: readonly StreamAppend[];
  /** A batch is a group of its own, whatever its size. */
  readonly batch: boolean;
  readonly resolve: (outcomes: readonly AppendOutcome[]) => void;
  readonly reject: (error: unknown) => void;
}

const GROUP_EVENTS = 200;
/** How far to look past appends whose stream is busy. */
const LOOK_AHEAD = 1_000;

/** Gathers the appends of many callers into groups that share a commit. Appends to one stream keep their order. */
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

  /** Refuses waiting and new appends; resolves when those that were sent are answered. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const each of this.#waiting.splice(0)) each.reject(new LogUnavailable('the log was closed; nothing was sent'));
    await Promise.all(this.#underWay);
  }

  /** Runs after the callers of this turn of the event loop, so that their appends share a group. */
  #schedule(): void {
    if (this.#scheduled || this.#idle.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      while (this.#idle.length > 0 && this.#waiting.length > 0) {
        const group = this.#take();
        if (group.length === 0) return;
        const sending = this.#send(this.#idle.shift()!, group);
        this.#underWay.add(sending);
        void sending.finally(() => this.#underWay.delete(sending));
      }
    });
  }

  /** At most `GROUP_EVENTS` events, one append per stream, none to a stream that another lane writes. */
  #take(): Waiting[] {
    const group: Waiting[] = [];
    const passed: Waiting[] = [];
    const streams = new Set<string>();
    let size = 0;
    let next = 0;
    for (; next < this.#waiting.length && passed.length < LOOK_AHEAD; next += 1) {
      const each = this.#waiting[next]!;
      if (each.batch) {
        if (group.length > 0 || passed.length > 0) break;
        group.push(each);
        next += 1;
        break;
      }
      const { stream, events } = each.appends[0]!;
      if (size > 0 && size + events.length > GROUP_EVENTS) break;
      if (streams.has(stream) || this.#busyStreams.has(stream)) passed.push(each);
      else {
        group.push(each);
        size += events.length;
      }
      streams.add(stream);
    }
    this.#waiting = [...passed, ...this.#waiting.slice(next)];
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
      await this.#complete(lane, group, error);
    }
    for (const stream of streams) this.#busyStreams.delete(stream);
    this.#idle.push(lane);
    this.#schedule();
  }

  /** A defect of one append (invalid JSON) must not fail the others of its group: each is sent again alone. */
  async #complete(lane: AppendLane, group: readonly Waiting[], error: unknown): Promise<void> {
    const alone = group.length === 1 || error instanceof OutcomeUnknown || error instanceof LogUnavailable;
    for (const { appends, resolve, reject } of group) {
      if (alone) reject(error);
      else await lane.send(appends).then(resolve, reject);
    }
  }
}

type AppendLane = ReturnType<typeof openAppendLane>;

/** A refusal that the server sent before the commit leaves nothing stored; a broken or silent connection proves nothing. */
function classify(error: unknown): unknown {
  if (!(error instanceof DatabaseUnavailable || error instanceof DeadlineExceeded)) return error;
  if (error.cause === undefined || isConnectionLoss(error.cause)) {
    return new OutcomeUnknown('the connection to the log was lost while an append was under way', { cause: error });
  }
  return new LogUnavailable(error.message, { cause: error });
}

/** One connection for appends. While one lane waits for its flush, the statement of the other is parsed and waits for the lock. */
export function openAppendLane(session: Session) {
  const connection = new PipelinedConnection(session);
  return {
    /** Appends one group in one transaction. Throws `LogUnavailable` when nothing is stored, `OutcomeUnknown` when that is unknown. */
    async send(appends: readonly StreamAppend[]): Promise<readonly AppendOutcome[]> {
      try {
        await connection.connect();
      } catch (error) {
        throw new LogUnavailable('the log could not be reached; nothing was sent', { cause: error });
      }
      try {
        const { rows } = await connection.run(appendStatement(appends));
        return appendOutcomes(appends, rows[0]!);
      } catch (error) {
        throw classify(error);
      }
    },
    close: async () => await connection.close(),
  };
}

/** The first eight arguments of the functions that append one event. */
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
    text: 'select actual, starts from civic.append_group($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
    values: [
      columnArrays.texts(appends.map(({ stream }) => stream)),
      columnArrays.bigints(appends.map(({ expectedRevision }) => expectedRevision)),
      columnArrays.bigints(appends.map((append) => append.events.length)),
      columnArrays.bigints(appendNos),
      columnArrays.bigints(eventNos),
      columnArrays.uuids(events.map(({ id }) => id)),
      columnArrays.texts(events.map(({ type }) => type)),
      columnArrays.bigints(events.map(({ schemaVersion }) => schemaVersion)),
      columnArrays.jsons(events.map(({ data }) => data)),
      columnArrays.jsons(events.map(({ metadata }) => JSON.stringify(metadata))),
      columnArrays.bigints(events.map(({ time }) => time)),
    ],
  };
}

/** One statement, and so one commit, for a group of appends of different streams. */
function appendStatement(appends: readonly StreamAppend[]): Statement {
  const [append] = appends;
  const [event] = append?.events ?? [];
  if (appends.length === 1 && append?.events.length === 1 && event !== undefined) {
    const text = 'select actual, start from civic.append_one($1, $2, $3, $4, $5, $6, $7, $8)';
    return { name: 'append_one', text, values: singleEvent(append, event) };
  }
  return appendGroup(appends);
}

/** The integers in the text of an array, `{1,-1,3}`, or of one integer. */
const numbers = (text: string): readonly number[] => (text.startsWith('{') ? text.slice(1, -1) : text).split(',').map(Number);

/** In the order of the appends; `row` is the one row of the statement. */
export function appendOutcomes(appends: readonly StreamAppend[], row: TextRow): readonly AppendOutcome[] {
  const actual = numbers(row[0]!);
  const starts = numbers(row[1]!);
  return appends.map(({ expectedRevision, events }, index) =>
    starts[index]! < 0
      ? { kind: 'conflict', actualRevision: actual[index]! }
      : { kind: 'appended', position: toPosition(starts[index]! + events.length), revision: expectedRevision + events.length },
  );
}
